import { type Kysely, sql } from 'kysely';

const anyChange = 'insert or update or delete or truncate';

/** Replaces the configuration revision with every such change of the table: its rows decide what reps earn. */
export async function bumpConfigurationRevision(
  db: Kysely<unknown>,
  table: string,
  change: string = anyChange,
): Promise<void> {
  await sql`
    create trigger bump_configuration_revision after ${sql.raw(change)} on ${sql.table(table)}
    for each statement execute function bump_configuration_revision()`.execute(db);
}

/** Replaces the cache version of the workspace with every such change of the table: responses contain its rows. */
export async function bumpCacheVersion(db: Kysely<unknown>, table: string, change: string = anyChange): Promise<void> {
  await sql`
    create trigger bump_workspace_cache_version after ${sql.raw(change)} on ${sql.table(table)}
    for each statement execute function bump_workspace_cache_version()`.execute(db);
}

interface AuditedColumns {
  /** Columns that identify the row. */
  readonly ids: readonly string[];
  /** Columns with names, addresses, free text and secrets: the entry shows that they changed, not their values. */
  readonly hidden?: readonly string[];
  /** Columns that no person changes. */
  readonly ignored?: readonly string[];
}

/** Records the changes of rows for the audit entry of the call that makes them; see record_row_change. */
export async function recordRowChanges(
  db: Kysely<unknown>,
  table: string,
  { ids, hidden = [], ignored = [] }: AuditedColumns,
  operations = 'insert or update or delete',
): Promise<void> {
  await sql`
    create trigger record_row_change after ${sql.raw(operations)} on ${sql.table(table)}
    for each row when (current_setting('app.records_changes', true) = 'on')
    execute function record_row_change(${sql.lit(ids.join())}, ${sql.lit(hidden.join())}, ${sql.lit(ignored.join())})`.execute(
    db,
  );
}
