import { type Kysely, sql } from 'kysely';
import { recordRowChanges } from './change-triggers.js';
import { tenantTable } from './tenant-table.js';

/** Files that workers generate, and what was handed over to payroll. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createExportParts(db);
  await createHandovers(db);
}

async function createExportParts(db: Kysely<unknown>): Promise<void> {
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
      foreign key (workspace_id, job_id) references stored_jobs on delete cascade
    )`.execute(db);
  // PDF files and workbooks are compressed already.
  await sql`alter table export_parts alter column content set storage external`.execute(db);
  await tenantTable(db, 'export_parts');
}

async function createHandovers(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table payroll_handovers (
      workspace_id uuid not null,
      handover_id uuid not null,
      period text not null,
      layout text not null,
      note text check (length(note) between 1 and 1000),
      filename text not null,
      sha256 text not null,
      bytes integer not null,
      row_count integer not null,
      totals jsonb not null,
      missing_payroll_ids jsonb not null,
      -- the people whose ids had changed, by their ids
      changed_payroll_ids jsonb not null,
      scope text not null check (scope in ('full', 'new')),
      -- by person and currency, so that a further file of the period leaves them out
      amounts jsonb not null,
      actor text not null,
      author_id uuid,
      created_at timestamptz not null default now(),
      primary key (workspace_id, handover_id),
      foreign key (workspace_id, author_id) references reps
    )`.execute(db);
  await sql`create index payroll_handovers_by_period on payroll_handovers (workspace_id, period, created_at)`.execute(
    db,
  );
  await tenantTable(db, 'payroll_handovers');
  await recordRowChanges(db, 'payroll_handovers', { ids: ['handover_id'], hidden: ['note'], ignored: ['amounts'] });
}
