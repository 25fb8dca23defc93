import { type Kysely, sql } from 'kysely';
import { insertOnly, tenantTable } from './tenant-table.js';

/** The states of absences and ramps that were replaced. Each row is the state since then; null after a deletion. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table absence_history (
      workspace_id uuid not null,
      position bigint generated always as identity,
      changed_at timestamptz not null default now(),
      absence_id uuid not null,
      rep_id uuid not null,
      from_day date,
      to_day date,
      quota_relief numeric(9, 6),
      variable_relief numeric(9, 6),
      primary key (workspace_id, absence_id, position),
      foreign key (workspace_id, rep_id) references reps
    )`.execute(db);
  await sql`
    create table ramp_history (
      workspace_id uuid not null references workspaces on delete cascade,
      position bigint generated always as identity,
      changed_at timestamptz not null default now(),
      ramp_id uuid not null,
      name text,
      steps jsonb,
      primary key (workspace_id, ramp_id, position),
      check ((name is null) = (steps is null))
    )`.execute(db);
  for (const table of ['absence_history', 'ramp_history']) {
    await tenantTable(db, table);
    await insertOnly(db, table);
  }
  await sql`
    insert into absence_history
      (workspace_id, changed_at, absence_id, rep_id, from_day, to_day, quota_relief, variable_relief)
    select workspace_id, created_at, absence_id, rep_id, from_day, to_day, quota_relief, variable_relief
    from absences`.execute(db);
  await sql`
    insert into ramp_history (workspace_id, changed_at, ramp_id, name, steps)
    select workspace_id, created_at, ramp_id, name, steps from ramps`.execute(db);
}
