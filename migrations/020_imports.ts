import { type Kysely, sql } from 'kysely';
import { asOwner, grantToService } from './owner-functions.js';
import { tenantTable } from './tenant-table.js';

/** What each import of a file has changed, and imports by a schedule. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createImportedFacts(db);
  await createScheduledImports(db);
  await createFiles(db);
  await createDueFunction(db);
}

/** What each import of a file has changed, so that it can be taken back. */
async function createImportedFacts(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table imported_facts (
      workspace_id uuid not null references workspaces,
      -- the instant of the transaction, as its entry of the audit log has it
      imported_at timestamptz not null default now(),
      position integer not null,
      -- of the file
      row integer not null,
      rep_id uuid,
      before jsonb,
      after jsonb,
      primary key (workspace_id, imported_at, position),
      check (before is not null or after is not null)
    )`.execute(db);
  await sql`
    create index imported_facts_of_reps on imported_facts (workspace_id, rep_id) where rep_id is not null`.execute(db);
  await tenantTable(db, 'imported_facts');
}

/** Files that another system publishes. */
async function createScheduledImports(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table scheduled_imports (
      workspace_id uuid not null,
      scheduled_import_id uuid not null,
      name text not null,
      subject text not null check (subject in ('deals', 'people', 'quotas', 'invoices')),
      -- kind and address of the source, without secrets
      source jsonb not null,
      -- the credentials, encrypted; null for none
      secret bytea,
      -- how the columns and values of the files are read
      options jsonb not null,
      every text not null check (every in ('hour', 'day')),
      -- in the time zone of the workspace; of an hourly schedule only the minute counts
      at_time time not null,
      paused boolean not null default false,
      -- replaced by every change: a run that began before imports nothing any more
      revision uuid not null,
      -- the columns of the file whose dry run an admin confirmed; null before
      confirmed_header text[],
      confirmed_by uuid,
      confirmed_at timestamptz,
      next_run_at timestamptz not null,
      -- a person may request a run while another one is in progress
      requests integer not null default 0,
      handled_requests integer not null default 0,
      attempts integer not null default 0,
      last_run_at timestamptz,
      error text,
      created_at timestamptz not null default now(),
      primary key (workspace_id, scheduled_import_id)
    )`.execute(db);
  await tenantTable(db, 'scheduled_imports');
}

/** What was done with each file. */
async function createFiles(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table scheduled_import_files (
      workspace_id uuid not null,
      scheduled_import_id uuid not null,
      file_id uuid not null,
      name text not null,
      -- how the source distinguishes versions: an ETag, or size and time; null if it does not
      version text,
      -- SHA-256 of the content in hexadecimal digits
      hash text not null,
      bytes integer not null,
      status text not null check (status in ('waiting', 'imported', 'failed')),
      -- header and first rows
      sample jsonb not null,
      -- counts and rejected rows of the dry run or of the import
      result jsonb,
      error text,
      -- the entry of the audit log, which is the import
      import_id uuid,
      at timestamptz not null default now(),
      primary key (workspace_id, scheduled_import_id, file_id),
      unique (workspace_id, scheduled_import_id, name, hash),
      foreign key (workspace_id, scheduled_import_id) references scheduled_imports on delete cascade
    )`.execute(db);
  await tenantTable(db, 'scheduled_import_files');
  await sql`
    create index scheduled_import_files_latest
    on scheduled_import_files (workspace_id, scheduled_import_id, at desc, file_id)`.execute(db);
}

/**
 * The longest overdue import of every workspace before the second of any. The imports that run count for their workspace,
 * and those that never ran come first.
 */
async function createDueFunction(db: Kysely<unknown>): Promise<void> {
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
