import { type Profile } from '../api/queries.js';
import { dayBefore } from '../shared/format/dates.js';
import { daysOf, periodAt, toMonth } from '../shared/format/periods.js';

type PayPeriods = NonNullable<Profile['workspace']['payPeriods']>;

/** The pay period that ended last; without payouts, and before the first pay period, the month. */
export function endedPeriod(today: string, payPeriods: PayPeriods = []): string {
  return payPeriodOn(dayBefore(daysOf(payPeriodOn(today, payPeriods)).from), payPeriods);
}

/** The pay period of the day; without payouts, and before the first pay period, the month. */
export function payPeriodOn(day: string, payPeriods: PayPeriods = []): string {
  const found = payPeriods.findLast(({ from }) => from <= day);
  return found === undefined ? toMonth(day) : periodAt(day, found.period === 'quarterly' ? 3 : 1, found.calendar);
}
