import { type Day } from '../kernel/day.js';
import { loadCalendar } from '../ledger/input/calendar.js';
import { loadRunningCredits } from '../ledger/input/running-credits.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type QuotaRow } from './attainment.js';

/**
 * Adds to rows without credit, to which only periodic rules count, what these rules have collected by the last counted
 * day. A row of a whole period that ended before `today` stays as it is: its credit comes from the ledger. With `asOf`
 * nothing is added, because deals have no history.
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
