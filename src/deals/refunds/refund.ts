import { z } from 'zod';
import { fields } from '../../api/resource-fields.js';
import { type Refund, refundCauses } from '../../engine/clawback.js';
import { Decimal } from '../../kernel/decimal.js';
import { Failure } from '../../kernel/failure.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { day, money, text, uuid } from '../../platform/operations/schemas.js';
import { dealId } from '../deal.js';

const amount = money
  .refine((value) => Number(value.toFixed(4)) === value, 'must have at most 4 decimals')
  .refine((value) => value > 0, 'must be more than 0');

const reason = z.string().trim().max(1000).describe('Why, for those who read it later');

/** The lines that a refund gives back, in place of an amount. */
export const refundedLines = z
  .array(
    z
      .strictObject({
        lineId: text(200).describe('Id of the line'),
        amount: amount
          .nullable()
          .default(null)
          .describe('Amount in the currency of the line; null for all that earlier refunds left of it'),
      })
      .describe('A line, or a part of it'),
  )
  .min(1)
  .max(500)
  .refine((lines) => new Set(lines.map(({ lineId }) => lineId)).size === lines.length, 'must not repeat a line')
  .describe('The lines of the deal that are given back, in place of amount');

/** The terms of a refund in requests. */
export const refundTerms = z.strictObject({
  day: day.describe('Day of the refund, YYYY-MM-DD: commission is taken back in its period'),
  cause: z
    .enum(refundCauses)
    .describe('cancellation: the customer has cancelled; refund: money was returned; non_payment: it was never paid'),
  amount: amount
    .nullable()
    .default(null)
    .describe('Amount in the currency of the deal; null for all that earlier refunds left'),
  lines: refundedLines.optional(),
  reason: reason.default(''),
});
export type RefundTerms = z.output<typeof refundTerms>;

export const keptPercent = z
  .number()
  .min(0)
  .max(100)
  .refine((value) => Number(value.toFixed(6)) === value, 'must have at most 6 decimals');

/** What a person keeps, in requests; null takes the waiver back. */
export const waiverTerms = z.strictObject({
  repId: uuid.nullable().default(null).describe('Id of the rep (UUID); null for everyone without a separate waiver'),
  percent: keptPercent
    .nullable()
    .describe(
      'What they keep of what would be taken back, in percent; 0 excepts a person from a waiver for everyone, null takes the waiver back',
    ),
  reason: text(1000).describe('Why the person keeps it'),
});
export type WaiverTerms = z.output<typeof waiverTerms>;

export const refund = z
  .object({
    dealId: fields.dealId,
    refundId: z.string().describe('Id of the refund'),
    ...refundTerms.shape,
    waivers: z
      .array(
        z
          .object({
            repId: z.string().nullable().describe('Id of the rep (UUID); null for everyone without a separate waiver'),
            repName: z.string().nullable().describe('Name of the rep; null for everyone without a separate waiver'),
            percent: z.number().describe('What they keep of what would be taken back, in percent'),
            reason: z.string().describe('Why the person keeps it'),
          })
          .describe('What a person keeps'),
      )
      .describe('What people keep'),
    updatedAt: fields.updatedAt,
  })
  .describe('What the customer of a deal got back, or never paid');
export type StoredRefund = z.output<typeof refund>;

/** The refund as the engine reads it. */
export function toFact({ refundId, day: onDay, cause, amount: refunded, lines, waivers }: StoredRefund): Refund {
  return {
    ...(lines === undefined ? {} : { lines: toLineFacts(lines) }),
    refundId,
    day: onDay,
    cause,
    amount: refunded === null ? null : String(refunded),
    waivers: waivers.map(({ repId, percent: kept }) => ({ repId, percent: String(kept) })),
  };
}

/** Amounts are decimal texts, as the engine reads them. */
export function toLineFacts(lines: z.output<typeof refundedLines>): NonNullable<Refund['lines']> {
  return lines.map(({ lineId, amount: ofLine }) => ({ lineId, amount: ofLine === null ? null : String(ofLine) }));
}

export const refundId = text(200)
  .refine((id) => !id.includes(':'), 'must have no colon')
  .describe('Id of the refund, without a colon');

export const dealParams = z.strictObject({ dealId: dealId.describe('Id of the deal in the CRM') });
export const refundParams = dealParams.extend({ refundId });
export type RefundKey = z.output<typeof refundParams>;

/** Why the amount cannot be refunded of a deal with the given amount; null if it can. */
export function amountProblem(ofDeal: Decimal | null, amount: number | null): string | null {
  if (ofDeal === null) return amount === null ? null : 'the deal has no amount; leave it out to refund the whole deal';
  if (ofDeal.sign() < 0) return 'The amount of the deal is negative, so there is nothing to refund.';
  if (amount === null || !ofDeal.isLessThan(Decimal.of(amount))) return null;
  return `The amount of the deal is ${ofDeal}; a refund cannot be more.`;
}

export function refundNotFound(): Failure {
  return new Failure('refund_not_found', 'The deal has no such refund.');
}

export const refundExample = {
  dealId: sampleIds.dealId,
  refundId: 'R-1',
  day: '2026-04-20',
  cause: 'cancellation',
  amount: null,
  reason: 'The customer cancelled',
  waivers: [],
  updatedAt: '2026-04-20T08:00:00.000Z',
} as const;
