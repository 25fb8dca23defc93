import { type PayoutTerms } from '../../engine/plan-config.js';
import { addDays, addMonths, type Day, latestDay } from '../../kernel/day.js';
import { Decimal, sum } from '../../kernel/decimal.js';
import { add, divide, type Fraction, isNone, isWhole, nothing, weightedMean, whole } from './fraction.js';

/** A payment of the customer, net of tax. */
export interface Payment {
  readonly day: Day;
  readonly net: Fraction;
}

/** What decides how much of a deal is released. Amounts are in the currency of the deal. */
export interface DealFacts {
  /** The amount from which the counted row was calculated; null if the deal has none. */
  readonly amount: Decimal | null;
  readonly refunds: readonly { readonly day: Day; readonly amount: Decimal }[];
  readonly payments: readonly Payment[];
}

/**
 * A part of an event, as a share of the weights of all parts. A part without a day waits for one: that of the date of the
 * deal whose slug it names.
 */
export type SchedulePart =
  | { readonly on: 'day'; readonly weight: Decimal; readonly day: Day | null; readonly date: string }
  | { readonly on: 'paid' | 'paid_in_full'; readonly weight: Decimal; readonly offsetDays: number };

/** What decides the share of an event that is released. */
export type ShareTerms =
  | { readonly kind: 'whole' }
  | { readonly kind: 'schedule'; readonly parts: readonly SchedulePart[]; readonly deal: DealFacts }
  | {
      readonly kind: 'inputs';
      readonly inputs: readonly { readonly amount: Decimal; readonly share: ShareTerms }[];
    };

/** The parts of an event that closed on the day. `readDate` reads a date of its deal. */
export function scheduleParts(
  payout: PayoutTerms | undefined,
  closeDay: Day,
  readDate: (slug: string) => Day | null,
): SchedulePart[] {
  if (payout === undefined) return [{ on: 'day', weight: Decimal.one, day: closeDay, date: 'close' }];
  if ('parts' in payout)
    return Array.from({ length: payout.parts }, (_, index) => ({
      on: 'day',
      weight: Decimal.one,
      day: addMonths(closeDay, index * payout.everyMonths),
      date: 'close',
    }));
  return payout.schedule.map(({ on, percent, offsetDays = 0 }) => {
    const weight = Decimal.of(percent);
    if (on === 'paid' || on === 'paid_in_full') return { on, weight, offsetDays };
    const day = on === 'close' ? closeDay : readDate(on);
    return { on: 'day', weight, day: day === null ? null : addDays(day, offsetDays), date: on };
  });
}

/** The share of the event that is released on the day, from 0 to 1. */
export function computeShare(terms: ShareTerms, day: Day): Fraction {
  if (terms.kind === 'whole') return whole;
  if (terms.kind === 'inputs')
    return (
      weightedMean(
        terms.inputs.map(({ amount, share }) => ({ weight: amount.absolute(), fraction: computeShare(share, day) })),
      ) ?? whole
    );
  const { parts, deal } = terms;
  if (deal.amount !== null && deal.amount.sign() <= 0) return whole;
  const [only, another] = parts;
  if (only !== undefined && another === undefined && only.weight.sign() > 0) return computePart(only, deal, day);
  return weightedMean(parts.map((part) => ({ weight: part.weight, fraction: computePart(part, deal, day) }))) ?? whole;
}

/** The share of the part that is released on the day. */
function computePart(part: SchedulePart, deal: DealFacts, day: Day): Fraction {
  if (part.on === 'day') return part.day !== null && part.day <= day ? whole : nothing;
  const paid = computePaidShare(deal, day, part.offsetDays);
  if (part.on === 'paid') return paid;
  return isWhole(paid) ? whole : nothing;
}

/**
 * What the customer has paid of the deal, by what refunds have left of it. A deal of which nothing is left is measured in
 * full.
 */
function computePaidShare({ amount, refunds, payments }: DealFacts, day: Day, offsetDays: number): Fraction {
  if (amount === null) return whole;
  const paid = payments
    .filter((payment) => addDays(payment.day, offsetDays) <= day)
    .map(({ net }) => net)
    .reduce(add, nothing);
  if (isNone(paid)) return nothing;
  const refunded = sum(refunds.filter((refund) => refund.day <= day).map((refund) => refund.amount));
  const left = amount.minus(refunded);
  const share = divide(paid, left.sign() > 0 ? left : amount);
  return isWhole(share) ? whole : share;
}

/** The last day that is known to release something; null if there is none. */
export function findLastRelease(terms: ShareTerms): Day | null {
  if (terms.kind === 'whole') return null;
  const days =
    terms.kind === 'inputs'
      ? terms.inputs.flatMap(({ share }) => findLastRelease(share) ?? [])
      : terms.parts.flatMap((part) => listReleaseDays(part, terms.deal));
  return days.reduce<Day | null>((last, day) => (last === null || day > last ? day : last), null);
}

function listReleaseDays(part: SchedulePart, { payments }: DealFacts): Day[] {
  if (part.on === 'day') return part.day === null ? [] : [part.day];
  return payments.map(({ day }) => addDays(day, part.offsetDays));
}

/** What a part of an event waits for on a day. */
export interface Wait {
  readonly because: 'customer_not_paid' | 'date_not_reached';
  /** `paid`, `paid_in_full`, `close`, or the slug of a date of the deal. */
  readonly on: string;
  /** The day on which the part is released; null if it is not known. */
  readonly expectedOn: Day | null;
}

/** What is not released waits for these, the earliest day first. */
export function listWaits(terms: ShareTerms, day: Day): Wait[] {
  if (terms.kind === 'whole') return [];
  const waits =
    terms.kind === 'inputs'
      ? terms.inputs.flatMap(({ share }) => listWaits(share, day))
      : terms.parts.filter((part) => !isWhole(computePart(part, terms.deal, day))).map(toWait);
  const distinct = new Map(waits.map((wait) => [`${wait.on}|${wait.expectedOn}`, wait]));
  const order = ({ expectedOn }: Wait) => expectedOn ?? latestDay;
  return [...distinct.values()].sort((a, b) => (order(a) < order(b) ? -1 : 1));
}

function toWait(part: SchedulePart): Wait {
  return part.on === 'day'
    ? { because: 'date_not_reached', on: part.date, expectedOn: part.day }
    : { because: 'customer_not_paid', on: part.on, expectedOn: null };
}
