import { type Kysely, sql } from 'kysely';
import { asOwner, grantToService } from './owner-functions.js';
import { tenantTable } from './tenant-table.js';

/** Approvals of many statements that a worker carries out, and what became of each statement. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table approval_jobs (
      workspace_id uuid not null,
      job_id uuid not null,
      period text not null,
      force boolean not null,
      -- who confirmed the approval, with the rights that they had
      caller jsonb not null,
      status text not null default 'running' check (status in ('running', 'completed', 'failed')),
      attempts integer not null default 0,
      not_before timestamptz not null default now(),
      error text,
      started_at timestamptz not null default now(),
      finished_at timestamptz,
      primary key (workspace_id, job_id)
    )`.execute(db);
  await sql`create index approval_jobs_by_period on approval_jobs (workspace_id, period, started_at)`.execute(db);
  await sql`
    create index approval_jobs_unfinished on approval_jobs (workspace_id, not_before)
    where finished_at is null`.execute(db);
  await tenantTable(db, 'approval_jobs');
  await sql`
    create trigger record_row_change after insert on approval_jobs
    for each row when (current_setting('app.records_changes', true) = 'on')
    execute function record_row_change('job_id', '', 'caller,attempts,not_before')`.execute(db);
  await sql`
    create table approval_job_statements (
      workspace_id uuid not null,
      job_id uuid not null,
      place integer not null,
      -- as it was sent: a statement of no rep is rejected
      rep_id text not null,
      -- the version that was confirmed
      version integer not null,
      outcome text check (outcome in ('approved', 'rejected')),
      -- why the statement was rejected
      code text,
      message text,
      primary key (workspace_id, job_id, place),
      unique (workspace_id, job_id, rep_id),
      foreign key (workspace_id, job_id) references approval_jobs on delete cascade
    )`.execute(db);
  await tenantTable(db, 'approval_job_statements');
  // The job of every workspace that waits longest before the second of any. A job waits again after some seconds of work.
  await sql`
    create function due_approval_jobs(max_jobs integer) returns table (workspace_id uuid, job_id uuid)
    language sql stable ${asOwner} as $$
      select due.workspace_id, due.job_id
      from (
        select a.workspace_id, a.job_id, a.not_before,
          row_number() over (partition by a.workspace_id order by a.not_before) as place
        from approval_jobs a
        where a.finished_at is null and a.not_before <= now()
          and not exists (
            select from work_leases l
            where l.workspace_id = a.workspace_id and l.work = 'approval ' || a.job_id and l.leased_until > now())
      ) due
      order by due.place, due.not_before
      limit max_jobs
    $$`.execute(db);
  await sql`
    create function delete_old_approval_jobs() returns void
    language sql ${asOwner} as $$
      delete from approval_jobs where finished_at < now() - interval '7 days'
    $$`.execute(db);
  await grantToService(db, ['due_approval_jobs(integer)', 'delete_old_approval_jobs()']);
}
