import { z } from 'zod';
import { Failure } from '../../kernel/failure.js';
import { deriveId } from '../../kernel/ids.js';
import { blockedChanges } from '../../ledger/requests/blocked-changes.js';
import { type InboxMessage } from '../../platform/inbox/inbox.js';
import { type InboxSource } from '../../platform/inbox/inbox-tables.js';
import { wholeNumber } from '../../platform/operations/schemas.js';
import { type CrmHint } from '../adapters/port.js';

/** The largest body of a delivery. crm-b sends up to 100 events, of which each may contain a long text. */
export const deliveryLimitBytes = 1024 * 1024;

/** `wait`: seconds to wait for the outcome. `for` distinguishes the URLs of two workspaces. */
export const deliveryQuery = z.strictObject({
  wait: wholeNumber(0, 20).optional().describe('Seconds to wait for the calculation, 0 to 20; 0 by default'),
  for: z.string().max(100).optional().describe('Any text; it distinguishes the URLs of two workspaces'),
});

export const deliveryResponse = z.object({
  accepted: z.int().describe('Number of stored events, including those that were stored before'),
  ignored: z.int().describe('Number of events of other types or of unknown accounts'),
  /** Present only if the request waits: it states what the engine did. */
  run: z
    .object({
      outcome: z
        .enum(['written', 'no_change', 'skipped', 'statement_locked', 'failed', 'pending'])
        .describe('What the calculation did; pending if it is not complete'),
      eventsWritten: z.int().describe('Number of commission events that were written'),
      eventsReversed: z.int().describe('Number of commission events that were reversed'),
      statementLocked: z.boolean().describe('Whether approved statements blocked changes'),
      skipped: z.int().describe('Number of deals to which no rule applies'),
      blocked: blockedChanges.optional(),
    })
    .optional()
    .describe('What the calculation did, if the request waited for it'),
});
export type DeliveryResponse = z.input<typeof deliveryResponse>;

/** One response for every unauthenticated delivery: it does not reveal what was wrong. */
export function badSignature(): Failure {
  return new Failure('bad_signature', 'The signature does not belong to a connected sender.');
}

/** The stored form of a hint; {@link readHint} reads it. */
export function toInboxMessage(source: InboxSource, route: string, hint: CrmHint): InboxMessage {
  const { dealId, change, occurredAt, key, values, property } = hint;
  return {
    source,
    route,
    // The route is part of the key: event ids of one account do not identify events of another.
    key: deriveId(`${source}|${route}|${key}`),
    subject: dealId,
    payload: {
      change,
      occurredAt: occurredAt?.toISOString() ?? null,
      values,
      ...(property === undefined ? {} : { property }),
    },
  };
}

const storedHint = z.object({
  change: z.enum(['changed', 'deleted']),
  occurredAt: z.string().nullable(),
  values: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
  property: z.string().optional(),
});
export type StoredHint = Omit<z.infer<typeof storedHint>, 'occurredAt'> & { readonly occurredAt: Date | null };

export function readHint(payload: unknown): StoredHint {
  const { occurredAt, ...hint } = storedHint.parse(payload);
  return { ...hint, occurredAt: occurredAt === null ? null : new Date(occurredAt) };
}
