import { type Kysely, sql } from 'kysely';
import { insertOnly, tenantTable } from './tenant-table.js';

/** The fiscal years of a workspace, and the lists of them that it had. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table fiscal_years (
      workspace_id uuid not null references workspaces,
      year smallint not null check (year between 1900 and 2199),
      start_day date not null,
      pattern text not null check (pattern in ('months', '4-4-5', '4-5-4', '5-4-4')),
      -- Of the patterns in weeks.
      weeks smallint not null check (weeks in (52, 53)),
      primary key (workspace_id, year)
    )`.execute(db);
  await tenantTable(db, 'fiscal_years');
  await sql`
    create table fiscal_year_history (
      workspace_id uuid not null references workspaces,
      position bigint generated always as identity,
      changed_at timestamptz not null default now(),
      -- All years since then.
      years jsonb not null,
      primary key (workspace_id, position)
    )`.execute(db);
  await tenantTable(db, 'fiscal_year_history');
  await insertOnly(db, 'fiscal_year_history');
  await createTriggers(db, 'bump_configuration_revision');
  await createTriggers(db, 'bump_workspace_cache_version');
  await sql`
    create trigger record_row_change after insert or update or delete on fiscal_years
    for each row when (current_setting('app.records_changes', true) = 'on')
    execute function record_row_change('year', '', '')`.execute(db);
}

async function createTriggers(db: Kysely<unknown>, name: string): Promise<void> {
  await sql`
    create trigger ${sql.raw(name)} after insert or update or delete or truncate on fiscal_years
    for each statement execute function ${sql.raw(name)}()`.execute(db);
}
