import { inject, injectable } from 'tsyringe';
import { z } from 'zod';
import { type Caller } from '../../kernel/caller.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { type Input, operation } from '../../platform/operation.js';
import { integrationKey, integrationKeyExample } from '../integration-key.js';
import { listIntegrationKeys as load } from '../integration-key-views.js';

@injectable()
export class ListIntegrationKeys {
  constructor(@inject(UnitOfWork) private readonly unitOfWork: UnitOfWork) {}

  async execute(_input: Input, caller: Caller) {
    return {
      keys: await this.unitOfWork.run(caller, { lock: 'none', access: 'read' }, (trx) => load(trx, caller.workspaceId)),
    };
  }
}

export const listIntegrationKeys = operation({
  id: 'listIntegrationKeys',
  summary: 'The valid integration keys of the workspace, newest first; never their secrets',
  method: 'get',
  path: '/v1/workspaces/integration-keys',
  access: 'admin',
  response: z.object({ keys: z.array(integrationKey).describe('The keys of the workspace') }),
  failures: {},
  example: { answer: { keys: [{ ...integrationKeyExample, lastUsedAt: null }] } },
  handler: ListIntegrationKeys,
});
