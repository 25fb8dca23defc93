import { roundToCurrency } from '../../kernel/currency.js';
import { countDays, type Day, type DayRange, intersection } from '../../kernel/day.js';
import { Decimal, maximum, minimum, sum } from '../../kernel/decimal.js';
import { money } from '../../kernel/money-text.js';

/** A guarantee or an advance of a person. */
export interface DrawTerms {
  readonly drawId: string;
  readonly kind: 'guarantee' | 'advance';
  readonly recoverable: boolean;
  /** For a whole pay period. */
  readonly amount: Decimal;
  readonly currency: string;
  readonly from: Day;
  readonly to: Day | null;
  readonly recovery: {
    readonly start: 'next_period' | 'after_end' | 'day';
    readonly day: Day | null;
    readonly maxPercent: Decimal;
    readonly forgiveOn: Day | null;
  };
}

/** A draw with what the person owes of it before a statement. */
interface OpenDraw {
  readonly terms: DrawTerms;
  readonly opening: Decimal;
}

/** What a statement grants, recovers or offsets of a draw, with the formula. */
export interface DrawLine {
  readonly terms: DrawTerms;
  readonly kind: 'draw' | 'draw_recovery' | 'draw_offset';
  /** What the statement pays; negative if it keeps. */
  readonly amount: Decimal;
  /** How the line changes what the person owes. */
  readonly change: Decimal;
  readonly formula: string;
}

/** The amount of the days of the draw in the period; zero outside of them. */
export function prorate({ amount, currency, from, to }: DrawTerms, range: DayRange): Decimal {
  const days = countDrawDays({ from, to }, range);
  const share = amount.times(Decimal.of(days)).dividedBy(Decimal.of(countDays(range)));
  return days === 0 ? Decimal.zero : roundToCurrency(share, currency);
}

function countDrawDays({ from, to }: Pick<DrawTerms, 'from' | 'to'>, range: DayRange): number {
  const days = intersection({ from, to: to ?? range.to }, range);
  return days.from > days.to ? 0 : countDays(days);
}

/** What all guarantees of the period promise. */
export function sumGuarantees(draws: readonly DrawTerms[], range: DayRange): Decimal {
  return sum(draws.filter(({ kind }) => kind === 'guarantee').map((draw) => prorate(draw, range)));
}

/** The part of the top-up that each guarantee pays, in the order of their days: at most its own part of the promise. */
function splitTopUp(draws: readonly DrawTerms[], range: DayRange, released: Decimal): ReadonlyMap<string, Decimal> {
  let left = maximum(sumGuarantees(draws, range).minus(released), Decimal.zero);
  const parts = draws
    .filter(({ kind }) => kind === 'guarantee')
    .map((draw): [string, Decimal] => {
      const part = minimum(left, prorate(draw, range));
      left = left.minus(part);
      return [draw.drawId, part];
    });
  return new Map(parts);
}

interface StatementDraws {
  readonly currency: string;
  readonly range: DayRange;
  /** In the order of their first days. */
  readonly draws: readonly OpenDraw[];
  readonly released: Decimal;
  /** What the balance has recovered from what is released. */
  readonly recovered: Decimal;
}

/** What the statement of the days grants of its draws and recovers of them, in one currency. */
export function computeDraws({ currency, range, draws, released, recovered }: StatementDraws): DrawLine[] {
  const terms = draws.map((draw) => draw.terms);
  const guaranteed = sumGuarantees(terms, range);
  const topUps = splitTopUp(terms, range, released);
  const granted = terms.flatMap((draw) => toGranted(draw, range, topUps.get(draw.drawId), { guaranteed, released }));
  let taken = recovered;
  const repaid = draws.flatMap((draw) => {
    const limit = roundToCurrency(released.times(draw.terms.recovery.maxPercent).dividedBy(Decimal.of(100)), currency);
    const left = maximum(released.minus(guaranteed), Decimal.zero).minus(taken);
    const amount = maximum(minimum(minimum(draw.opening, left), limit.minus(taken)), Decimal.zero);
    if (amount.isZero() || !isRecovered(draw.terms, range)) return [];
    taken = taken.plus(amount);
    const formula = recoveryWords(draw, { amount, released, guaranteed, kept: taken.minus(amount) });
    const kind = 'draw_recovery' as const;
    return [{ terms: draw.terms, kind, amount: amount.negated(), change: amount.negated(), formula }];
  });
  return [...granted, ...repaid];
}

/** In words, how much of what is owed the statement keeps. */
function recoveryWords(
  { terms, opening }: OpenDraw,
  { amount, released, guaranteed, kept }: Record<'amount' | 'released' | 'guaranteed' | 'kept', Decimal>,
): string {
  const text = (value: Decimal) => money(value, terms.currency);
  const parts = [
    `owed ${text(opening)}`,
    `released ${text(released)}, of which at most ${terms.recovery.maxPercent.toString()}% is kept`,
    ...(guaranteed.isZero() ? [] : [`guaranteed ${text(guaranteed)}`]),
    ...(kept.isZero() ? [] : [`kept before ${text(kept)}`]),
    `repaid ${text(amount)}`,
  ];
  return parts.join(', ');
}

function toGranted(
  draw: DrawTerms,
  range: DayRange,
  topUp: Decimal | undefined,
  { guaranteed, released }: { readonly guaranteed: Decimal; readonly released: Decimal },
): DrawLine[] {
  const promised = prorate(draw, range);
  const amount = topUp ?? promised;
  if (amount.isZero()) return [];
  const text = (value: Decimal) => money(value, draw.currency);
  const days = `${countDrawDays(draw, range)} of ${countDays(range)} days of ${text(draw.amount)}`;
  const others = guaranteed.equals(promised) ? '' : `, with other guarantees ${text(guaranteed)}`;
  const formula =
    topUp === undefined
      ? `advance ${text(promised)} (${days})`
      : `guaranteed ${text(promised)} (${days})${others}, released ${text(released)}, topped up ${text(amount)}`;
  return [{ terms: draw, kind: 'draw', amount, change: isOwed(draw, range) ? amount : Decimal.zero, formula }];
}

/** Whether what is granted in the period is to be paid back. */
function isOwed({ recoverable, recovery: { forgiveOn } }: DrawTerms, { to }: { readonly to: Day }): boolean {
  return recoverable && (forgiveOn === null || forgiveOn > to);
}

/** Whether the recovery of the draw has begun. */
function isRecovered({ to, recovery: { start, day } }: DrawTerms, range: DayRange): boolean {
  if (start === 'after_end') return to !== null && range.from > to;
  return start === 'next_period' || (day !== null && day <= range.to);
}

/** What the period has granted of a guarantee with its offsets, and what the person owes of the draw. */
export interface GrantedDraw {
  readonly terms: DrawTerms;
  readonly granted: Decimal;
  readonly open: Decimal;
}

/**
 * How a correction of a guaranteed period changes the top-ups. Of a recoverable draw at most the open balance is offset, so
 * that what was repaid is not taken twice.
 */
export function computeOffsets(
  draws: readonly GrantedDraw[],
  range: DayRange,
  released: Decimal,
  paidUntil: Day,
): DrawLine[] {
  const topUps = splitTopUp(
    draws.map(({ terms }) => terms),
    range,
    maximum(released, Decimal.zero),
  );
  return draws.flatMap(({ terms, granted, open }) => {
    const topUp = topUps.get(terms.drawId);
    if (topUp === undefined) return [];
    const due = topUp.minus(granted);
    const amount = terms.recoverable ? maximum(due, open.negated()) : due;
    if (amount.isZero()) return [];
    const change = isOwed(terms, { to: paidUntil }) ? amount : Decimal.zero;
    const text = (value: Decimal) => money(value, terms.currency);
    const limit = amount.equals(due) ? '' : `, at most the open ${text(open)}`;
    const formula = `topped up ${text(topUp)} instead of ${text(granted)}${limit}`;
    return [{ terms, kind: 'draw_offset', amount, change, formula }];
  });
}
