import { z } from 'zod';
import { Failure } from '../../../kernel/failure.js';
import { newId } from '../../../kernel/ids.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { CONFIG } from '../../../platform/injection-tokens.js';
import { operation } from '../../../platform/operations/operation.js';
import { Secrets } from '../../../platform/secrets/secrets.js';
import { newEndpointSecret } from '../signature.js';
import {
  checkedUrl,
  endpointExample,
  endpointFields,
  endpointSecret,
  maxEndpoints,
  secretEncryptionContext,
  type WebhookEndpoint,
  webhookEndpoint,
} from '../webhook-endpoint.js';
import { insertEndpoint } from '../webhook-endpoint-store.js';
import { findEndpoint, listEndpoints } from '../webhook-endpoint-views.js';

const body = z.strictObject({
  url: endpointFields.url,
  description: endpointFields.description.optional(),
  eventTypes: endpointFields.eventTypes.optional().describe('The events to send; all, also of later types, by default'),
});

export const createWebhookEndpoint = operation({
  id: 'createWebhookEndpoint',
  summary: 'Send events to a URL of another system, signed as Standard Webhooks defines it',
  method: 'post',
  path: '/v1/webhook-endpoints',
  access: 'admin',
  stepUp: 'always',
  body,
  response: z.object({ ...webhookEndpoint.shape, secret: endpointSecret }),
  status: 201,
  secret: true,
  failures: { too_many_endpoints: 409 },
  example: {
    body: {
      url: endpointExample.url,
      description: endpointExample.description,
      eventTypes: endpointExample.eventTypes,
    },
    response: { ...endpointExample, secret: 'whsec_…' },
  },
  uses: { unitOfWork: UnitOfWork, secrets: Secrets, config: CONFIG },
  /** The response is the only place where the secret is shown. */
  async execute({ body: { url, description, eventTypes } }, caller, { unitOfWork, secrets, config }) {
    const endpointId = newId();
    const secret = newEndpointSecret();
    const endpoint = {
      endpointId,
      url: checkedUrl(url, config.CRM_ALLOW_LOOPBACK),
      description: description ?? null,
      eventTypes: eventTypes ?? null,
      secret: secrets.seal(secretEncryptionContext(endpointId), secret),
    };
    return unitOfWork.run(caller, { lock: 'exclusive', access: 'write' }, async (tx) => {
      if ((await listEndpoints(tx)).length >= maxEndpoints)
        throw new Failure(
          'too_many_endpoints',
          `The workspace has ${maxEndpoints} webhook endpoints. Delete one that is not used any more.`,
        );
      await insertEndpoint(tx, caller, endpoint);
      return { ...((await findEndpoint(tx, endpointId)) as WebhookEndpoint), secret };
    });
  },
});
