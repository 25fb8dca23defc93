import { type Kysely, sql } from 'kysely';
import { asOwner, grantToService } from './owner-functions.js';

/**
 * Replaces the function with one parameter, which processes of the previous release call. The imports that run count for
 * their workspace, and those that never ran come first.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function due_scheduled_imports(max_imports integer, max_of_workspace integer)
    returns table (workspace_id uuid, scheduled_import_id uuid)
    language sql stable ${asOwner} as $$
      with running as materialized (
        select l.workspace_id, l.work from work_leases l
        where l.work like 'scheduled import %' and l.leased_until > now()
      ), due as (
        select s.workspace_id, s.scheduled_import_id, s.last_run_at, s.next_run_at,
          row_number() over (
            partition by s.workspace_id order by s.last_run_at nulls first, s.next_run_at, s.scheduled_import_id) as turn
        from scheduled_imports s
        where not s.paused and (s.next_run_at <= now() or s.requests > s.handled_requests)
          and not exists (
            select from running r
            where r.workspace_id = s.workspace_id and r.work = 'scheduled import ' || s.scheduled_import_id)
      )
      select due.workspace_id, due.scheduled_import_id from due
      where due.turn <= max_of_workspace - (select count(*) from running r where r.workspace_id = due.workspace_id)
      order by due.turn, due.last_run_at nulls first, due.next_run_at
      limit max_imports
    $$`.execute(db);
  await grantToService(db, ['due_scheduled_imports(integer, integer)']);
}
