import { newId } from '../kernel/ids.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type RunOutcome } from './audit-tables.js';

/** An action of a caller, as opposed to an engine run: an approval, a reset, a sign-in, a new key. */
export interface AuditEntry {
  readonly trigger: string;
  readonly scope: string;
  readonly runId?: string;
  readonly repId?: string;
  readonly period?: string;
  readonly dealId?: string | null;
  readonly eventsWritten?: number;
  readonly eventsReversed?: number;
  readonly statementLocked?: number;
  readonly deals?: number;
  readonly skipped?: number;
  /** It defaults to `written`. */
  readonly outcome?: RunOutcome;
  readonly error?: string;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly at?: Date;
}

/** Writes the audit entry in the transaction of the action. */
export async function recordAuditEntry(
  tx: Transaction,
  { actor }: { readonly actor: string },
  entry: AuditEntry,
): Promise<void> {
  await tx.db
    .insertInto('audit_runs')
    .values({
      workspace_id: tx.workspaceId,
      run_id: entry.runId ?? newId(),
      actor,
      trigger: entry.trigger,
      scope: entry.scope,
      deal_id: entry.dealId ?? null,
      rep_id: entry.repId ?? null,
      period: entry.period ?? null,
      outcome: entry.outcome ?? 'written',
      events_written: entry.eventsWritten ?? 0,
      events_reversed: entry.eventsReversed ?? 0,
      statement_locked: entry.statementLocked ?? 0,
      deals: entry.deals ?? 0,
      skipped: entry.skipped ?? 0,
      details: entry.details === undefined ? null : JSON.stringify(entry.details),
      error: entry.error ?? null,
      ...(entry.at === undefined ? {} : { started_at: entry.at }),
    })
    .execute();
}
