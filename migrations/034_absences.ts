import { type Kysely, sql } from 'kysely';
import { tenantTable } from './tenant-table.js';

/** When people work: their employment and their absences, from which prorated quotas are computed. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table reps add column hire_date date, add column end_date date,
      add constraint reps_employment_check check (end_date >= hire_date)`.execute(db);
  await sql`
    create table absences (
      workspace_id uuid not null,
      absence_id uuid not null,
      rep_id uuid not null,
      from_day date not null,
      to_day date not null,
      -- In percent of the target and of the variable target.
      quota_relief numeric(9, 6) not null check (quota_relief between 0 and 100),
      variable_relief numeric(9, 6) not null check (variable_relief between 0 and 100),
      note text check (length(note) <= 500),
      created_at timestamptz not null default now(),
      primary key (workspace_id, absence_id),
      constraint absences_natural unique (workspace_id, rep_id, from_day),
      foreign key (workspace_id, rep_id) references reps,
      check (to_day >= from_day)
    )`.execute(db);
  await tenantTable(db, 'absences');
  await createTriggers(db, 'bump_configuration_revision');
  await createTriggers(db, 'bump_workspace_cache_version');
  await sql`
    create trigger record_row_change after insert or update or delete on absences
    for each row when (current_setting('app.records_changes', true) = 'on')
    execute function record_row_change('absence_id,rep_id', 'note', '')`.execute(db);
}

/** A trigger is named after its function. On reps it has another name, since the table has one of that name. */
async function createTriggers(db: Kysely<unknown>, name: string): Promise<void> {
  await sql`
    create trigger ${sql.raw(name)} after insert or update or delete or truncate on absences
    for each statement execute function ${sql.raw(name)}()`.execute(db);
  await sql`
    create trigger ${sql.raw(`${name}_of_employment`)} after update of hire_date, end_date on reps
    for each statement execute function ${sql.raw(name)}()`.execute(db);
}
