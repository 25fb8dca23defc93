import { z } from 'zod';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { operation } from '../../../platform/operations/operation.js';
import { requireUuid } from '../../../platform/operations/schemas.js';
import { admitRequestedDelivery } from '../requested-deliveries.js';
import { deliveryExample, endpointExample, endpointPath, unknownEndpoint } from '../webhook-endpoint.js';
import { insertTestDelivery } from '../webhook-endpoint-store.js';

const params = z.strictObject(endpointPath);

export const testWebhookEndpoint = operation({
  id: 'testWebhookEndpoint',
  summary: 'Send an event of the type webhook.test; the list of deliveries shows the response of the endpoint',
  method: 'post',
  path: '/v1/webhook-endpoints/:endpointId/test',
  access: 'admin',
  params,
  response: z.object({ deliveryId: z.string().describe('Id of the delivery (UUID)') }),
  status: 202,
  failures: { endpoint_disabled: 409 },
  example: { params: { endpointId: endpointExample.id }, response: { deliveryId: deliveryExample.id } },
  uses: { unitOfWork: UnitOfWork },
  async execute({ params: { endpointId } }, caller, { unitOfWork }) {
    const id = requireUuid(endpointId, 'not_found', unknownEndpoint);
    const deliveryId = await unitOfWork.write(caller, async (tx) => {
      await admitRequestedDelivery(tx, id);
      tx.deliverEvents();
      return insertTestDelivery(tx, id);
    });
    return { deliveryId };
  },
});
