import { serviceCaller } from '../../kernel/caller.js';
import { groupBy } from '../../kernel/group-by.js';
import { newId } from '../../kernel/ids.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { recordStatementEntry } from '../statement-store.js';
import { type ChainState, listSubjects, loadChains, readChain } from './approval-state.js';

export interface OverdueStep {
  readonly period: string;
  readonly state: ChainState;
  readonly next: NonNullable<ChainState['next']>;
}

export async function findOverdue(tx: Transaction, now: Date): Promise<OverdueStep[]> {
  const drafts = groupBy(await listSubjects(tx, { period: null, repIds: null }), ({ period }) => period);
  const overdue: OverdueStep[] = [];
  for (const [period, listed] of drafts) {
    const chains = await loadChains(tx, period, null, now);
    if (chains === null) return [];
    for (const subject of listed) {
      const state = readChain(chains, subject);
      if (state.next?.isOverdue === true) overdue.push({ period, state, next: state.next });
    }
  }
  return overdue;
}

/** Writes an audit entry for every step that is open to the people of `escalateTo` and has none since it waits. */
export async function recordEscalations(tx: Transaction, overdue: readonly OverdueStep[], at: Date): Promise<void> {
  const escalated = overdue.filter(({ next }) => next.isEscalated);
  if (escalated.length === 0) return;
  const rows = await tx.db
    .selectFrom('audit_runs')
    .select(['rep_id', 'period', 'details', 'started_at'])
    .where('workspace_id', '=', tx.workspaceId)
    .where('trigger', '=', 'step_escalated')
    .where('started_at', '>=', new Date(Math.min(...escalated.map(({ next }) => next.since.getTime()))))
    .execute();
  const isRecorded = ({ period, state: { subject }, next }: OverdueStep) =>
    rows.some(
      (row) =>
        row.rep_id === subject.repId &&
        row.period === period &&
        (row.details as { step?: string }).step === next.step.name &&
        row.started_at >= next.since,
    );
  const caller = serviceCaller(tx.workspaceId, newId());
  for (const step of escalated.filter((each) => !isRecorded(each))) {
    const { period, state, next } = step;
    await recordStatementEntry(tx, caller, {
      runId: newId(),
      trigger: 'step_escalated',
      repId: state.subject.repId,
      period,
      details: { step: next.step.name, version: state.subject.version, signerIds: next.free },
      at,
    });
  }
}
