import { sql } from 'kysely';
import { calculateRep } from '../engine/calculate.js';
import { type BlockedChange } from '../engine/model.js';
import { type Clock } from '../kernel/clock.js';
import { type Day, type DayRange, dayInZone, hull } from '../kernel/day.js';
import { newId } from '../kernel/ids.js';
import { markAffected } from '../platform/database/cache-versions.js';
import { executeWithCommit, type UnitOfWork, type Work } from '../platform/database/unit-of-work.js';
import { failpoint } from '../platform/failpoint.js';
import { type AppliedDifference, applyDifferences } from './apply-difference.js';
import { requestCalculation, type Trigger } from './calculation-requests.js';
import { currentDaysOf } from './current-days.js';
import { dependentRequests } from './dependents.js';
import { differenceOf } from './difference.js';
import { freshnessMarkOf, isAllDays, saveFreshnessMark } from './lane-freshness.js';
import { type RunOutcome } from './ledger-tables.js';
import { calculationWindow } from './load-window.js';
import { loadRepInput } from './rep-input.js';
import { loadRepTerms, type RepTerms } from './rep-terms.js';

/** The serial queue of one rep. */
export interface Lane {
  readonly workspaceId: string;
  readonly repId: string;
}

export interface LaneDependencies {
  readonly unitOfWork: UnitOfWork;
  readonly clock: Clock;
}

export interface LaneRun {
  /** `busy`: another worker holds the lane and processes its requests. `idle`: there was no request. */
  readonly state: 'ran' | 'idle' | 'busy';
  readonly outcome: RunOutcome | null;
  readonly eventsWritten: number;
  readonly eventsReversed: number;
  /** Changes that approved periods blocked. */
  readonly blocked: readonly BlockedChange[];
  /** Other reps for which this run wrote requests. */
  readonly wakes: readonly string[];
  readonly jobIds: readonly string[];
}

export interface PendingRequest {
  readonly request_id: string;
  readonly from_day: string;
  readonly to_day: string;
  readonly trigger: Trigger;
  readonly deal_id: string | null;
  readonly job_id: string | null;
}

/**
 * Processes all requests of a lane in one transaction: lock the rep, read the requests, load the window, run the
 * engine, write the difference, write an audit row. Request ids are read before any data, and exactly these requests
 * are deleted, so a request that arrives during the run stays. Running it twice is harmless: the second run finds no
 * request or no difference.
 */
export async function calculateLane(
  { unitOfWork, clock }: LaneDependencies,
  lane: Lane,
  { wait }: { readonly wait: boolean },
): Promise<LaneRun> {
  return unitOfWork.run(lane, { lock: 'shared', access: 'write' }, async (trx) => {
    markAffected(trx, []);
    // Pipelined in this order: the lock, the request ids, then data. The server executes each statement after the
    // previous one, so all data is read under the lock.
    const [locked, requests, terms] = await Promise.all([
      lockLane(trx, lane, wait),
      pendingRequests(trx, lane),
      loadRepTerms(trx, lane.workspaceId, lane.repId),
    ]);
    if (locked === null) return nothingDone('busy');
    const startedAt = clock.now();
    await failpoint('lane.afterRequests');
    if (requests.length === 0) return nothingDone('idle');
    return calculateRequests(trx, clock, lane, { locked, requests, terms, startedAt });
  });
}

/** The input of a lane's calculation, read in this order under its lock. */
export interface LaneWork {
  readonly locked: LockedLane;
  readonly requests: readonly PendingRequest[];
  readonly terms: RepTerms;
  readonly startedAt: Date;
}

/** Calculates the requests of a locked lane, writes the difference and requests the reps that depend on it. */
export async function calculateRequests(
  trx: Work,
  clock: Clock,
  lane: Lane,
  { locked, requests, terms, startedAt }: LaneWork,
): Promise<LaneRun> {
  markAffected(trx, [lane.repId]);
  const window = calculationWindow(terms, daysOf(requests));
  const asOf = dayInZone(startedAt, terms.workspace.timeZone);
  const run = await calculateWindow(trx, terms, window, asOf, locked.clearedAt !== null);
  const wakes = await requestDependents(trx, terms, window, requests, run.difference);
  await failpoint('lane.afterOthers');
  const mark = freshnessMarkOf(terms, window, asOf, triggersOf(requests), run);
  // All of these are sent with the commit.
  recordRun(trx, lane, requests, run, startedAt, clock);
  finishRequests(trx, lane, requests);
  if (locked.hasFailed) clearFailures(trx, lane);
  // Most reps have no freshness mark to update.
  if (locked.hasMark || mark !== null) saveFreshnessMark(trx, lane, mark);
  await failpoint('lane.beforeCommit');
  return {
    state: 'ran',
    outcome: outcomeOf(run),
    eventsWritten: run.difference.eventsWritten,
    eventsReversed: run.difference.eventsReversed,
    blocked: run.blocked,
    wakes,
    jobIds: distinct(requests.map((request) => request.job_id)),
  };
}

interface WindowRun {
  readonly runId: string;
  readonly difference: AppliedDifference;
  readonly blocked: readonly BlockedChange[];
  readonly deals: number;
  readonly skipped: number;
  readonly planVersionIds: readonly string[];
}

async function calculateWindow(
  trx: Work,
  terms: RepTerms,
  window: DayRange,
  asOf: Day,
  cleared: boolean,
): Promise<WindowRun> {
  const input = await loadRepInput(trx, terms, window, asOf, { explain: false });
  await failpoint('lane.afterRead');
  const result = calculateRep(input);
  const lane = {
    ...differenceOf(terms.repId, input, result),
    repId: terms.repId,
    runId: newId(),
    cleared,
    allDays: isAllDays(window),
    hasTruedUp: input.hasTruedUp,
  };
  const [difference] = (await applyDifferences(trx, terms.workspaceId, [lane])) as [AppliedDifference];
  const paidDeals = new Set(result.decisions.map((decision) => decision.dealKey));
  return {
    runId: lane.runId,
    difference,
    blocked: result.blocked,
    deals: input.deals.length,
    skipped: input.deals.filter((deal) => !paidDeals.has(deal.dealId)).length,
    planVersionIds: [...new Set(result.decisions.map((decision) => decision.planVersionId))],
  };
}

/** The stored state of a lane. */
export interface LockedLane {
  readonly clearedAt: Date | null;
  readonly hasFailed: boolean;
  /** Whether the lane has a freshness mark. */
  readonly hasMark: boolean;
}

/** Locks the lane's row. Returns null if there is none, or if another transaction holds it and `wait` is false. */
export async function lockLane(trx: Work, { workspaceId, repId }: Lane, wait: boolean): Promise<LockedLane | null> {
  const query = trx
    .selectFrom('lanes')
    .select(['cleared_at as clearedAt', sql<boolean>`attempts > 0 or parked_at is not null`.as('hasFailed')])
    .select(sql<boolean>`fresh_revision is not null`.as('hasMark'))
    .where('workspace_id', '=', workspaceId)
    .where('rep_id', '=', repId)
    .forNoKeyUpdate();
  return (await (wait ? query : query.skipLocked()).executeTakeFirst()) ?? null;
}

export async function pendingRequests(trx: Work, { workspaceId, repId }: Lane): Promise<PendingRequest[]> {
  return trx
    .selectFrom('calculation_requests')
    .select(['request_id', 'from_day', 'to_day', 'trigger', 'deal_id', 'job_id'])
    .where('workspace_id', '=', workspaceId)
    .where('rep_id', '=', repId)
    .orderBy('request_id')
    .execute() as Promise<PendingRequest[]>;
}

/** Requests the reps that depend on the changed rows, or on a changed deal whose events stayed the same. */
async function requestDependents(
  trx: Work,
  terms: RepTerms,
  window: DayRange,
  requests: readonly PendingRequest[],
  difference: AppliedDifference,
): Promise<string[]> {
  const dealsChanged = requests.filter((request) => dealTriggers.has(request.trigger));
  const days = [
    ...(difference.days === null ? [] : [difference.days]),
    // A deal that moved to another rep and period may have been calculated there already. Its managers have then counted
    // the events that were reversed only here.
    ...(await currentDaysOf(trx, terms.workspaceId, difference.reversedKeys)),
    ...(dealsChanged.length === 0 ? [] : [daysOf(dealsChanged)]),
  ];
  const dependents = await dependentRequests(trx, terms, {
    days,
    creditsMoved: difference.creditsMoved,
    window,
    jobIds: distinct(requests.map((request) => request.job_id)),
  });
  await requestCalculation(trx, terms.workspaceId, dependents);
  return [...new Set(dependents.map(({ repId }) => repId))];
}

const dealTriggers: ReadonlySet<Trigger> = new Set([
  'deal_change',
  'deal_deletion',
  'import',
  'sync',
  'mapping_change',
]);

function recordRun(
  trx: Work,
  { workspaceId, repId }: Lane,
  requests: readonly PendingRequest[],
  run: WindowRun,
  startedAt: Date,
  clock: Clock,
): void {
  const dealIds = distinct(requests.map((request) => request.deal_id));
  const periods = distinct(run.blocked.map(({ period }) => period));
  const blocked = periods.length === 0 ? null : { statementLocked: true, periods, changes: run.blocked.slice(0, 100) };
  const audit = trx.insertInto('audit_runs').values({
    workspace_id: workspaceId,
    run_id: run.runId,
    actor: 'orchestrator',
    trigger: triggersOf(requests).join(','),
    scope: dealIds.length === 1 && requests.every((request) => request.deal_id !== null) ? 'deal' : 'rep',
    deal_id: dealIds.length === 1 ? (dealIds[0] as string) : null,
    rep_id: repId,
    period: null,
    outcome: outcomeOf(run),
    events_written: run.difference.eventsWritten,
    events_reversed: run.difference.eventsReversed,
    statement_locked: run.blocked.length,
    skipped: run.skipped,
    deals: run.deals,
    blocked: blocked === null ? null : JSON.stringify(blocked),
    details: JSON.stringify({ planVersionIds: run.planVersionIds }),
    error: null,
    started_at: startedAt,
    duration_ms: clock.now().getTime() - startedAt.getTime(),
  });
  executeWithCommit(trx, audit.compile());
  const jobIds = distinct(requests.map((request) => request.job_id));
  const ofDeals = trx
    .insertInto('audit_run_deals')
    .values(dealIds.map((dealId) => ({ workspace_id: workspaceId, deal_id: dealId, run_id: run.runId })));
  const ofJobs = trx
    .insertInto('audit_run_jobs')
    .values(jobIds.map((jobId) => ({ workspace_id: workspaceId, job_id: jobId, run_id: run.runId })));
  if (dealIds.length > 0) executeWithCommit(trx, ofDeals.compile());
  if (jobIds.length > 0) executeWithCommit(trx, ofJobs.compile());
}

function outcomeOf(run: WindowRun): RunOutcome {
  if (run.blocked.length > 0) return 'statement_locked';
  if (run.difference.eventsWritten + run.difference.eventsReversed > 0) return 'written';
  return run.deals > 0 && run.skipped === run.deals ? 'skipped' : 'no_change';
}

function finishRequests(trx: Work, { workspaceId, repId }: Lane, requests: readonly PendingRequest[]): void {
  const taken = sql`
    delete from calculation_requests where workspace_id = ${workspaceId} and rep_id = ${repId}
      and request_id = any(${requests.map((request) => request.request_id)}::bigint[])`;
  executeWithCommit(trx, taken.compile(trx));
}

function clearFailures(trx: Work, { workspaceId, repId }: Lane): void {
  const cleared = trx
    .updateTable('lanes')
    .set({ attempts: 0, not_before: null, parked_at: null, last_error: null })
    .where('workspace_id', '=', workspaceId)
    .where('rep_id', '=', repId);
  executeWithCommit(trx, cleared.compile());
}

function triggersOf(requests: readonly PendingRequest[]): Trigger[] {
  return distinct(requests.map((request) => request.trigger));
}

function daysOf(requests: readonly PendingRequest[]): DayRange {
  return requests.map((request) => ({ from: request.from_day, to: request.to_day })).reduce(hull);
}

function nothingDone(state: 'idle' | 'busy'): LaneRun {
  return { state, outcome: null, eventsWritten: 0, eventsReversed: 0, blocked: [], wakes: [], jobIds: [] };
}

function distinct<T extends string>(values: readonly (T | null)[]): T[] {
  return [...new Set(values.filter((value) => value !== null))];
}
