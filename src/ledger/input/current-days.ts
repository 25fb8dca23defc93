import { sql } from 'kysely';
import { type Day, type DayRange } from '../../kernel/day.js';
import { unnestRows } from '../../platform/database/columns.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';

/** The range of the deals' current close dates; empty if none of the deals exists. */
export async function loadCurrentDays(tx: Transaction, dealIds: readonly string[]): Promise<DayRange[]> {
  return (await loadCurrentDaysOfEach(tx, [dealIds]))[0] ?? [];
}

/**
 * {@link loadCurrentDays} for each set of deals. `offset 0` makes the server look up each deal by its key. If it joined
 * the tables with statistics of a smaller table, it would read all deals for each row.
 */
export async function loadCurrentDaysOfEach(
  tx: Transaction,
  sets: readonly (readonly string[])[],
): Promise<DayRange[][]> {
  const deals = sets.flatMap((dealIds, index) => dealIds.map((dealId) => ({ index, dealId })));
  const ranges: DayRange[][] = sets.map(() => []);
  if (deals.length === 0) return ranges;
  const { rows } = await sql<{ index: number; from: Day; to: Day }>`
    select input.index, min(d.close_date) as "from", max(d.close_date) as "to"
    from ${unnestRows(deals, [
      ['index', 'integer', ({ index }) => index],
      ['id', 'text', ({ dealId }) => dealId],
    ])} cross join lateral (
      select close_date from deals
      where workspace_id = ${tx.workspaceId} and deal_id = input.id and deleted_at is null and close_date is not null
      offset 0
    ) d
    group by input.index`.execute(tx.db);
  for (const { index, from, to } of rows) ranges[index]?.push({ from, to });
  return ranges;
}
