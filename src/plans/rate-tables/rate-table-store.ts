import { sql } from 'kysely';
import { type RateTable } from '../../engine/rate-table.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type RowCounts } from './rate-table.js';

interface Revision {
  readonly revision: number;
  readonly actor: string;
  readonly note: string;
  readonly counts: RowCounts;
}

/** Stores the table in place of the one with its name, and the revision. */
export async function storeTable(tx: Transaction, table: RateTable, revision: Revision): Promise<void> {
  const { name, keys, columns, rows, noMatch, currency = null } = table;
  const [keysText, columnsText] = [JSON.stringify(keys), JSON.stringify(columns)];
  await sql`
    insert into rate_tables (workspace_id, name, keys, columns, no_match, currency, revision)
    values (${tx.workspaceId}, ${name}, ${keysText}, ${columnsText}, ${noMatch}, ${currency}, ${revision.revision})
    on conflict (workspace_id, name) do update set keys = excluded.keys, columns = excluded.columns,
      no_match = excluded.no_match, currency = excluded.currency, revision = excluded.revision, updated_at = now()`.execute(
    tx.db,
  );
  await sql`delete from rate_table_rows where workspace_id = ${tx.workspaceId} and table_name = ${name}`.execute(tx.db);
  await sql`
    insert into rate_table_rows (workspace_id, table_name, position, content, effective_start, effective_end)
    select ${tx.workspaceId}::uuid, ${name}, position - 1, r - 'effectiveStart' - 'effectiveEnd',
      (r ->> 'effectiveStart')::date, (r ->> 'effectiveEnd')::date
    from jsonb_array_elements(${JSON.stringify(rows)}::jsonb) with ordinality as input (r, position)`.execute(tx.db);
  await recordRevision(tx, name, revision, table);
}

export async function removeTable(tx: Transaction, name: string, revision: Revision): Promise<void> {
  await sql`delete from rate_tables where workspace_id = ${tx.workspaceId} and name = ${name}`.execute(tx.db);
  await recordRevision(tx, name, revision, null);
}

async function recordRevision(
  tx: Transaction,
  name: string,
  { revision, actor, note, counts }: Revision,
  table: RateTable | null,
): Promise<void> {
  const content = table === null ? null : JSON.stringify(table);
  await sql`
    insert into rate_table_revisions (workspace_id, table_name, revision, actor, note, counts, content)
    values (${tx.workspaceId}, ${name}, ${revision}, ${actor}, ${note}, ${JSON.stringify(counts)}, ${content})`.execute(
    tx.db,
  );
}
