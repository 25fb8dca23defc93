import { z } from 'zod';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { operation } from '../../../platform/operations/operation.js';
import { connectionToken, connectionTokenExample } from '../connection-token.js';
import { listConnectionTokens as load } from '../token-views.js';

export const listConnectionTokens = operation({
  id: 'listConnectionTokens',
  summary: 'The connection tokens of the workspace, newest first; never the tokens themselves',
  method: 'get',
  path: '/v1/workspaces/connection-tokens',
  access: 'admin',
  response: z.object({ tokens: z.array(connectionToken).describe('The tokens of the workspace') }),
  failures: {},
  example: { response: { tokens: [{ ...connectionTokenExample, lastUsedAt: null }] } },
  uses: { unitOfWork: UnitOfWork },
  async execute(_input, caller, { unitOfWork }) {
    return { tokens: await unitOfWork.read(caller, (tx) => load(tx)) };
  },
});
