import { addDays, addMonths, countDays, type Day } from '../kernel/day.js';
import { Decimal, maximum, minimum, sum } from '../kernel/decimal.js';
import { nextPeriod, periodRange, previousPeriod } from '../kernel/period.js';
import { listMonths, type Month, monthOf } from './month.js';

export const conventions = ['full_month', 'next_month', 'daily'] as const;

/** How the cost of a lot is spread. */
interface LotTerms {
  readonly earnedOn: Day;
  readonly months: number;
  readonly convention: (typeof conventions)[number];
  /** Decimal places of the currency. */
  readonly digits: number;
}

/** A part of the deal that ends on a day: `ended` of `of`. */
export interface EndedPart {
  readonly day: Day;
  readonly ended: Decimal;
  readonly of: Decimal;
}

/** What a row takes back of the lot, as a positive amount. */
interface TakenBack {
  readonly key: string;
  readonly day: Day;
  readonly amount: Decimal;
}

/** A lot with everything that happens to it. */
export interface Lot {
  readonly terms: LotTerms;
  /** In the currency of the entity; not negative. */
  readonly cost: Decimal;
  /** The cost that closed months keep, by month, if corrections are spread over what is left. */
  readonly kept?: ReadonlyMap<Month, Decimal>;
  readonly ends: readonly EndedPart[];
  readonly takenBack: readonly TakenBack[];
}

/** What happens to the asset in a month; all amounts lower it. */
export interface LotMonth {
  readonly month: Month;
  readonly amortised: Decimal;
  /** By the key of the row that takes back. */
  readonly clawedBack: ReadonlyMap<string, Decimal>;
  /** What ends without being taken back. */
  readonly impaired: Decimal;
  readonly carrying: Decimal;
}

/** What is spread since the end of a month: an amount, and what had passed and ended of the lot by then. */
interface Basis {
  readonly amount: Decimal;
  readonly passed: number;
  readonly living: Fraction;
}

interface Fraction {
  readonly left: Decimal;
  readonly of: Decimal;
}

/**
 * The life of a lot until the month. Its present cost counts as if it had always been known, or closed months keep the
 * cost that they had. In each month the living part is amortised first, then the share that is refunded ends.
 */
export function replayLot(lot: Lot, until: Month): LotMonth[] {
  return replay(lot, until).months;
}

function replay(lot: Lot, until: Month): { readonly months: LotMonth[]; readonly basis: Basis } {
  const { terms } = lot;
  const first = monthOf(terms.earnedOn);
  let cost = costIn(lot, first);
  let carrying = cost;
  let living = whole;
  let basis: Basis = { amount: cost, passed: 0, living };
  const months = listMonths(first, until).map((month): LotMonth => {
    const change = costIn(lot, month).minus(cost);
    const added = partOf(change, living, terms.digits);
    cost = cost.plus(change);
    carrying = carrying.plus(added);
    if (!change.isZero()) basis = respread(terms, { amount: carrying, month, living });
    const amortised = carrying.minus(carryingOf(terms, basis, { month, living }));
    living = livingPart(lot, month);
    const after = carryingOf(terms, basis, { month, living });
    const ended = carrying.minus(amortised).minus(after);
    carrying = after;
    const clawedBack = divideEnded(ended, lot, month);
    const impaired = ended.minus(sum(clawedBack.values())).plus(change).minus(added);
    return { month, amortised, clawedBack, impaired, carrying };
  });
  return { months, basis };
}

function costIn({ cost, kept }: Lot, month: Month): Decimal {
  return kept?.get(month) ?? cost;
}

/** From the month on, the amount is spread over the units that are left. What is below zero is taken at once. */
function respread(
  terms: LotTerms,
  { amount, month, living }: { readonly amount: Decimal; readonly month: Month; readonly living: Fraction },
): Basis {
  const { passed } = countUnits(terms, previousPeriod(month));
  return { amount: maximum(amount, Decimal.zero), passed, living };
}

/** What is amortised in each month after the given one, as things are at its end. */
export function futureOf(lot: Lot, month: Month): { readonly month: Month; readonly amount: Decimal }[] {
  const { terms } = lot;
  if (month < monthOf(terms.earnedOn)) return [];
  const { basis } = replay(lot, month);
  const living = livingPart(lot, month);
  const future: { month: Month; amount: Decimal }[] = [];
  let carrying = carryingOf(terms, basis, { month, living });
  for (let next = nextPeriod(month); !carrying.isZero(); next = nextPeriod(next)) {
    const after = carryingOf(terms, basis, { month: next, living });
    future.push({ month: next, amount: carrying.minus(after) });
    carrying = after;
  }
  return future;
}

/** What rows take back of what ends in the month, one after the other. */
function divideEnded(ended: Decimal, { takenBack, terms }: Lot, month: Month): ReadonlyMap<string, Decimal> {
  let rest = ended;
  const first = monthOf(terms.earnedOn);
  const parts = takenBack
    .filter(({ day }) => (monthOf(day) < first ? first : monthOf(day)) === month)
    .map(({ key, amount }) => {
      const part = rest.sign() > 0 && amount.sign() > 0 ? minimum(rest, amount) : Decimal.zero;
      rest = rest.minus(part);
      return [key, part] as const;
    });
  return new Map(parts.filter(([, part]) => !part.isZero()));
}

const whole: Fraction = { left: Decimal.of(1), of: Decimal.of(1) };

/** The part of the deal that has not ended at the end of the month. */
function livingPart({ ends }: Lot, month: Month): Fraction {
  const { to } = periodRange(month);
  const ended = ends.filter(({ day }) => day <= to);
  const of = ended.at(-1)?.of;
  if (of === undefined) return whole;
  const left = of.minus(sum(ended.map((part) => part.ended)));
  return { left: left.sign() <= 0 ? Decimal.zero : left, of };
}

function partOf(amount: Decimal, { left, of }: Fraction, digits: number): Decimal {
  return left.equals(of) ? amount : amount.times(left).dividedBy(of).rounded(digits);
}

/** What is left of the basis at the end of the month. */
function carryingOf(
  terms: LotTerms,
  { amount, passed: before, living: then }: Basis,
  { month, living: now }: { readonly month: Month; readonly living: Fraction },
): Decimal {
  if (then.left.isZero()) return Decimal.zero;
  const share = { left: now.left.times(then.of), of: now.of.times(then.left) };
  const living = partOf(amount, share, terms.digits);
  const { passed, all } = countUnits(terms, month);
  if (all === before) return Decimal.zero;
  const spread = living.times(Decimal.of(passed - before)).dividedBy(Decimal.of(all - before));
  return living.minus(spread.rounded(terms.digits));
}

/** The units that have passed at the end of the month, of all. */
function countUnits({ earnedOn, months, convention }: LotTerms, month: Month): { passed: number; all: number } {
  if (convention === 'daily') {
    const all = countDays({ from: earnedOn, to: addDays(addMonths(earnedOn, months), -1) });
    return { passed: Math.min(all, countDays({ from: earnedOn, to: periodRange(month).to })), all };
  }
  const first = convention === 'full_month' ? previousPeriod(monthOf(earnedOn)) : monthOf(earnedOn);
  const passed = monthNumber(month) - monthNumber(first);
  return { passed: Math.max(0, Math.min(months, passed)), all: months };
}

function monthNumber(month: Month): number {
  return Number(month.slice(0, 4)) * 12 + Number(month.slice(5));
}
