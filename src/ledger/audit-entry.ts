import { newId } from '../kernel/ids.js';
import { type Work } from '../platform/database/unit-of-work.js';
import { type RunOutcome } from './ledger-tables.js';

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
  /** Default: `written`. */
  readonly outcome?: RunOutcome;
  readonly error?: string;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly at?: Date;
}

/** Writes the audit entry in the transaction of the action. */
export async function recordAuditEntry(
  trx: Work,
  { workspaceId, actor }: { readonly workspaceId: string; readonly actor: string },
  act: AuditEntry,
): Promise<void> {
  await trx
    .insertInto('audit_runs')
    .values({
      workspace_id: workspaceId,
      run_id: act.runId ?? newId(),
      actor,
      trigger: act.trigger,
      scope: act.scope,
      deal_id: act.dealId ?? null,
      rep_id: act.repId ?? null,
      period: act.period ?? null,
      outcome: act.outcome ?? 'written',
      events_written: act.eventsWritten ?? 0,
      events_reversed: act.eventsReversed ?? 0,
      statement_locked: act.statementLocked ?? 0,
      deals: act.deals ?? 0,
      skipped: act.skipped ?? 0,
      blocked: null,
      details: act.details === undefined ? null : JSON.stringify(act.details),
      error: act.error ?? null,
      ...(act.at === undefined ? {} : { started_at: act.at }),
    })
    .execute();
}
