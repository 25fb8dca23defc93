import { type Kysely, sql } from 'kysely';
import { asOwner, grantToService } from './owner-functions.js';
import { tenantTable } from './tenant-table.js';

/** Requests for a whole large workspace that workers carry out in parts, and their results. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table stored_jobs (
      workspace_id uuid not null,
      job_id uuid not null,
      kind text not null check (kind in ('exceptions', 'generation')),
      period text not null,
      -- what was requested besides the period
      subject jsonb not null,
      -- who requested it, with the rights that they had
      caller jsonb not null,
      status text not null default 'running' check (status in ('running', 'completed', 'failed')),
      done integer not null default 0,
      total integer not null,
      -- the last of the people whose part is stored, in the order of their ids
      position uuid,
      attempts integer not null default 0,
      not_before timestamptz not null default now(),
      error text,
      started_at timestamptz not null default now(),
      finished_at timestamptz,
      primary key (workspace_id, job_id)
    )`.execute(db);
  await sql`create index stored_jobs_by_period on stored_jobs (workspace_id, kind, period, started_at)`.execute(db);
  await sql`
    create index stored_jobs_unfinished on stored_jobs (workspace_id, kind, not_before)
    where finished_at is null`.execute(db);
  await tenantTable(db, 'stored_jobs');
  await sql`
    create trigger record_row_change after insert on stored_jobs
    for each row when (current_setting('app.records_changes', true) = 'on')
    execute function record_row_change('job_id', '', 'subject,caller,done,position,attempts,not_before')`.execute(db);
  await sql`
    create table exception_job_rows (
      workspace_id uuid not null,
      job_id uuid not null,
      place integer not null,
      reason text not null,
      deal_id text not null,
      rep_id uuid,
      currency text,
      amount numeric,
      content jsonb not null,
      primary key (workspace_id, job_id, place),
      foreign key (workspace_id, job_id) references stored_jobs on delete cascade
    )`.execute(db);
  await sql`create index exception_job_rows_by_reason on exception_job_rows (workspace_id, job_id, reason)`.execute(db);
  await tenantTable(db, 'exception_job_rows');
  await sql`
    create table generation_job_reps (
      workspace_id uuid not null,
      job_id uuid not null,
      place integer not null,
      -- as it was sent: an id of no rep fails
      rep_id text not null,
      outcome text check (outcome in ('generated', 'skipped', 'failed')),
      -- why no statement was generated
      code text,
      primary key (workspace_id, job_id, place),
      unique (workspace_id, job_id, rep_id),
      foreign key (workspace_id, job_id) references stored_jobs on delete cascade
    )`.execute(db);
  await tenantTable(db, 'generation_job_reps');
  // The job of every workspace that waits longest before the second of any. A job waits again after some seconds of work.
  await sql`
    create function due_stored_jobs(kind_of_job text, max_jobs integer)
    returns table (workspace_id uuid, job_id uuid)
    language sql stable ${asOwner} as $$
      select due.workspace_id, due.job_id
      from (
        select j.workspace_id, j.job_id, j.not_before,
          row_number() over (partition by j.workspace_id order by j.not_before) as place
        from stored_jobs j
        where j.kind = kind_of_job and j.finished_at is null and j.not_before <= now()
          and not exists (
            select from work_leases l
            where l.workspace_id = j.workspace_id and l.work = kind_of_job || ' ' || j.job_id and l.leased_until > now())
      ) due
      order by due.place, due.not_before
      limit max_jobs
    $$`.execute(db);
  // Lists of exceptions are outdated soon; who has generated statements may look for the failures days later.
  await sql`
    create function delete_old_stored_jobs() returns void
    language sql ${asOwner} as $$
      delete from stored_jobs
      where finished_at < now() - case kind when 'exceptions' then interval '1 hour' else interval '7 days' end
    $$`.execute(db);
  await grantToService(db, ['due_stored_jobs(text, integer)', 'delete_old_stored_jobs()']);
}
