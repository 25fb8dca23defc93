import { type Kysely, sql } from 'kysely';
import { asOwner } from './owner-functions.js';

/** Exports and previews are leased in `work_leases`. No process writes the columns of their earlier leases any more. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create or replace function due_exports(max_jobs integer)
    returns table (workspace_id uuid, job_id uuid)
    language sql stable ${asOwner} as $$
      select due.workspace_id, due.job_id
      from (
        select e.workspace_id, e.job_id, e.started_at,
          row_number() over (partition by e.workspace_id order by e.kind = 'team.zip', e.started_at) as place
        from export_jobs e
        where e.finished_at is null and e.not_before <= now()
          and not exists (
            select from work_leases l
            where l.workspace_id = e.workspace_id and l.work = 'export ' || e.job_id and l.leased_until > now())
      ) due
      order by due.place, due.started_at
      limit max_jobs
    $$`.execute(db);
  await sql`
    create or replace function due_plan_previews(max_previews integer)
    returns table (workspace_id uuid, preview_id uuid)
    language sql stable ${asOwner} as $$
      select due.workspace_id, due.preview_id
      from (
        select p.workspace_id, p.preview_id, p.started_at, p.is_leased,
          row_number() over (partition by p.workspace_id order by p.is_leased desc, p.started_at) as place
        from (
          select p.*, coalesce(l.leased_until > now(), false) as is_leased
          from plan_previews p
          left join work_leases l on l.workspace_id = p.workspace_id and l.work = 'preview ' || p.preview_id
          where p.finished_at is null
        ) p
      ) due
      where due.place = 1 and not due.is_leased
      order by due.started_at
      limit max_previews
    $$`.execute(db);
  await sql`alter table export_jobs drop column lease_id, drop column leased_until`.execute(db);
  await sql`alter table plan_previews drop column leased_until`.execute(db);
}
