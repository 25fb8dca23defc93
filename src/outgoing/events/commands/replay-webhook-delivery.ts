import { z } from 'zod';
import { Failure } from '../../../kernel/failure.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { operation } from '../../../platform/operations/operation.js';
import { pathId, requireUuid } from '../../../platform/operations/schemas.js';
import { admitRequestedDelivery } from '../requested-deliveries.js';
import { deliveryExample, endpointExample, endpointPath, unknownEndpoint } from '../webhook-endpoint.js';
import { replayDelivery } from '../webhook-endpoint-store.js';

const params = z.strictObject({ ...endpointPath, deliveryId: pathId.describe('Id of the delivery (UUID)') });
const unknownDelivery = 'This webhook endpoint has no such delivery; deliveries are deleted after 30 days.';

export const replayWebhookDelivery = operation({
  id: 'replayWebhookDelivery',
  summary: 'Send an event again, with the same webhook-id, so that a receiver that has processed it ignores it',
  method: 'post',
  path: '/v1/webhook-endpoints/:endpointId/deliveries/:deliveryId/replay',
  access: 'admin',
  params,
  response: z.object({ deliveryId: z.string().describe('Id of the delivery (UUID)') }),
  status: 202,
  failures: { endpoint_disabled: 409 },
  example: {
    params: { endpointId: endpointExample.id, deliveryId: deliveryExample.id },
    response: { deliveryId: deliveryExample.id },
  },
  uses: { unitOfWork: UnitOfWork },
  async execute({ params: ids }, caller, { unitOfWork }) {
    const endpointId = requireUuid(ids.endpointId, 'not_found', unknownEndpoint);
    const deliveryId = requireUuid(ids.deliveryId, 'not_found', unknownDelivery);
    await unitOfWork.write(caller, async (tx) => {
      await admitRequestedDelivery(tx, endpointId);
      if (!(await replayDelivery(tx, endpointId, deliveryId))) throw new Failure('not_found', unknownDelivery);
      tx.deliverEvents();
    });
    return { deliveryId };
  },
});
