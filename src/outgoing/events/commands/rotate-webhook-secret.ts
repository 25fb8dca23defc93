import { z } from 'zod';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { CLOCK } from '../../../platform/injection-tokens.js';
import { operation } from '../../../platform/operations/operation.js';
import { requireUuid } from '../../../platform/operations/schemas.js';
import { Secrets } from '../../../platform/secrets/secrets.js';
import { newEndpointSecret } from '../signature.js';
import {
  endpointExample,
  endpointNotFound,
  endpointPath,
  endpointSecret,
  secretEncryptionContext,
  unknownEndpoint,
} from '../webhook-endpoint.js';
import { rotateSecret } from '../webhook-endpoint-store.js';

const params = z.strictObject(endpointPath);
const body = z.strictObject({
  overlapHours: z
    .int()
    .min(0)
    .max(168)
    .default(24)
    .describe(
      'Hours during which deliveries are also signed with the previous secret. 0: no previous secret signs any more, for one that has leaked',
    ),
});

export const rotateWebhookSecret = operation({
  id: 'rotateWebhookSecret',
  summary:
    'Replace the secret of a webhook endpoint. Until the overlap ends, deliveries have a signature of both secrets',
  method: 'post',
  path: '/v1/webhook-endpoints/:endpointId/rotate-secret',
  access: 'admin',
  params,
  body,
  response: z.object({
    id: z.string().describe('Id of the webhook endpoint (UUID)'),
    secret: endpointSecret,
    previousValidUntil: z
      .string()
      .nullable()
      .describe('Until when the previous secret also signs deliveries, instant in ISO 8601; null without an overlap'),
  }),
  secret: true,
  failures: {},
  example: {
    params: { endpointId: endpointExample.id },
    body: { overlapHours: 24 },
    response: { id: endpointExample.id, secret: 'whsec_…', previousValidUntil: '2026-03-04T09:00:00.000Z' },
  },
  uses: { unitOfWork: UnitOfWork, secrets: Secrets, clock: CLOCK },
  async execute({ params: { endpointId }, body: { overlapHours } }, caller, { unitOfWork, secrets, clock }) {
    const id = requireUuid(endpointId, 'not_found', unknownEndpoint);
    const secret = newEndpointSecret();
    const validUntil = overlapHours === 0 ? null : new Date(clock.now().getTime() + overlapHours * 3_600_000);
    const next = { secret: secrets.seal(secretEncryptionContext(id), secret), validUntil };
    const rotated = await unitOfWork.run(caller, { lock: 'exclusive', access: 'write' }, (tx) =>
      rotateSecret(tx, caller, id, next),
    );
    if (!rotated) throw endpointNotFound();
    return { id, secret, previousValidUntil: validUntil?.toISOString() ?? null };
  },
});
