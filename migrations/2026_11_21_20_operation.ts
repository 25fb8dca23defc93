import { type Kysely, sql } from 'kysely';
import { appRole } from './tenant-table.js';

/** What an operator watches: how much waits, and since when. Counts alone, of no workspace in particular. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function calculation_backlog()
    returns table (requests bigint, oldest_seconds double precision, parked bigint)
    language sql stable security definer set search_path = public, pg_temp as $$
      select count(*),
        coalesce(extract(epoch from clock_timestamp() - min(q.requested_at) filter (where l.parked_at is null)), 0)::float8,
        (select count(*) from lanes p where p.parked_at is not null)
      from calculation_requests q
      left join lanes l on l.workspace_id = q.workspace_id and l.rep_id = q.rep_id
    $$`.execute(db);
  await sql`revoke all on function calculation_backlog() from public`.execute(db);
  await sql`grant execute on function calculation_backlog() to ${sql.raw(appRole)}`.execute(db);
  // So that a process that may not migrate can tell that somebody must.
  await sql`grant select on kysely_migration to ${sql.raw(appRole)}`.execute(db);
}
