import { z } from 'zod';
import { Failure } from '../../../kernel/failure.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { operation } from '../../../platform/operations/operation.js';
import { pathId, requireUuid } from '../../../platform/operations/schemas.js';
import { connectionTokenExample } from '../connection-token.js';
import { deleteConnectionToken as remove } from '../token-store.js';

const params = z.strictObject({ id: pathId.describe('Id of the connection token (UUID)') });
const unknown = 'There is no such connection token in this workspace.';

export const deleteConnectionToken = operation({
  id: 'deleteConnectionToken',
  summary: 'Delete a connection token; it stops working at once',
  method: 'delete',
  path: '/v1/workspaces/connection-tokens/:id',
  access: 'admin',
  params,
  response: z.object({
    deleted: z.boolean().describe('Always true: an unknown token gets status 404'),
    id: z.string().describe('Id of the token (UUID)'),
  }),
  failures: {},
  example: { params: { id: connectionTokenExample.id }, response: { deleted: true, id: connectionTokenExample.id } },
  uses: { unitOfWork: UnitOfWork },
  async execute({ params: { id: rawId } }, caller, { unitOfWork }) {
    const id = requireUuid(rawId, 'not_found', unknown);
    const deleted = await unitOfWork.write(caller, (tx) => remove(tx, caller, id));
    if (!deleted) throw new Failure('not_found', unknown);
    return { deleted, id };
  },
});
