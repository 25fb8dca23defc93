import { sql } from 'kysely';
import { type RunOutcome } from '../../audit/audit-tables.js';
import { type BlockedChange } from '../../engine/model.js';
import { type Clock } from '../../kernel/clock.js';
import { type DayRange } from '../../kernel/day.js';
import { unnestRows } from '../../platform/database/columns.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type AppliedDifference } from '../output/apply-difference.js';
import { distinctDeals, distinctJobs, distinctTriggers, type LockedLane, type PendingRequest } from './lanes.js';

/** The calculation of one lane, written in the transaction of its batch. */
export interface LaneResult {
  readonly repId: string;
  readonly locked: LockedLane;
  /** The requests that the run has completed. */
  readonly requests: readonly PendingRequest[];
  readonly runId: string;
  readonly difference: AppliedDifference;
  /** The days outside the window of earned rows that the run moved into it or reversed. */
  readonly formerDays: DayRange | null;
  readonly blocked: readonly BlockedChange[];
  readonly deals: number;
  readonly skipped: number;
  readonly planVersionIds: readonly string[];
  /** The approved periods that are compared with a new calculation. */
  readonly checks: readonly string[];
}

export function toOutcome(result: LaneResult): RunOutcome {
  const { blocked, difference, deals, skipped } = result;
  if (blocked.length > 0) return 'statement_locked';
  if (difference.eventsWritten + difference.eventsReversed > 0) return 'written';
  return deals > 0 && skipped === deals ? 'skipped' : 'no_change';
}

/** Writes, with the commit, one audit row for each lane, with the deals and jobs of its requests. */
export function recordRuns(
  tx: Transaction,
  results: readonly LaneResult[],
  { startedAt, clock }: { readonly startedAt: Date; readonly clock: Clock },
): void {
  const duration = clock.now().getTime() - startedAt.getTime();
  const audit = sql`
    insert into audit_runs (workspace_id, run_id, actor, trigger, scope, deal_id, rep_id, period, outcome, events_written,
      events_reversed, statement_locked, skipped, deals, blocked, details, error, started_at, duration_ms)
    select ${tx.workspaceId}::uuid, run_id, 'orchestrator', trigger, scope, deal_id, rep_id, null, outcome, events_written,
      events_reversed, statement_locked, skipped, deals, blocked, details, null, ${startedAt}::timestamptz,
      ${duration}::integer
    from ${unnestRows(results, [
      ['run_id', 'uuid', ({ runId }) => runId],
      ['trigger', 'text', ({ requests }) => distinctTriggers(requests).join(',')],
      ['scope', 'text', toScope],
      ['deal_id', 'text', findOnlyDeal],
      ['rep_id', 'uuid', ({ repId }) => repId],
      ['outcome', 'text', toOutcome],
      ['events_written', 'integer', ({ difference }) => difference.eventsWritten],
      ['events_reversed', 'integer', ({ difference }) => difference.eventsReversed],
      ['statement_locked', 'integer', ({ blocked }) => blocked.length],
      ['skipped', 'integer', ({ skipped }) => skipped],
      ['deals', 'integer', ({ deals }) => deals],
      ['blocked', 'jsonb', blockedSummary],
      ['details', 'jsonb', ({ planVersionIds }) => JSON.stringify({ planVersionIds })],
    ])}`;
  tx.writeWithCommit(audit);
  recordSubjects(tx, results);
}

/** The deal, if the requests name only one. */
function findOnlyDeal({ requests }: LaneResult): string | null {
  const [dealId = null, ...others] = distinctDeals(requests);
  return others.length === 0 ? dealId : null;
}

function toScope(result: LaneResult): 'deal' | 'rep' {
  const isDeal = findOnlyDeal(result) !== null && result.requests.every((request) => request.deal_id !== null);
  return isDeal ? 'deal' : 'rep';
}

const maxBlockedChanges = 100;

function blockedSummary({ blocked }: LaneResult): string | null {
  if (blocked.length === 0) return null;
  const periods = [...new Set(blocked.map(({ period }) => period))];
  return JSON.stringify({ statementLocked: true, periods, changes: blocked.slice(0, maxBlockedChanges) });
}

function recordSubjects(tx: Transaction, results: readonly LaneResult[]): void {
  const deals = results.flatMap(({ runId, requests }) => distinctDeals(requests).map((id) => ({ runId, id })));
  const jobs = results.flatMap(({ runId, requests }) => distinctJobs(requests).map((id) => ({ runId, id })));
  if (deals.length > 0) {
    const ofDeals = sql`
      insert into audit_run_deals (workspace_id, deal_id, run_id) select ${tx.workspaceId}::uuid, id, run_id
      from ${unnestRows(deals, [
        ['id', 'text', ({ id }) => id],
        ['run_id', 'uuid', ({ runId }) => runId],
      ])}`;
    tx.writeWithCommit(ofDeals);
  }
  if (jobs.length === 0) return;
  const ofJobs = sql`
    insert into audit_run_jobs (workspace_id, job_id, run_id) select ${tx.workspaceId}::uuid, id, run_id
    from ${unnestRows(jobs, [
      ['id', 'uuid', ({ id }) => id],
      ['run_id', 'uuid', ({ runId }) => runId],
    ])}`;
  tx.writeWithCommit(ofJobs);
}

/** Deletes, with the commit, exactly the requests that the runs have completed. */
export function finishRequests(tx: Transaction, results: readonly LaneResult[]): void {
  const ids = results.flatMap(({ requests }) => requests.map((request) => request.request_id));
  const finished = sql`
    delete from calculation_requests where workspace_id = ${tx.workspaceId}
      and rep_id = any(${results.map(({ repId }) => repId)}::uuid[]) and request_id = any(${ids}::bigint[])`;
  tx.writeWithCommit(finished);
}

/** Lets, with the commit, lanes that failed before count from zero again. */
export function resetFailures(tx: Transaction, results: readonly LaneResult[]): void {
  const failed = results.filter(({ locked }) => locked.hasFailed).map(({ repId }) => repId);
  if (failed.length === 0) return;
  const reset = sql`
    update lanes set attempts = 0, not_before = null, parked_at = null, last_error = null
    where workspace_id = ${tx.workspaceId} and rep_id = any(${failed}::uuid[])`;
  tx.beforeCommit(reset);
}

/** Marks, with the commit, the ledger of the reps as complete again after a deletion of events. */
export function markComplete(tx: Transaction, repIds: readonly string[]): void {
  if (repIds.length === 0) return;
  const complete = sql`
    update lanes set incomplete = false where workspace_id = ${tx.workspaceId} and rep_id = any(${repIds}::uuid[])`;
  tx.beforeCommit(complete);
}
