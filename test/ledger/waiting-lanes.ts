import { type OfflineDatabase } from '#test/support/offline-database.js';

/** Adds a workspace for each number of lanes. Each lane has as many requests, in turn with the others; half are of a sync. */
export async function addWaitingLanes(
  db: Pick<OfflineDatabase, 'sql'>,
  lanes: readonly number[],
  requests: number,
): Promise<void> {
  await db.sql(
    `with sizes as (select w.ordinality, w.lanes, md5('w' || w.ordinality)::uuid as workspace_id
       from unnest($1::int[]) with ordinality w(lanes, ordinality)),
     w as (insert into workspaces (workspace_id, name, currency, timezone, tier)
       select workspace_id, 'w', 'USD', 'UTC', 'enterprise' from sizes),
     people as (select s.workspace_id, md5(s.ordinality || '-' || n)::uuid as rep_id
       from sizes s, generate_series(1, s.lanes) n),
     r as (insert into reps (workspace_id, rep_id, email, name, role)
       select workspace_id, rep_id, rep_id || '@example.com', 'rep', 'rep' from people),
     l as (insert into lanes (workspace_id, rep_id) select workspace_id, rep_id from people)
     insert into calculation_requests (workspace_id, rep_id, from_day, to_day, trigger, requested_at, sync_run_id)
     select workspace_id, rep_id, '2026-01-01', '2026-01-01', 'deal',
       now() - interval '1 second' * (20 - n), case when n % 2 = 1 then workspace_id end
     from people, generate_series(1, $2) n order by n, rep_id`,
    lanes,
    requests,
  );
}
