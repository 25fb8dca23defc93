import { sql } from 'kysely';
import { type Transaction } from '../../platform/database/unit-of-work.js';

/** A visit continues for so many minutes after the person last opened a page of their pay. */
export const visitMinutes = 30;

/** Stores that the person looks at their pay. Returns when the visit before this one ended; null in the first one. */
export async function recordVisitOf(tx: Transaction, repId: string, now: Date): Promise<Date | null> {
  const { rows } = await sql<{ since: Date | null }>`
    insert into visits as v (workspace_id, rep_id, since, visited_at)
    values (${tx.workspaceId}, ${repId}, null, ${now})
    on conflict (workspace_id, rep_id) do update set
      since = case when v.visited_at < excluded.visited_at - make_interval(mins => ${visitMinutes})
        then v.visited_at else v.since end,
      visited_at = greatest(v.visited_at, excluded.visited_at)
    returning since`.execute(tx.db);
  return rows[0]?.since ?? null;
}
