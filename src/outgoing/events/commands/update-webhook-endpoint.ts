import { z } from 'zod';
import { invalid } from '../../../kernel/failure.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { CONFIG } from '../../../platform/injection-tokens.js';
import { operation } from '../../../platform/operations/operation.js';
import { requireUuid } from '../../../platform/operations/schemas.js';
import {
  checkedUrl,
  endpointExample,
  endpointFields,
  endpointNotFound,
  endpointPath,
  unknownEndpoint,
  type WebhookEndpoint,
  webhookEndpoint,
} from '../webhook-endpoint.js';
import { updateEndpoint } from '../webhook-endpoint-store.js';
import { findEndpoint } from '../webhook-endpoint-views.js';

const params = z.strictObject(endpointPath);
const body = z.strictObject({
  url: endpointFields.url.optional(),
  description: endpointFields.description.nullable().optional().describe('What the endpoint is for; null for none'),
  eventTypes: endpointFields.eventTypes
    .nullable()
    .optional()
    .describe('The events to send; null for all, also of later types'),
  enabled: z
    .boolean()
    .optional()
    .describe('Whether events are sent. When it becomes true, undelivered events are sent first'),
});

export const updateWebhookEndpoint = operation({
  id: 'updateWebhookEndpoint',
  summary: 'Change, disable or enable a webhook endpoint. Enabling it sends undelivered events again',
  method: 'patch',
  path: '/v1/webhook-endpoints/:endpointId',
  access: 'admin',
  stepUp: ({ body: { url } }) => url !== undefined,
  params,
  body,
  response: webhookEndpoint,
  failures: {},
  example: {
    params: { endpointId: endpointExample.id },
    body: { enabled: false },
    response: { ...endpointExample, enabled: false },
  },
  uses: { unitOfWork: UnitOfWork, config: CONFIG },
  async execute({ params: { endpointId }, body: change }, caller, { unitOfWork, config }) {
    if (Object.values(change).every((value) => value === undefined))
      throw invalid({ path: '', message: 'give at least one of url, description, eventTypes, enabled' });
    const id = requireUuid(endpointId, 'not_found', unknownEndpoint);
    const url = change.url === undefined ? undefined : checkedUrl(change.url, config.CRM_ALLOW_LOOPBACK);
    return unitOfWork.run(caller, { lock: 'exclusive', access: 'write' }, async (tx) => {
      if (!(await updateEndpoint(tx, caller, id, { ...change, url }))) throw endpointNotFound();
      return (await findEndpoint(tx, id)) as WebhookEndpoint;
    });
  },
});
