import { sql } from 'kysely';
import { type Transaction } from './unit-of-work.js';

/** Adds counts to the entry of the audit log that the transaction writes at its end. */
export function setAuditCounts(tx: Transaction, counts: Readonly<Record<string, number>>): void {
  tx.callWithCommit(sql`set_config('app.audit_counts', ${JSON.stringify(counts)}, true)`);
}

/** Adds the control totals of a file to the entry: exact sums by currency. */
export function setAuditTotals(
  tx: Transaction,
  totals: readonly { readonly currency: string; readonly amount: string }[],
): void {
  tx.callWithCommit(sql`set_config('app.audit_totals', ${JSON.stringify(totals)}, true)`);
}
