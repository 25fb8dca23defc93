import { isRefundKey } from '../../engine/clawback.js';
import { type RepResult } from '../../engine/model.js';
import { type Day, type DayRange, isWithin } from '../../kernel/day.js';
import { Decimal } from '../../kernel/decimal.js';
import { getOrInsert } from '../../kernel/get-or-insert.js';
import { type Period, toPeriod } from '../../kernel/period.js';
import { type Counter } from '../output/affected-totals.js';
import { type Difference } from '../output/difference.js';
import { type KnownTotals, type MonthChange } from '../output/totals.js';
import { type LedgerRow } from './ledger-rows.js';
import { widenToPeriods } from './load-window.js';
import { type LoadedRepInput } from './rep-input.js';
import { calendarOf, hasRule, type InCalendar, type RepTerms } from './rep-terms.js';

/**
 * The totals after a run of a shortened window, which has loaded every event from its first day on. Null if events before
 * this day change too, or if a month or one of its periods may have lost its last event.
 */
export function computeKnownTotals(
  terms: Pick<RepTerms, 'repId' | 'versions'> & InCalendar,
  { carried, stored, window }: Pick<LoadedRepInput, 'carried' | 'stored' | 'window'>,
  { credits }: Pick<RepResult, 'credits'>,
  { writes, reversals }: Difference,
): KnownTotals | null {
  if (carried === undefined) return null;
  const gone = [...reversals, ...writes.flatMap(({ before }) => (before?.status === 'earned' ? [before] : []))];
  const added = writes.map(({ decision }) => decision);
  const touched = new Set([...gone, ...added].map(({ earnedOn }) => toPeriod(earnedOn, 'monthly')));
  const isTouched = ({ earnedOn }: LedgerRow) => touched.has(toPeriod(earnedOn, 'monthly'));
  if (stored.some((row) => row.earnedOn < window.from && isTouched(row))) return null;
  const before = stored.filter((row) => row.status === 'earned' && isTouched(row));
  const goneIds = new Set(gone.map(({ eventId }) => eventId));
  const sums = [
    sumByMonth(before),
    sumByMonth([...before.filter(({ eventId }) => !goneIds.has(eventId)), ...added]),
  ] as const;
  const months = monthChanges(terms.repId, ...sums);
  if (months === null) return null;
  // The events after the last day of the window, if it is not the end of a period, are not known.
  const changes =
    window.to < widenToPeriods(terms, { from: window.to, to: window.to }).to
      ? creditChanges({ writes, reversals })
      : null;
  if (changes !== null)
    return {
      findCredit: () => null,
      findCreditChange: (counter) => changes.get(counterKey(counter)) ?? Decimal.zero,
      months,
    };
  const findCredit = (counter: Counter) => credits.get(counterKey(counter)) ?? null;
  return { findCredit, findCreditChange: () => null, months };
}

function counterKey({ planId, attainmentKey, period }: Counter): string {
  return `${planId}|${attainmentKey}|${period}`;
}

/** Computes by how much the run changes the credit under each key. Rows outside the window that it takes over are not known. */
function creditChanges(difference: Difference): ReadonlyMap<string, Decimal> {
  return sumChanges(difference, (row) => ({ key: counterKey(row), amount: row.credit }));
}

/**
 * The last day of the periods for which the run changed a sum with which the days after the window begin: the credit under
 * a key, or what a rule with a cap has paid. Null if it changed none.
 */
export function movesUntil(
  terms: Pick<RepTerms, 'versions'> & InCalendar,
  window: DayRange,
  difference: Difference,
): Day | null {
  const isInside = ({ earnedOn }: { readonly earnedOn: Day }) => isWithin(earnedOn, window);
  const within: Difference = {
    writes: difference.writes.map((write) =>
      write.before === null || isInside(write.before) ? write : { ...write, before: null },
    ),
    reversals: difference.reversals.filter(isInside),
  };
  const calendar = calendarOf(terms);
  const ends = new Map<string, Day>();
  const open = (key: string, { period }: Counter, amount: string | Decimal) => {
    const to = calendar.findRange(period)?.to;
    if (to === undefined || to <= window.to) return null;
    ends.set(key, to);
    return { key, amount };
  };
  const credits = sumChanges(within, (row) => open(counterKey(row), row, row.credit));
  const paid = hasRule(terms, ({ cap }) => cap !== undefined)
    ? sumChanges(within, (row) => open(`paid|${row.planId}|${row.ruleName}|${row.period}`, row, row.amount))
    : [];
  const moved = [...credits, ...paid].filter(([, change]) => !change.isZero());
  return moved.map(([key]) => ends.get(key) as Day).reduce<Day | null>((a, b) => (a === null || b > a ? b : a), null);
}

type Counted = Counter & {
  readonly ruleName: string;
  readonly credit: string | Decimal;
  readonly amount: string | Decimal;
};

function sumChanges(
  { writes, reversals }: Difference,
  toAmount: (row: Counted) => { readonly key: string; readonly amount: string | Decimal } | null,
): ReadonlyMap<string, Decimal> {
  const changes = new Map<string, Decimal>();
  const add = (row: Counted, isGone: boolean) => {
    const counted = toAmount(row);
    if (counted === null) return;
    const amount = Decimal.of(counted.amount);
    const before = changes.get(counted.key) ?? Decimal.zero;
    changes.set(counted.key, isGone ? before.minus(amount) : before.plus(amount));
  };
  for (const { before, decision } of writes) {
    if (before?.status === 'earned') add(before, true);
    add(decision, false);
  }
  for (const row of reversals) add(row, true);
  return changes;
}

/** The properties that rows and decisions share. */
interface Earned {
  readonly earnedOn: Day;
  readonly currency: string;
  readonly category: string;
  readonly phase: string;
  readonly period: Period;
  readonly dealKey: string;
  readonly amount: string | Decimal;
}

interface MonthSums {
  readonly month: Period;
  readonly currency: string;
  commission: Decimal;
  bonus: Decimal;
  readonly deals: Set<string>;
  readonly periods: Set<Period>;
}

function sumByMonth(rows: readonly Earned[]): ReadonlyMap<string, MonthSums> {
  const months = new Map<string, MonthSums>();
  for (const { earnedOn, currency, category, phase, period, dealKey, amount } of rows) {
    const month = toPeriod(earnedOn, 'monthly');
    const sums = getOrInsert(months, `${month}|${currency}`, () => emptySums(month, currency));
    if (category === 'bonus') sums.bonus = sums.bonus.plus(Decimal.of(amount));
    else sums.commission = sums.commission.plus(Decimal.of(amount));
    if (phase === 'per_deal' && !isRefundKey(dealKey)) sums.deals.add(dealKey);
    sums.periods.add(period);
  }
  return months;
}

function emptySums(month: Period, currency: string): MonthSums {
  return { month, currency, commission: Decimal.zero, bonus: Decimal.zero, deals: new Set(), periods: new Set() };
}

function monthChanges(
  repId: string,
  before: ReadonlyMap<string, MonthSums>,
  after: ReadonlyMap<string, MonthSums>,
): MonthChange[] | null {
  for (const [key, { periods }] of before)
    if ([...periods].some((period) => after.get(key)?.periods.has(period) !== true)) return null;
  return [...after].map(([key, { month, currency, commission, bonus, deals, periods }]) => {
    const old = before.get(key) ?? emptySums(month, currency);
    return {
      repId,
      month,
      currency,
      commission: commission.minus(old.commission),
      bonus: bonus.minus(old.bonus),
      deals: deals.size - old.deals.size,
      periods: [...periods].sort(),
    };
  });
}
