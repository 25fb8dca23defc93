import { addDays, addMonths, countDays, type Day } from '../kernel/day.js';
import { Decimal, minimum, sum } from '../kernel/decimal.js';
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

/**
 * The life of a lot until the month, as if its present cost had always been known. In each month the living part is
 * amortised first, then the share that is refunded ends.
 */
export function replayLot(lot: Lot, until: Month): LotMonth[] {
  const { terms, cost } = lot;
  const first = monthOf(terms.earnedOn);
  let living = cost;
  let carrying = cost;
  return listMonths(first, until).map((month): LotMonth => {
    const amortised = carrying.minus(carryingOf(terms, living, month));
    living = livingPart(lot, month);
    const after = carryingOf(terms, living, month);
    const ended = carrying.minus(amortised).minus(after);
    carrying = after;
    const clawedBack = divideEnded(ended, lot, month);
    return { month, amortised, clawedBack, impaired: ended.minus(sum(clawedBack.values())), carrying };
  });
}

/** What is amortised in each month after the given one, as things are at its end. */
export function futureOf(lot: Lot, month: Month): { readonly month: Month; readonly amount: Decimal }[] {
  const { terms } = lot;
  if (month < monthOf(terms.earnedOn)) return [];
  const living = livingPart(lot, month);
  const future: { month: Month; amount: Decimal }[] = [];
  let carrying = carryingOf(terms, living, month);
  for (let next = nextPeriod(month); !carrying.isZero(); next = nextPeriod(next)) {
    const after = carryingOf(terms, living, next);
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

/** What is left of the cost when the parts that have ended until the month are taken off. */
function livingPart({ cost, ends, terms: { digits } }: Lot, month: Month): Decimal {
  const { to } = periodRange(month);
  const ended = ends.filter(({ day }) => day <= to);
  const of = ended.at(-1)?.of;
  if (of === undefined) return cost;
  const left = of.minus(sum(ended.map((part) => part.ended)));
  return left.sign() <= 0 ? Decimal.zero : cost.times(left).dividedBy(of).rounded(digits);
}

function carryingOf(terms: LotTerms, living: Decimal, month: Month): Decimal {
  const { passed, all } = countUnits(terms, month);
  return living.minus(living.times(Decimal.of(passed)).dividedBy(Decimal.of(all)).rounded(terms.digits));
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
