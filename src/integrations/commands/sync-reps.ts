import { inject, injectable } from 'tsyringe';
import { z } from 'zod';
import { type Caller } from '../../kernel/caller.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { type Input, operation } from '../../platform/operation.js';
import { rep } from '../../reps/rep.js';
import { connectedCrm } from '../crm-connection-views.js';

const response = z.object({ synced: z.literal(true), count: z.int(), reps: z.array(rep) });

@injectable()
export class SyncReps {
  constructor(@inject(UnitOfWork) private readonly unitOfWork: UnitOfWork) {}

  /** Nothing connects a CRM yet, so none is found; a connection without an adapter is a mistake of ours. */
  async execute(_input: Input, caller: Caller): Promise<z.input<typeof response>> {
    const provider = await this.unitOfWork.run(caller, 'reads', (trx) => connectedCrm(trx, caller.workspaceId));
    throw new Error(`there is no adapter for ${provider}`);
  }
}

export const syncReps = operation({
  id: 'syncReps',
  summary: 'Pull the people of the connected CRM and take them over as reps',
  method: 'post',
  path: '/v1/reps/sync',
  access: 'admin',
  response,
  failures: { no_crm_configured: 400 },
  handler: SyncReps,
});
