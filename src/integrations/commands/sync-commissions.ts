import { inject, injectable } from 'tsyringe';
import { z } from 'zod';
import { type Caller } from '../../kernel/caller.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { type Input, operation } from '../../platform/operation.js';
import { connectedCrm } from '../crm-connection-views.js';

const body = z.strictObject({
  recalculate: z.boolean().default(false),
  reconcile: z.boolean().default(false),
  async: z.boolean().default(false),
});

const response = z.object({
  synced: z.boolean(),
  totalDeals: z.int(),
  triggered: z.boolean(),
  message: z.string(),
});

@injectable()
export class SyncCommissions {
  constructor(@inject(UnitOfWork) private readonly unitOfWork: UnitOfWork) {}

  /** Nothing connects a CRM yet, so none is found; a connection without an adapter is a mistake of ours. */
  async execute(_input: Input, caller: Caller): Promise<z.input<typeof response>> {
    const provider = await this.unitOfWork.run(caller, 'reads', (trx) => connectedCrm(trx, caller.workspaceId));
    throw new Error(`there is no adapter for ${provider}`);
  }
}

export const syncCommissions = operation({
  id: 'syncCommissions',
  summary: 'Pull people and deals from the connected CRM; with reconcile, deals that it no longer has are deleted',
  method: 'post',
  path: '/v1/commissions/sync',
  access: 'admin',
  body,
  response,
  failures: { no_crm_configured: 400 },
  handler: SyncCommissions,
});
