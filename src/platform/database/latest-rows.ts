import { type RawBuilder, sql } from 'kysely';
import { type Transaction } from './unit-of-work.js';

/** The last row of each key in a history, in a transaction with `asOf` of those until then, as a table expression. */
export function latestRows(
  tx: Transaction,
  history: string,
  key: readonly string[],
  conditions: readonly RawBuilder<unknown>[] = [],
): RawBuilder<unknown> {
  const columns = sql.join(key.map((name) => sql.ref(name)));
  const until = sql`changed_at <= ${tx.until}::timestamptz`;
  return sql`(
    select distinct on (${columns}) * from ${sql.table(history)}
    where ${sql.join([sql`workspace_id = ${tx.workspaceId}`, until, ...conditions], sql` and `)}
    order by ${columns}, position desc) latest`;
}
