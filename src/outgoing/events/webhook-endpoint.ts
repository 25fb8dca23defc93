import { z } from 'zod';
import { fields } from '../../api/resource-fields.js';
import { Failure, invalid } from '../../kernel/failure.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { pathId, text } from '../../platform/operations/schemas.js';
import { checkUrl } from '../../platform/outbound/guarded-post.js';
import { type EventType } from '../../platform/outbound/outgoing-event.js';
import { eventTypes } from './event-types.js';

/** A workspace has at most this many endpoints. */
export const maxEndpoints = 20;

const eventType = z.enum(Object.keys(eventTypes) as [EventType, ...EventType[]]);

export const endpointPath = { endpointId: pathId.describe('Id of the webhook endpoint (UUID)') };

export const endpointFields = {
  url: z
    .string()
    .max(2000)
    .refine((value) => URL.canParse(value), 'must be a URL')
    .describe('URL that receives the events: https, with a public address'),
  description: text(200).describe('What the endpoint is for'),
  eventTypes: z
    .array(eventType)
    .min(1)
    .max(Object.keys(eventTypes).length)
    .transform((types) => [...new Set(types)])
    .describe('The events to send'),
};

export const webhookEndpoint = z
  .object({
    id: z.string().describe('Id of the webhook endpoint (UUID)'),
    url: z.string().describe('URL that receives the events'),
    description: z.string().nullable().describe('What the endpoint is for; null for none'),
    eventTypes: z.array(z.string()).nullable().describe('The events that are sent; null for all, also of later types'),
    enabled: z.boolean().describe('Whether events are sent. Events that occur while it is false are not sent later'),
    disabledReason: z
      .string()
      .nullable()
      .describe('Why the service disabled the endpoint; null if it is enabled or a person disabled it'),
    pending: z.int().describe('Number of deliveries that have not succeeded yet'),
    lastAttemptAt: z.string().nullable().describe('When an event was last sent, instant in ISO 8601; null for never'),
    createdAt: fields.createdAt,
  })
  .describe('A URL of another system to which events are sent, without its secret');
export type WebhookEndpoint = z.input<typeof webhookEndpoint>;

export const endpointSecret = z
  .string()
  .describe('The key that signs deliveries, as Standard Webhooks defines it; returned only once');

export const webhookDelivery = z
  .object({
    id: z.string().describe('The webhook-id of the delivery (UUID), the same for every attempt'),
    type: z.string().describe('Type of the event'),
    repId: z.string().nullable().describe('The rep whom the event is about (UUID); null for the workspace'),
    status: z
      .enum(['pending', 'delivered', 'failed'])
      .describe('pending: an attempt follows; failed: the endpoint was disabled after the last attempt'),
    attempts: z.int().describe('Number of attempts'),
    createdAt: z.string().describe('When the event occurred, instant in ISO 8601'),
    lastAttemptAt: z.string().nullable().describe('When it was last sent, instant in ISO 8601; null for never'),
    nextAttemptAt: z.string().nullable().describe('When it is sent next at the earliest; null if it is not sent again'),
    durationMs: z.int().nullable().describe('Duration of the last attempt in milliseconds; null for none'),
    responseStatus: z.int().nullable().describe('HTTP status of the last response; null if there was none'),
    responseBody: z.string().nullable().describe('The first 64 KiB of the last response; null if there was none'),
    error: z.string().nullable().describe('Why the last attempt failed; null if it did not'),
    body: z.string().optional().describe('With bodies=true: the JSON text that is sent'),
  })
  .describe('An event that is sent to an endpoint');
export type WebhookDelivery = z.input<typeof webhookDelivery>;

/** Throws unless events may be sent to the URL. The addresses of its host are checked with every delivery. */
export function checkedUrl(text: string, allowLoopback: boolean): string {
  const url = new URL(text);
  const problem = checkUrl(url, allowLoopback);
  if (problem !== null) throw invalid({ path: 'url', message: problem });
  return url.href;
}

export const unknownEndpoint = 'There is no such webhook endpoint in this workspace.';

export function endpointNotFound(): Failure {
  return new Failure('not_found', unknownEndpoint);
}

export function secretEncryptionContext(endpointId: string): string {
  return `webhook_endpoints ${endpointId}`;
}

export const endpointExample = {
  id: '7c0d5c1e-1f6b-4f0e-9a55-3c8e4b1d2a90',
  url: 'https://erp.acme.com/hooks/commissions',
  description: 'Accruals in the ERP',
  eventTypes: ['commission.changed', 'statement.approved'] satisfies EventType[],
  enabled: true,
  disabledReason: null,
  pending: 0,
  lastAttemptAt: null,
  createdAt: '2026-02-11T08:30:00.000Z',
};

export const deliveryExample: WebhookDelivery = {
  id: '0b9d8a5e-6c1f-4d7a-8f52-9c3a1e0d7b44',
  type: 'statement.approved',
  repId: sampleIds.repId,
  status: 'delivered',
  attempts: 1,
  createdAt: '2026-03-03T09:00:00.000Z',
  lastAttemptAt: '2026-03-03T09:00:01.000Z',
  nextAttemptAt: null,
  durationMs: 84,
  responseStatus: 204,
  responseBody: '',
  error: null,
};
