import { type Caller } from '../kernel/caller.js';
import { type Act, recordAct } from '../ledger/record-act.js';
import { type Work } from '../platform/database/unit-of-work.js';

/** What a person did to a rep's statement, as the audit log tells it. */
export interface StatementAct extends Omit<Act, 'scope'> {
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

export async function recordStatementAct(trx: Work, caller: Caller, act: StatementAct): Promise<void> {
  await recordAct(trx, caller, { ...act, scope: 'statement' });
}
