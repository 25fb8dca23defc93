import { type Kysely, sql } from 'kysely';
import { asOwner, grantToService } from './owner-functions.js';
import { tenantTable } from './tenant-table.js';

/** Files that another system publishes, imported by a schedule, and what was done with each of them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table scheduled_imports (
      workspace_id uuid not null,
      scheduled_import_id uuid not null,
      name text not null,
      subject text not null check (subject in ('deals', 'people', 'quotas')),
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
  await createDueFunction(db);
}

/** The longest overdue import of every workspace before the second of any. */
async function createDueFunction(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function due_scheduled_imports(max_imports integer)
    returns table (workspace_id uuid, scheduled_import_id uuid)
    language sql stable ${asOwner} as $$
      select due.workspace_id, due.scheduled_import_id
      from (
        select s.workspace_id, s.scheduled_import_id, s.next_run_at,
          row_number() over (partition by s.workspace_id order by s.next_run_at) as place
        from scheduled_imports s
        where not s.paused and (s.next_run_at <= now() or s.requests > s.handled_requests)
          and not exists (
            select from work_leases l
            where l.workspace_id = s.workspace_id and l.work = 'scheduled import ' || s.scheduled_import_id
              and l.leased_until > now())
      ) due
      order by due.place, due.next_run_at
      limit max_imports
    $$`.execute(db);
  await grantToService(db, ['due_scheduled_imports(integer)']);
}
