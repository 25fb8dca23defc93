import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { operation } from '../../../platform/operations/operation.js';
import { keyMask, maskedKey } from '../workspace.js';
import { findMaskedKey } from '../workspace-views.js';

export const getWorkspaceKey = operation({
  id: 'getWorkspaceKey',
  summary: 'Whether the workspace has an API key, masked',
  method: 'get',
  path: '/v1/workspaces/keys',
  access: 'admin',
  response: maskedKey,
  failures: {},
  example: { response: { masked: keyMask, isSet: true } },
  uses: { unitOfWork: UnitOfWork },
  async execute(_input, caller, { unitOfWork }) {
    return unitOfWork.read(caller, (tx) => findMaskedKey(tx));
  },
});
