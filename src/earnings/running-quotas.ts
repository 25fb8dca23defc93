import { type Day } from '../kernel/day.js';
import { loadCalendar } from '../ledger/input/calendar.js';
import { loadRunningCredits } from '../ledger/input/running-credits.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type QuotaRow } from './attainment.js';

/**
 * The rows, where only periodic rules count, with what these have collected by the last counted day. A period that had
 * ended by `today` has the credit of the ledger, or none. Deals have no history, so neither have these credits.
 */
export async function withRunningCredits(
  tx: Transaction,
  rows: readonly QuotaRow[],
  today: Day,
): Promise<readonly QuotaRow[]> {
  if (tx.asOf !== null || rows.every(({ credit }) => credit !== null)) return rows;
  const calendar = await loadCalendar(tx);
  const running = rows.filter(({ credit, period, through }) => {
    const { to } = calendar.range(period);
    return credit === null && (through < to || today <= to);
  });
  const credits = await loadRunningCredits(tx, running);
  const found = new Map(running.map((row, index) => [row, credits[index]]));
  return rows.map((row) => (found.has(row) ? { ...row, ...found.get(row), countsAtEnd: true as const } : row));
}
