import { type Kysely, sql } from 'kysely';
import { insertOnly, tenantTable } from './tenant-table.js';

/** The products of deals, and the tables that say their rates. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createLines(db);
  await createRateTables(db);
}

async function createLines(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table deal_lines (
      workspace_id uuid not null references workspaces,
      -- of a deal that may be deleted
      deal_id text not null,
      -- the lines of the CRM count where the API has given none
      source text not null check (source in ('api', 'crm')),
      line_id text generated always as (content ->> 'lineId') stored,
      -- the order in which the lines of the source were given
      position smallint not null,
      -- the line as the engine reads it; its numbers are decimal texts
      content jsonb not null,
      primary key (workspace_id, deal_id, source, line_id),
      constraint deal_lines_line_id check (length(line_id) between 1 and 200)
    )`.execute(db);
  await tenantTable(db, 'deal_lines');
  // A CRM reports changed and deleted lines by their own ids.
  await sql`
    create index deal_lines_of_crm on deal_lines (workspace_id, line_id) where source = 'crm'`.execute(db);
  await sql`
    create table deal_line_history (
      workspace_id uuid not null references workspaces,
      deal_id text not null,
      position bigint generated always as identity,
      changed_at timestamptz not null default now(),
      -- the lines that count since then, in their order, and where they come from; null: none
      lines jsonb,
      source text check (source in ('api', 'crm')),
      primary key (workspace_id, deal_id, position),
      check ((lines is null) = (source is null))
    )`.execute(db);
  await tenantTable(db, 'deal_line_history');
  await insertOnly(db, 'deal_line_history');
  await bumpOnChange(db, 'deal_lines', ['bump_workspace_cache_version']);
  await recordChanges(db, 'deal_lines', 'deal_id,source,line_id');
}

async function createRateTables(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table rate_tables (
      workspace_id uuid not null references workspaces,
      name text not null check (length(name) between 1 and 100),
      -- [{name, field, match}], in the order in which they decide
      keys jsonb not null,
      -- [{name, kind}]
      columns jsonb not null,
      no_match text not null default 'exception' check (no_match in ('exception', 'zero')),
      -- that of its amounts; null: any
      currency text,
      revision integer not null,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      primary key (workspace_id, name)
    )`.execute(db);
  await tenantTable(db, 'rate_tables');
  await sql`create unique index rate_tables_name on rate_tables (workspace_id, lower(name))`.execute(db);
  await sql`
    create table rate_table_rows (
      workspace_id uuid not null,
      table_name text not null,
      position integer not null,
      -- {keys: {name: cell}, values: {column: value}}
      content jsonb not null,
      effective_start date,
      effective_end date,
      primary key (workspace_id, table_name, position),
      foreign key (workspace_id, table_name) references rate_tables on delete cascade,
      check (effective_start <= effective_end)
    )`.execute(db);
  await tenantTable(db, 'rate_table_rows');
  await sql`
    create table rate_table_revisions (
      workspace_id uuid not null references workspaces,
      table_name text not null,
      revision integer not null,
      changed_at timestamptz not null default now(),
      actor text not null,
      note text not null default '' check (length(note) <= 1000),
      -- numbers of rows that the change added, changed and ended
      counts jsonb not null,
      -- the table with all rows since then, as the engine reads it; null: it was deleted
      content jsonb,
      primary key (workspace_id, table_name, revision)
    )`.execute(db);
  await tenantTable(db, 'rate_table_revisions');
  await insertOnly(db, 'rate_table_revisions');
  for (const table of ['rate_tables', 'rate_table_rows'])
    await bumpOnChange(db, table, ['bump_configuration_revision', 'bump_workspace_cache_version']);
  await recordChanges(db, 'rate_tables', 'name');
  await recordChanges(db, 'rate_table_rows', 'table_name,position');
}

async function bumpOnChange(db: Kysely<unknown>, table: string, names: readonly string[]): Promise<void> {
  for (const name of names)
    await sql`
      create trigger ${sql.raw(name)} after insert or update or delete or truncate on ${sql.table(table)}
      for each statement execute function ${sql.raw(name)}()`.execute(db);
}

async function recordChanges(db: Kysely<unknown>, table: string, ids: string): Promise<void> {
  await sql`
    create trigger record_row_change after insert or update or delete on ${sql.table(table)}
    for each row when (current_setting('app.records_changes', true) = 'on')
    execute function record_row_change(${sql.lit(ids)}, '', 'updated_at')`.execute(db);
}
