import { sql } from 'kysely';
import { type Transaction } from './unit-of-work.js';

/** Adds counts to the entry of the audit log that the transaction writes at its end. */
export async function setAuditCounts(tx: Transaction, counts: Readonly<Record<string, number>>): Promise<void> {
  await sql`select set_config('app.audit_counts', ${JSON.stringify(counts)}, true)`.execute(tx.db);
}
