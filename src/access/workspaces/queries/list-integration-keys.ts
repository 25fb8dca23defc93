import { z } from 'zod';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { operation } from '../../../platform/operations/operation.js';
import { integrationKey, integrationKeyExample } from '../integration-key.js';
import { listIntegrationKeys as load } from '../token-views.js';

export const listIntegrationKeys = operation({
  id: 'listIntegrationKeys',
  summary: 'The valid integration keys of the workspace, newest first; never their secrets',
  method: 'get',
  path: '/v1/workspaces/integration-keys',
  access: 'admin',
  response: z.object({ keys: z.array(integrationKey).describe('The keys of the workspace') }),
  failures: {},
  example: { response: { keys: [{ ...integrationKeyExample, lastUsedAt: null }] } },
  uses: { unitOfWork: UnitOfWork },
  async execute(_input, caller, { unitOfWork }) {
    return { keys: await unitOfWork.read(caller, (tx) => load(tx)) };
  },
});
