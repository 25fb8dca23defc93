import { type Kysely, sql } from 'kysely';
import { tenantTable } from './tenant-table.js';

/** Which payroll file was handed over, by whom and with which totals; and which statement versions somebody has checked. */
export async function up(db: Kysely<unknown>): Promise<void> {
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
  await sql`
    create table statement_checks (
      workspace_id uuid not null,
      rep_id uuid not null,
      period text not null,
      version integer not null,
      note text check (length(note) between 1 and 1000),
      -- null for the workspace's key
      author_id uuid,
      checked_at timestamptz not null default now(),
      primary key (workspace_id, rep_id, period, version),
      foreign key (workspace_id, rep_id) references reps,
      foreign key (workspace_id, author_id) references reps
    )`.execute(db);
  await tenantTable(db, 'statement_checks');
}
