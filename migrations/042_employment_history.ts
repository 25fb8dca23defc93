import { type Kysely, sql } from 'kysely';
import { insertOnly, tenantTable } from './tenant-table.js';

/** The days of employment that were replaced. Each row is the state since then. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table employment_history (
      workspace_id uuid not null,
      position bigint generated always as identity,
      changed_at timestamptz not null default now(),
      rep_id uuid not null,
      hire_date date,
      end_date date,
      primary key (workspace_id, rep_id, position),
      foreign key (workspace_id, rep_id) references reps,
      check (hire_date <= end_date)
    )`.execute(db);
  await tenantTable(db, 'employment_history');
  await insertOnly(db, 'employment_history');
  await sql`
    insert into employment_history (workspace_id, changed_at, rep_id, hire_date, end_date)
    select workspace_id, created_at, rep_id, hire_date, end_date from reps
    where hire_date is not null or end_date is not null`.execute(db);
}
