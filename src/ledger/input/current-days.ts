import { sql } from 'kysely';
import { type Day, type DayRange } from '../../kernel/day.js';
import { unnestRows } from '../../platform/database/columns.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';

/** The range of the deals' current close dates; empty if none of the deals exists. */
export async function currentDaysOf(tx: Transaction, dealIds: readonly string[]): Promise<DayRange[]> {
  return (await currentDaysOfEach(tx, [dealIds]))[0] ?? [];
}

/**
 * {@link currentDaysOf} for each set of deals. A subquery reads each deal: with statistics of a smaller table the
 * server would read all deals for each row of a join.
 */
export async function currentDaysOfEach(tx: Transaction, sets: readonly (readonly string[])[]): Promise<DayRange[][]> {
  const deals = sets.flatMap((dealIds, place) => dealIds.map((dealId) => ({ place, dealId })));
  const ranges: DayRange[][] = sets.map(() => []);
  if (deals.length === 0) return ranges;
  const { rows } = await sql<{ place: number; from: Day; to: Day }>`
    select rows_from.place, min(d.close_date) as "from", max(d.close_date) as "to"
    from ${unnestRows(deals, [
      ['place', 'integer', ({ place }) => place],
      ['id', 'text', ({ dealId }) => dealId],
    ])} cross join lateral (
      select close_date from deals
      where workspace_id = ${tx.workspaceId} and deal_id = rows_from.id and deleted_at is null and close_date is not null
      offset 0
    ) d
    group by rows_from.place`.execute(tx.db);
  for (const { place, from, to } of rows) ranges[place]?.push({ from, to });
  return ranges;
}
