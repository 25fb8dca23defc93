import { type Day } from '../kernel/day.js';
import { Failure } from '../kernel/failure.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type BookCalendar, loadBookCalendar } from './book-calendar.js';
import { type Closing } from './closing.js';
import { listClosed } from './closing-views.js';
import { type Month, nextMonth, previousMonth } from './month.js';
import { requireAccounting } from './settings-views.js';

/** Which months have books, and which of them is the first that is open. */
export interface BookMonths {
  readonly calendar: BookCalendar;
  readonly from: Month;
  readonly firstOpen: Month;
  readonly current: Month;
  /** The closings that count, the latest month first. */
  readonly closed: readonly Closing[];
}

export async function loadBookMonths(tx: Transaction, today: Day): Promise<BookMonths> {
  const { from } = await requireAccounting(tx);
  const closed = await listClosed(tx);
  const latest = closed[0]?.month ?? previousMonth(from);
  const calendar = await loadBookCalendar(tx, from);
  return { calendar, from, firstOpen: nextMonth(latest), current: calendar.monthOf(today), closed };
}

export function assertBookMonth({ from, current }: BookMonths, month: Month): void {
  if (from <= month && month <= current) return;
  throw new Failure(
    'month_not_found',
    month < from ? `The books begin with ${from}.` : `${month} has not begun. The present month is ${current}.`,
    { from, current },
  );
}

/** Closed months stay as they are. The message says what to do instead. */
export function assertOpenMonth({ firstOpen }: Pick<BookMonths, 'firstOpen'>, month: Month, message: string): void {
  if (month < firstOpen) throw new Failure('month_closed', message, { month });
}
