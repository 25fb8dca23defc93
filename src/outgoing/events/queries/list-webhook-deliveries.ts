import { z } from 'zod';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { operation } from '../../../platform/operations/operation.js';
import { cursorPage, flag, requireUuid } from '../../../platform/operations/schemas.js';
import {
  deliveryExample,
  endpointExample,
  endpointNotFound,
  endpointPath,
  unknownEndpoint,
  webhookDelivery,
} from '../webhook-endpoint.js';
import { findEndpoint, listDeliveries } from '../webhook-endpoint-views.js';

const params = z.strictObject(endpointPath);
const query = z.strictObject({
  status: z.enum(['pending', 'delivered', 'failed']).optional().describe('Only deliveries with this status'),
  bodies: flag.default(false).describe('true: also the text that is sent'),
  ...cursorPage('deliveries', 50),
});

export const listWebhookDeliveries = operation({
  id: 'listWebhookDeliveries',
  summary: 'The events that were sent to an endpoint in the last 30 days, newest first, with the last response',
  method: 'get',
  path: '/v1/webhook-endpoints/:endpointId/deliveries',
  access: 'admin',
  params,
  query,
  response: z.object({
    deliveries: z.array(webhookDelivery).describe('The deliveries of the page'),
    nextCursor: z.string().nullable().describe('Cursor of the next page; null on the last page'),
  }),
  failures: {},
  example: {
    params: { endpointId: endpointExample.id },
    query: { limit: '20' },
    response: { deliveries: [deliveryExample], nextCursor: null },
  },
  uses: { unitOfWork: UnitOfWork },
  async execute({ params: { endpointId }, query: { status, limit, cursor, bodies } }, caller, { unitOfWork }) {
    const id = requireUuid(endpointId, 'not_found', unknownEndpoint);
    return unitOfWork.read(caller, async (tx) => {
      if ((await findEndpoint(tx, id)) === undefined) throw endpointNotFound();
      const page = { status, limit, before: cursor ?? null, bodies };
      const { deliveries, next } = await listDeliveries(tx, id, page);
      return { deliveries, nextCursor: next };
    });
  },
});
