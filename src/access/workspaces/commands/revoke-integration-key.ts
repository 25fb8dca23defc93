import { z } from 'zod';
import { Failure } from '../../../kernel/failure.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { operation } from '../../../platform/operations/operation.js';
import { pathId, requireUuid } from '../../../platform/operations/schemas.js';
import { integrationKeyExample } from '../integration-key.js';
import { deleteIntegrationKey } from '../token-store.js';

const params = z.strictObject({ id: pathId.describe('Id of the integration key (UUID)') });
const unknown = 'There is no such integration key in this workspace.';

export const revokeIntegrationKey = operation({
  id: 'revokeIntegrationKey',
  summary: 'Revoke an integration key; it stops working at once',
  method: 'delete',
  path: '/v1/workspaces/integration-keys/:id',
  access: 'admin',
  params,
  response: z.object({
    revoked: z.boolean().describe('Always true: an unknown key gets status 404'),
    id: z.string().describe('Id of the key (UUID)'),
  }),
  failures: {},
  example: { params: { id: integrationKeyExample.id }, response: { revoked: true, id: integrationKeyExample.id } },
  uses: { unitOfWork: UnitOfWork },
  async execute({ params: { id: rawId } }, caller, { unitOfWork }) {
    const id = requireUuid(rawId, 'not_found', unknown);
    const revoked = await unitOfWork.write(caller, (tx) => deleteIntegrationKey(tx, caller, id));
    if (!revoked) throw new Failure('not_found', unknown);
    return { revoked, id };
  },
});
