import { type RepResult } from '../engine/model.js';
import { type Day } from '../kernel/day.js';
import { Decimal } from '../kernel/decimal.js';
import { getOrInsert } from '../kernel/get-or-insert.js';
import { type Period, periodOf } from '../kernel/period.js';
import { type Difference } from './difference.js';
import { type LedgerRow } from './ledger-rows.js';
import { type LoadedRepInput } from './rep-input.js';
import { type Counter, type KnownTotals, type MonthChange } from './totals.js';

/**
 * The totals after a run of a shortened window, which has loaded every event from its first day on. Null if events before
 * this day change too, or if a month or one of its periods may have lost its last event.
 */
export function knownTotals(
  repId: string,
  { carried, stored, window }: Pick<LoadedRepInput, 'carried' | 'stored' | 'window'>,
  { credits }: Pick<RepResult, 'credits'>,
  { writes, reversals }: Difference,
): KnownTotals | null {
  if (carried === undefined) return null;
  const gone = [...reversals, ...writes.flatMap(({ before }) => (before?.status === 'earned' ? [before] : []))];
  const added = writes.map(({ decision }) => decision);
  const touched = new Set([...gone, ...added].map(({ earnedOn }) => periodOf(earnedOn, 'monthly')));
  const isTouched = ({ earnedOn }: LedgerRow) => touched.has(periodOf(earnedOn, 'monthly'));
  if (stored.some((row) => row.earnedOn < window.from && isTouched(row))) return null;
  const before = stored.filter((row) => row.status === 'earned' && isTouched(row));
  const goneIds = new Set(gone.map(({ eventId }) => eventId));
  const sums = [
    monthsOf(before),
    monthsOf([...before.filter(({ eventId }) => !goneIds.has(eventId)), ...added]),
  ] as const;
  const months = monthChanges(repId, ...sums);
  if (months === null) return null;
  const creditOf = ({ planId, attainmentKey, period }: Counter) =>
    credits.get(`${planId}|${attainmentKey}|${period}`) ?? null;
  return { creditOf, months };
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

function monthsOf(rows: readonly Earned[]): ReadonlyMap<string, MonthSums> {
  const months = new Map<string, MonthSums>();
  for (const { earnedOn, currency, category, phase, period, dealKey, amount } of rows) {
    const month = periodOf(earnedOn, 'monthly');
    const sums = getOrInsert(months, `${month}|${currency}`, () => emptySums(month, currency));
    if (category === 'bonus') sums.bonus = sums.bonus.plus(Decimal.of(amount));
    else sums.commission = sums.commission.plus(Decimal.of(amount));
    if (phase === 'per_deal') sums.deals.add(dealKey);
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
