import { type Kysely, sql } from 'kysely';
import { asOwner, grantToService } from './owner-functions.js';
import { tenantTable } from './tenant-table.js';

/**
 * Approvals, files and previews become jobs of `stored_jobs`, as generations and lists of exceptions are. Files and previews
 * of the last hour, which can be made again, are not copied.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await widenJobs(db);
  await createItems(db);
  await copyApprovals(db);
  for (const table of ['approval_job_statements', 'approval_jobs', 'generation_job_reps'])
    await sql`drop table ${sql.table(table)}`.execute(db);
  await sql`alter table export_parts drop constraint export_parts_workspace_id_job_id_fkey`.execute(db);
  await sql`delete from export_parts`.execute(db);
  await sql`
    alter table export_parts add foreign key (workspace_id, job_id) references stored_jobs on delete cascade`.execute(
    db,
  );
  for (const table of ['export_jobs', 'plan_previews']) await sql`drop table ${sql.table(table)}`.execute(db);
  await replaceFunctions(db);
}

async function widenJobs(db: Kysely<unknown>): Promise<void> {
  await sql`drop trigger record_row_change on stored_jobs`.execute(db);
  await sql`
    alter table stored_jobs
      drop constraint stored_jobs_kind_check,
      drop constraint stored_jobs_status_check,
      add check (kind in ('approval', 'exceptions', 'export', 'generation', 'preview')),
      add check (status in ('waiting', 'running', 'completed', 'failed')),
      -- until a worker begins
      alter column status set default 'waiting',
      -- how long the job is kept after its end
      add column lifetime interval not null default interval '7 days',
      add column result jsonb,
      add column error_code text`.execute(db);
  await sql`update stored_jobs set lifetime = interval '1 hour' where kind = 'exceptions'`.execute(db);
  await sql`alter table stored_jobs alter column lifetime drop default`.execute(db);
  // What only reads the ledger is no change.
  await sql`
    create trigger record_row_change after insert on stored_jobs
    for each row when (
      current_setting('app.records_changes', true) = 'on' and new.kind not in ('export', 'preview'))
    execute function record_row_change('job_id', '', 'caller,status,done,position,attempts,not_before,lifetime')`.execute(
    db,
  );
}

/** The parts of a job: the people of approvals and generations with what became of them, the deals of a preview. */
async function createItems(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table job_items (
      workspace_id uuid not null,
      job_id uuid not null,
      place integer not null,
      -- as it was sent: an id of no rep fails
      rep_id text,
      -- the version that was confirmed
      version integer,
      outcome text check (outcome in ('done', 'skipped', 'failed')),
      -- why it was not done
      code text,
      message text,
      content jsonb,
      primary key (workspace_id, job_id, place),
      unique (workspace_id, job_id, rep_id),
      foreign key (workspace_id, job_id) references stored_jobs on delete cascade
    )`.execute(db);
  await tenantTable(db, 'job_items');
}

async function copyApprovals(db: Kysely<unknown>): Promise<void> {
  await sql`
    insert into stored_jobs (workspace_id, job_id, kind, period, subject, caller, status, done, total, attempts, not_before,
      lifetime, error, started_at, finished_at)
    select a.workspace_id, a.job_id, 'approval', a.period, jsonb_build_object('force', a.force), a.caller, a.status,
      (select count(*) from approval_job_statements s
        where s.workspace_id = a.workspace_id and s.job_id = a.job_id and s.outcome is not null),
      (select count(*) from approval_job_statements s where s.workspace_id = a.workspace_id and s.job_id = a.job_id),
      a.attempts, a.not_before, interval '7 days', a.error, a.started_at, a.finished_at
    from approval_jobs a`.execute(db);
  await sql`
    insert into job_items (workspace_id, job_id, place, rep_id, version, outcome, code, message)
    select workspace_id, job_id, place, rep_id, version,
      case outcome when 'approved' then 'done' when 'rejected' then 'failed' end, code, message
    from approval_job_statements`.execute(db);
  await sql`
    insert into job_items (workspace_id, job_id, place, rep_id, outcome, code)
    select workspace_id, job_id, place, rep_id, case outcome when 'generated' then 'done' else outcome end, code
    from generation_job_reps`.execute(db);
}

async function replaceFunctions(db: Kysely<unknown>): Promise<void> {
  const replaced = [
    'due_approval_jobs(integer)',
    'delete_old_approval_jobs()',
    'due_exports(integer)',
    'delete_old_exports()',
    'due_plan_previews(integer)',
    'delete_old_plan_previews()',
    'due_stored_jobs(text, integer)',
  ];
  for (const signature of replaced) await sql`drop function ${sql.raw(signature)}`.execute(db);
  // The first job of every workspace before the second of any, counting those that run, so that a workspace with many
  // jobs does not delay the others. Jobs of many parts are last in their workspace: they take longest.
  await sql`
    create function due_stored_jobs(kind_of_job text, max_jobs integer, max_of_workspace integer)
    returns table (workspace_id uuid, job_id uuid)
    language sql stable ${asOwner} as $$
      select due.workspace_id, due.job_id
      from (
        select j.workspace_id, j.job_id, j.not_before, j.is_leased,
          row_number() over (
            partition by j.workspace_id order by j.is_leased desc, j.total > 1, j.not_before) as place
        from (
          select j.*, exists (
            select from work_leases l
            where l.workspace_id = j.workspace_id and l.work = kind_of_job || ' ' || j.job_id and l.leased_until > now()
          ) as is_leased
          from stored_jobs j
          where j.kind = kind_of_job and j.finished_at is null and j.not_before <= now()
        ) j
      ) due
      where not due.is_leased and due.place <= max_of_workspace
      order by due.place, due.not_before
      limit max_jobs
    $$`.execute(db);
  // What can be requested again is deleted after a day without a worker. An approval waits.
  await sql`
    create or replace function delete_old_stored_jobs() returns void
    language sql ${asOwner} as $$
      delete from stored_jobs
      where finished_at < now() - lifetime
        or kind in ('export', 'preview') and started_at < now() - interval '1 day'
    $$`.execute(db);
  await grantToService(db, ['due_stored_jobs(text, integer, integer)']);
}
