import { z } from 'zod';
import { type CrmHint } from '../crm/port.js';
import { Failure } from '../kernel/failure.js';
import { idOf } from '../kernel/ids.js';
import { blockedChanges } from '../ledger/blocked-changes.js';
import { type NewsSource } from '../platform/database/tables.js';
import { type News } from '../platform/inbox/inbox.js';
import { wholeNumber } from '../platform/schemas.js';

export const deliveryLimitBytes = 512 * 1024;

/** `wait`: so many seconds for what becomes of it. `for` only tells the addresses of two workspaces apart. */
export const deliveryQuery = z.strictObject({
  wait: wholeNumber(0, 20).optional(),
  for: z.string().max(100).optional(),
});

export const deliveryAnswer = z.object({
  /** News that are kept, new or known. */
  accepted: z.int(),
  /** Of another kind, or for nobody here. */
  ignored: z.int(),
  /** For a caller that waits: what the engine did with them. */
  run: z
    .object({
      outcome: z.enum(['written', 'no_change', 'skipped', 'statement_locked', 'failed', 'pending']),
      eventsWritten: z.int(),
      eventsReversed: z.int(),
      statementLocked: z.boolean(),
      skipped: z.int(),
      blocked: blockedChanges.optional(),
    })
    .optional(),
});
export type DeliveryAnswer = z.input<typeof deliveryAnswer>;

/** One answer for every delivery that does not prove its sender: what was wrong is not told. */
export function badSignature(): Failure {
  return new Failure('bad_signature', 'The signature is not that of a sender known here.');
}

/** What is kept of a hint; its reading is {@link readHint}. */
export function newsOf(source: NewsSource, route: string, hint: CrmHint): News {
  const { dealId, change, occurredAt, key, values } = hint;
  return {
    source,
    route,
    // The route is part of it: what one account calls its news says nothing about another's.
    key: idOf(`${source}|${route}|${key}`),
    subject: dealId,
    payload: { change, occurredAt: occurredAt?.toISOString() ?? null, values },
  };
}

const kept = z.object({
  change: z.enum(['changed', 'deleted']),
  occurredAt: z.string().nullable(),
  values: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
});
export type KeptHint = Omit<z.infer<typeof kept>, 'occurredAt'> & { readonly occurredAt: Date | null };

export function readHint(payload: unknown): KeptHint {
  const { occurredAt, ...hint } = kept.parse(payload);
  return { ...hint, occurredAt: occurredAt === null ? null : new Date(occurredAt) };
}
