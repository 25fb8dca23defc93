import { type Caller } from '../kernel/caller.js';
import { type Work } from '../platform/database/unit-of-work.js';

/** What a person did to a rep's statement, as the audit log tells it. */
export interface Act {
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
  readonly dealId?: string | null;
  readonly eventsWritten?: number;
  readonly eventsReversed?: number;
  readonly details: Readonly<Record<string, unknown>>;
  readonly at: Date;
}

export async function recordAct(trx: Work, { workspaceId, actor }: Caller, act: Act): Promise<void> {
  await trx
    .insertInto('audit_runs')
    .values({
      workspace_id: workspaceId,
      run_id: act.runId,
      actor,
      trigger: act.trigger,
      scope: 'statement',
      deal_id: act.dealId ?? null,
      rep_id: act.repId,
      period: act.period,
      outcome: 'written',
      events_written: act.eventsWritten ?? 0,
      events_reversed: act.eventsReversed ?? 0,
      blocked: null,
      details: JSON.stringify(act.details),
      error: null,
      started_at: act.at,
    })
    .execute();
}
