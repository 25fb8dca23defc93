import { z } from 'zod';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { operation } from '../../../platform/operations/operation.js';
import { requireUuid } from '../../../platform/operations/schemas.js';
import { endpointExample, endpointNotFound, endpointPath, unknownEndpoint } from '../webhook-endpoint.js';
import { deleteEndpoint } from '../webhook-endpoint-store.js';

const params = z.strictObject(endpointPath);

export const deleteWebhookEndpoint = operation({
  id: 'deleteWebhookEndpoint',
  summary: 'Delete a webhook endpoint with its deliveries, also those that are pending',
  method: 'delete',
  path: '/v1/webhook-endpoints/:endpointId',
  access: 'admin',
  params,
  response: z.object({
    deleted: z.boolean().describe('Always true: an unknown endpoint gets status 404'),
    id: z.string().describe('Id of the webhook endpoint (UUID)'),
  }),
  failures: {},
  example: { params: { endpointId: endpointExample.id }, response: { deleted: true, id: endpointExample.id } },
  uses: { unitOfWork: UnitOfWork },
  async execute({ params: { endpointId } }, caller, { unitOfWork }) {
    const id = requireUuid(endpointId, 'not_found', unknownEndpoint);
    const deleted = await unitOfWork.run(caller, { lock: 'exclusive', access: 'write' }, (tx) =>
      deleteEndpoint(tx, caller, id),
    );
    if (!deleted) throw endpointNotFound();
    return { deleted, id };
  },
});
