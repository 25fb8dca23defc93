import { type RawBuilder, sql } from 'kysely';
import { type RateTable } from '../../engine/rate-table.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';

/** Whether the workspace has a rate table. */
export function hasTablesColumn(tx: Transaction): RawBuilder<boolean> {
  return sql`exists (select from rate_tables where workspace_id = ${tx.workspaceId})`;
}

/** All rate tables of a revision of the configuration, read once in a process. `revision` was read before. */
export async function loadRateTables(tx: Transaction, revision: string): Promise<readonly RateTable[]> {
  const cache = tx.cacheOf<readonly RateTable[]>();
  const key = `rate-tables ${tx.workspaceId}`;
  const cached = cache.get(revision, key);
  if (cached !== null) return cached;
  const { rows } = await sql<{ readonly revision: string; readonly tables: readonly RateTable[] }>`
    select w.configuration_revision as revision, coalesce((
      select jsonb_agg(jsonb_build_object(
        'name', t.name, 'keys', t.keys, 'columns', t.columns, 'noMatch', t.no_match, 'currency', t.currency,
        'rows', coalesce((
          select jsonb_agg(r.content || jsonb_build_object(
            'effectiveStart', r.effective_start, 'effectiveEnd', r.effective_end) order by r.position)
          from rate_table_rows r where r.workspace_id = t.workspace_id and r.table_name = t.name
        ), '[]')
      ) order by t.name)
      from rate_tables t where t.workspace_id = w.workspace_id
    ), '[]') as tables
    from workspaces w where w.workspace_id = ${tx.workspaceId}`.execute(tx.db);
  const { tables, ...read } = rows[0] as (typeof rows)[number];
  // Without the lane's lock the tables may have changed since the revision was read.
  if (read.revision === revision) cache.set(revision, key, tables, JSON.stringify(tables).length);
  return tables;
}
