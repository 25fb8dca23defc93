import { inject, injectable } from 'tsyringe';
import { z } from 'zod';
import { type Caller } from '../../kernel/caller.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { type Input, operation } from '../../platform/operation.js';
import { connectionToken, connectionTokenExample } from '../connection-token.js';
import { listConnectionTokens as load } from '../connection-token-views.js';

@injectable()
export class ListConnectionTokens {
  constructor(@inject(UnitOfWork) private readonly unitOfWork: UnitOfWork) {}

  async execute(_input: Input, caller: Caller) {
    return {
      tokens: await this.unitOfWork.run(caller, { lock: 'none', access: 'read' }, (trx) =>
        load(trx, caller.workspaceId),
      ),
    };
  }
}

export const listConnectionTokens = operation({
  id: 'listConnectionTokens',
  summary: 'The connection tokens of the workspace, newest first; never the tokens themselves',
  method: 'get',
  path: '/v1/workspaces/connection-tokens',
  access: 'admin',
  response: z.object({ tokens: z.array(connectionToken).describe('The tokens of the workspace') }),
  failures: {},
  example: { answer: { tokens: [{ ...connectionTokenExample, lastUsedAt: null }] } },
  handler: ListConnectionTokens,
});
