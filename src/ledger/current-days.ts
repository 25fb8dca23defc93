import { sql } from 'kysely';
import { type Day, type DayRange } from '../kernel/day.js';
import { unnestRows } from '../platform/database/columns.js';
import { type Work } from '../platform/database/unit-of-work.js';

/**
 * The range of the deals' current close dates; empty if none of the deals exists. Ids are passed as an array and not
 * joined: with statistics of a smaller table the server reads all deals for each row of a join.
 */
export async function currentDaysOf(trx: Work, workspaceId: string, dealIds: readonly string[]): Promise<DayRange[]> {
  if (dealIds.length === 0) return [];
  const { rows } = await sql<{ from: Day | null; to: Day | null }>`
    select min(close_date) as "from", max(close_date) as "to" from deals
    where workspace_id = ${workspaceId} and deleted_at is null
      and deal_id = any(array(select id from ${unnestRows(dealIds, [['id', 'text', (dealId) => dealId]])}))`.execute(
    trx,
  );
  const { from = null, to = null } = rows[0] ?? {};
  return from === null || to === null ? [] : [{ from, to }];
}
