import { type Caller } from '../kernel/caller.js';
import { type AuditEntry, recordAuditEntry } from '../ledger/audit-entry.js';
import { type Work } from '../platform/database/unit-of-work.js';

/** What a person did to a rep's statement, as the audit log tells it. */
export interface StatementAuditEntry extends Omit<AuditEntry, 'scope'> {
  readonly runId: string;
  readonly trigger:
    | 'statement_approved'
    | 'statement_unlocked'
    | 'adjustment_added'
    | 'adjustment_changed'
    | 'adjustment_deleted'
    | 'true_up';
  readonly repId: string;
  readonly period: string;
}

export async function recordStatementEntry(trx: Work, caller: Caller, act: StatementAuditEntry): Promise<void> {
  await recordAuditEntry(trx, caller, { ...act, scope: 'statement' });
}
