import { currencyDigits } from '../kernel/currency.js';
import { isWithin } from '../kernel/day.js';
import { Decimal, maximum } from '../kernel/decimal.js';
import { type PeriodCalendar } from '../kernel/period-calendar.js';
import { refundedDeal } from '../pay/payables/pay-groups.js';
import { type PayableRow } from '../pay/payables/payable-rows.js';
import { type BookCalendar } from './book-calendar.js';
import { divideByWeights } from './divide-by-weights.js';
import { findPolicy, type StoredPolicy } from './policy.js';

/**
 * The rows, with those of periods by deal where their policy says so. All rows of the person say which deals a period has;
 * without one, the row stays whole and is expense.
 */
export function divideBonuses(
  rows: readonly PayableRow[],
  all: readonly PayableRow[],
  {
    policies,
    months,
    calendar,
  }: {
    readonly policies: readonly StoredPolicy[];
    readonly months: BookCalendar;
    readonly calendar: PeriodCalendar;
  },
): PayableRow[] {
  return rows.flatMap((row) => {
    const isDivided =
      row.phase === 'periodic' && findPolicy(policies, { ...row, dealKey: '' }, months)?.allocate === 'by_credit';
    return isDivided ? divide(row, all, calendar) : [row];
  });
}

function divide(row: PayableRow, all: readonly PayableRow[], calendar: PeriodCalendar): PayableRow[] {
  const period = row.key.slice(row.key.lastIndexOf('|') + 1);
  const credits = [...creditsOf(all, row.currency, calendar.range(period))].sort(([a], [b]) => (a < b ? -1 : 1));
  if (credits.length === 0) return [row];
  const weights = credits.map(([, credit]) => credit);
  const parts = divideByWeights(Decimal.of(row.amount), weights, currencyDigits(row.currency));
  return credits.map(([dealKey], index) => ({
    ...row,
    key: `${row.key}|${dealKey}`,
    dealKey,
    amount: (parts[index] as Decimal).toString(),
  }));
}

/** The positive credit of each deal of the days: the highest, where several rules count the deal. */
function creditsOf(
  rows: readonly PayableRow[],
  currency: string,
  days: Parameters<typeof isWithin>[1],
): ReadonlyMap<string, Decimal> {
  const credits = new Map<string, Decimal>();
  for (const row of rows) {
    const { dealKey, credit } = row;
    if (dealKey === null || credit === null || row.currency !== currency || !isWithin(row.day, days)) continue;
    if (refundedDeal(row) !== null || Decimal.of(credit).sign() <= 0) continue;
    credits.set(dealKey, maximum(credits.get(dealKey) ?? Decimal.zero, Decimal.of(credit)));
  }
  return credits;
}
