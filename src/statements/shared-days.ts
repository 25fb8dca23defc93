import { allDays, overlap } from '../kernel/day.js';
import { type Period } from '../kernel/period.js';
import { loadCalendar } from '../ledger/input/calendar.js';
import { type Transaction } from '../platform/database/unit-of-work.js';

/** Whether another period has days of this one: a statement contains what lies on its days, of whatever period it is. */
export async function sharesDaysWith(tx: Transaction, period: Period): Promise<(other: Period) => boolean> {
  const calendar = await loadCalendar(tx);
  const daysOf = (any: Period) => calendar.findRange(any) ?? allDays;
  return (other) => overlap(daysOf(other), daysOf(period));
}
