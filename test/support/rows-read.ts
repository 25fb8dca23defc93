import { sql } from 'kysely';
import { type Transaction } from '#src/platform/database/transaction.js';

/** The rows of the table that the transaction has read so far. Unlike times, they do not depend on the load of the machine. */
export async function rowsRead(tx: Transaction, table: string): Promise<number> {
  const { rows } = await sql<{ read: number }>`
    select (seq_tup_read + coalesce(idx_tup_fetch, 0))::int as read from pg_stat_xact_user_tables
    where relname = ${table}`.execute(tx.db);
  return rows[0]?.read ?? 0;
}
