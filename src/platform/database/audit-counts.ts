import { sql } from 'kysely';
import { type Transaction } from './unit-of-work.js';

/** Adds counts to the entry of the audit log that the transaction writes at its end. */
export async function setAuditCounts(tx: Transaction, counts: Readonly<Record<string, number>>): Promise<void> {
  await sql`select set_config('app.audit_counts', ${JSON.stringify(counts)}, true)`.execute(tx.db);
}

/** Adds the control totals of a file to the entry: exact sums by currency. */
export async function setAuditTotals(
  tx: Transaction,
  totals: readonly { readonly currency: string; readonly amount: string }[],
): Promise<void> {
  await sql`select set_config('app.audit_totals', ${JSON.stringify(totals)}, true)`.execute(tx.db);
}
