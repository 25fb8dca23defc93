import { type EventRow } from '../commissions/commission-event.js';
import { currencyDigits } from '../kernel/currency.js';
import { addDays, type Day, isWithin } from '../kernel/day.js';
import { Decimal } from '../kernel/decimal.js';
import { Failure, invalid } from '../kernel/failure.js';
import { type Period, periodRange } from '../kernel/period.js';
import { type FrozenPeriod } from './statement-views.js';

/** A row that a person, or a true-up, has put beside what the engine wrote. */
export interface AdjustmentRow extends EventRow {
  readonly revision: number;
}

/** A clawback takes money back, so its amount is negative. */
export function assertClawbackNegative(kind: AdjustmentRow['kind'], amount: number): void {
  if (kind === 'clawback' && amount > 0)
    throw new Failure(
      'clawback_must_be_negative',
      'A clawback takes money back: give a negative amount. To pay the rep, add an adjustment instead.',
    );
}

/** The amount as exact text; refused when the currency has no coins that small. */
export function exactAmount(amount: number, currency: string): string {
  const exact = Decimal.of(amount);
  const digits = currencyDigits(currency);
  if (!exact.rounded(digits).equals(exact))
    throw invalid({ path: 'amount', message: `must have at most ${digits} decimals, as amounts in ${currency} do` });
  return exact.toString();
}

/**
 * The day that an adjustment of the period is dated: today while the period runs, else its last day, or where that is
 * approved within another statement the last day that is not. Null when the whole period is approved.
 */
export function adjustmentDay(period: Period, today: Day, frozen: readonly FrozenPeriod[]): Day | null {
  const range = periodRange(period);
  const isFrozen = (day: Day) => frozen.some((one) => isWithin(day, one.range));
  if (isWithin(today, range) && !isFrozen(today)) return today;
  let day = range.to;
  for (const { range: approved } of frozen.toReversed()) {
    if (isWithin(day, approved)) day = addDays(approved.from, -1);
  }
  return day < range.from ? null : day;
}
