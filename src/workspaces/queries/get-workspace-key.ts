import { inject, injectable } from 'tsyringe';
import { type Caller } from '../../kernel/caller.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { type Input, operation } from '../../platform/operation.js';
import { maskedKey } from '../workspace.js';
import { findMaskedKey } from '../workspace-views.js';

@injectable()
export class GetWorkspaceKey {
  constructor(@inject(UnitOfWork) private readonly unitOfWork: UnitOfWork) {}

  async execute(_input: Input, caller: Caller) {
    return this.unitOfWork.run(caller, { lock: 'none', access: 'read' }, (trx) =>
      findMaskedKey(trx, caller.workspaceId),
    );
  }
}

export const getWorkspaceKey = operation({
  id: 'getWorkspaceKey',
  summary: 'Whether the workspace has an API key, masked',
  method: 'get',
  path: '/v1/workspaces/keys',
  access: 'admin',
  response: maskedKey,
  failures: {},
  example: { answer: { masked: 'ws_********************************', isSet: true } },
  handler: GetWorkspaceKey,
});
