import { type Kysely, sql } from 'kysely';
import { asOwner, grantToService } from './owner-functions.js';

/** What operators monitor in all workspaces: counts only, no data of a workspace. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function calculation_backlog()
    returns table (requests bigint, oldest_seconds double precision, parked bigint)
    language sql stable ${asOwner} as $$
      select count(*),
        coalesce(extract(epoch from clock_timestamp() - min(q.requested_at) filter (where l.parked_at is null
          and not exists (select from crm_pulls p where p.workspace_id = q.workspace_id and p.pull_id = q.pull_id))), 0)::float8,
        (select count(*) from lanes p where p.parked_at is not null)
      from calculation_requests q
      left join lanes l on l.workspace_id = q.workspace_id and l.rep_id = q.rep_id
    $$`.execute(db);
  // Lets a process that may not migrate detect that migrations are pending.
  await sql`
    create function applied_migrations()
    returns table (name varchar)
    language sql stable ${asOwner} as $$
      select m.name from kysely_migration m
    $$`.execute(db);
  await grantToService(db, ['calculation_backlog()', 'applied_migrations()']);
}
