import { type Kysely, sql } from 'kysely';
import { asOwner, grantToService } from './owner-functions.js';
import { tenantTable } from './tenant-table.js';

/** Files that workers generate, stored for an hour. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table export_jobs (
      workspace_id uuid not null,
      job_id uuid not null,
      kind text not null check (kind in ('statement.pdf', 'statement.xlsx', 'team.pdf', 'team.xlsx', 'team.zip')),
      -- null for an export of the team
      rep_id uuid,
      -- a team export of a manager who sees only the reps below contains those reps
      manager_id uuid,
      period text not null,
      -- the instant whose state the file shows; null for the present state
      as_of timestamptz,
      status text not null default 'waiting' check (status in ('waiting', 'running', 'completed', 'failed')),
      total integer not null default 1,
      done integer not null default 0,
      lease_id uuid,
      leased_until timestamptz,
      attempts integer not null default 0,
      -- media type, file name and headers of the finished file
      file jsonb,
      error_code text,
      error text,
      actor text not null,
      started_at timestamptz not null default now(),
      finished_at timestamptz,
      primary key (workspace_id, job_id),
      foreign key (workspace_id, rep_id) references reps,
      foreign key (workspace_id, manager_id) references reps
    )`.execute(db);
  // Requests for the same file share a job until a worker takes it.
  await sql`
    create unique index export_jobs_waiting on export_jobs (workspace_id, kind, rep_id, period, manager_id, as_of)
    nulls not distinct where status = 'waiting'`.execute(db);
  await sql`
    create index export_jobs_unfinished on export_jobs (workspace_id, started_at)
    where finished_at is null`.execute(db);
  await tenantTable(db, 'export_jobs');

  await sql`
    create table export_parts (
      workspace_id uuid not null,
      job_id uuid not null,
      part integer not null,
      -- in an archive, each part is a file with a name and a rep; otherwise the parts in order are one file
      name text,
      rep_id uuid,
      content bytea not null,
      primary key (workspace_id, job_id, part),
      foreign key (workspace_id, job_id) references export_jobs on delete cascade
    )`.execute(db);
  // PDF files and workbooks are compressed already.
  await sql`alter table export_parts alter column content set storage external`.execute(db);
  await tenantTable(db, 'export_parts');
  await createFunctions(db);
}

async function createFunctions(db: Kysely<unknown>): Promise<void> {
  // The first job of every workspace before the second of any, so that a workspace with many jobs does not delay the
  // others. Archives are last: they take longest.
  await sql`
    create function due_exports(max_jobs integer)
    returns table (workspace_id uuid, job_id uuid)
    language sql stable ${asOwner} as $$
      select due.workspace_id, due.job_id
      from (
        select e.workspace_id, e.job_id, e.started_at,
          row_number() over (partition by e.workspace_id order by e.kind = 'team.zip', e.started_at) as place
        from export_jobs e
        where e.finished_at is null and (e.leased_until is null or e.leased_until < now())
      ) due
      order by due.place, due.started_at
      limit max_jobs
    $$`.execute(db);
  await sql`
    create function delete_old_exports() returns void
    language sql volatile ${asOwner} as $$
      delete from export_jobs where finished_at < now() - interval '1 hour' or started_at < now() - interval '1 day'
    $$`.execute(db);
  await grantToService(db, ['due_exports(integer)', 'delete_old_exports()']);
}
