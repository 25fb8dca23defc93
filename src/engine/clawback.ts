import { z } from 'zod';
import { countDays, type Day } from '../kernel/day.js';
import { Decimal } from '../kernel/decimal.js';
import { type Issue } from '../kernel/failure.js';

export const refundCauses = ['cancellation', 'refund', 'non_payment'] as const;
export type RefundCause = (typeof refundCauses)[number];

/** What a person keeps of what a refund would take back. */
interface Waiver {
  /** Null for everyone without a separate waiver. */
  readonly repId: string | null;
  /** The percentage that is kept. */
  readonly percent: string;
}

/** Money that a customer of a deal got back, or never paid. */
export interface Refund {
  readonly refundId: string;
  readonly day: Day;
  readonly cause: RefundCause;
  /** In the currency of the deal; null for all that earlier refunds left. */
  readonly amount: string | null;
  /** The lines that it gives back, each in part or, with null, all that earlier refunds left of it. */
  readonly lines?: readonly { readonly lineId: string; readonly amount: string | null }[];
  readonly waivers: readonly Waiver[];
}

/** What a refund takes back of what a rule has paid on its deal. */
export interface ClawbackPolicy {
  readonly window?: { readonly from?: string | undefined; readonly days?: number | undefined } | undefined;
  readonly steps?: readonly { readonly untilDay: number; readonly percent: number }[] | undefined;
  readonly declining?: true | undefined;
  readonly credit?: 'refund_period' | 'none' | undefined;
  readonly causes?: readonly RefundCause[] | undefined;
}

const maxDays = 36_500;

const step = z
  .strictObject({
    untilDay: z.int().min(0).max(maxDays).describe('Last day of the step, counted from the day of the window'),
    percent: z.number().min(0).max(100).describe('What is taken back until then, in percent'),
  })
  .describe('A part of the window');

export const clawbackPolicy = z
  .strictObject({
    window: z
      .strictObject({
        from: z
          .string()
          .trim()
          .min(1)
          .max(200)
          .optional()
          .describe(
            'Day from which the days count: close_date, which is the default, or the slug of a date of the deal; a deal without this date counts from its close date',
          ),
        days: z.int().min(1).max(maxDays).optional().describe('Number of days; a later refund takes nothing back'),
      })
      .optional()
      .describe('How long a refund takes something back; without a limit when absent'),
    steps: z
      .array(step)
      .min(1)
      .max(50)
      .optional()
      .describe('What is taken back, by the days that have passed; the last step ends the window'),
    declining: z
      .literal(true)
      .optional()
      .describe('true: what is taken back falls with every day, to nothing on the last day of the window'),
    credit: z
      .enum(['refund_period', 'none'])
      .optional()
      .describe(
        'refund_period, which is the default: the quota of the period of the refund loses the credit; none: no quota does',
      ),
    causes: z
      .array(z.enum(refundCauses))
      .min(1)
      .max(refundCauses.length)
      .refine((causes) => new Set(causes).size === causes.length, 'must not repeat a cause')
      .optional()
      .describe('Causes of refunds that take something back; all when absent'),
  })
  .describe('What the refund of a deal takes back of its commission');

/** Why the policy has no meaning, each with the field of it. */
export function* policyProblems({ window, steps, declining }: ClawbackPolicy): Generator<Issue> {
  if (steps !== undefined && declining === true) yield { path: 'declining', message: 'cannot be combined with steps' };
  if (declining === true && window?.days === undefined)
    yield { path: 'window.days', message: 'is required with declining' };
  for (const [index, { untilDay }] of (steps ?? []).entries())
    if (index > 0 && untilDay <= (steps?.[index - 1]?.untilDay ?? 0))
      yield { path: `steps.${index}.untilDay`, message: 'must be later than that of the step before' };
}

/** The days from the window's day to that of the refund. */
export function elapsedDays(from: Day, to: Day): number {
  return to <= from ? 0 : countDays({ from, to }) - 1;
}

/** Quotients of refunds keep so many decimals until they are rounded. */
const quotientPlaces = 40;

export function quotient(numerator: Decimal, denominator: Decimal): Decimal {
  if (denominator.equals(Decimal.one)) return numerator;
  return numerator.dividedBy(denominator, quotientPlaces + 4).rounded(quotientPlaces);
}

/** The part of the commission that is taken back after so many days; null after the end of the window. */
export function shareTakenBack({ window, steps, declining }: ClawbackPolicy, elapsed: number): Decimal | null {
  const days = window?.days;
  if (days !== undefined && elapsed > days) return null;
  if (declining === true && days !== undefined) return quotient(Decimal.of(days - elapsed), Decimal.of(days));
  if (steps === undefined) return Decimal.one;
  const reached = steps.find(({ untilDay }) => elapsed <= untilDay);
  return reached === undefined ? null : percentOf(reached.percent);
}

/** The part of what a refund would take back that the person keeps. */
export function waivedShare({ waivers }: Refund, repId: string, inherits: boolean): Decimal {
  const own = waivers.find((waiver) => waiver.repId === repId);
  const waiver = own ?? (inherits ? waivers.find((other) => other.repId === null) : undefined);
  return waiver === undefined ? Decimal.zero : percentOf(waiver.percent);
}

function percentOf(percent: string | number): Decimal {
  return Decimal.of(percent).times(Decimal.of('0.01'));
}

/** Refunds count in this order. */
export function inOrder(refunds: readonly Refund[]): readonly Refund[] {
  return refunds.toSorted((a, b) => compareText(a.day, b.day) || compareText(a.refundId, b.refundId));
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

const prefix = 'refund:';

/** The deal key of the events of a refund. Ids of refunds have no colon. */
export function refundKey(dealId: string, refundId: string): string {
  return `${prefix}${dealId}:${refundId}`;
}

export function isRefundKey(dealKey: string): boolean {
  return dealKey.startsWith(prefix);
}

/** The deal and the refund of a key; null for the key of a deal or a period. */
export function parseRefundKey(dealKey: string): { readonly dealId: string; readonly refundId: string } | null {
  const end = dealKey.lastIndexOf(':');
  if (!isRefundKey(dealKey) || end < prefix.length) return null;
  return { dealId: dealKey.slice(prefix.length, end), refundId: dealKey.slice(end + 1) };
}

/** The deal that the key of a deal or of its refund belongs to. */
export function dealOfKey(dealKey: string): string {
  return parseRefundKey(dealKey)?.dealId ?? dealKey;
}
