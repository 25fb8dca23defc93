import { type RunOutcome } from '../../audit/audit-tables.js';
import { type BlockedChange } from '../../engine/model.js';
import { type Clock } from '../../kernel/clock.js';
import { currentDay, type Day, type DayRange, hull, intersection, isWithin } from '../../kernel/day.js';
import { newId } from '../../kernel/ids.js';
import { EventLoopSlice, inParallel } from '../../kernel/waiting.js';
import { type Transaction, type UnitOfWork } from '../../platform/database/unit-of-work.js';
import { failpoint } from '../../platform/failpoint.js';
import { loadCurrentDaysOfEach } from '../input/current-days.js';
import { computeKnownTotals, movesUntil } from '../input/known-totals.js';
import { computeWindow } from '../input/load-window.js';
import { type LoadedRepInput, loadRepInputs } from '../input/rep-input.js';
import { calendarOf, loadTerms, type RepTerms } from '../input/rep-terms.js';
import { type AppliedDifference, applyDifferences, type LaneDifference } from '../output/apply-difference.js';
import { recordChangedAmounts } from '../output/changed-amounts.js';
import { computeDifference, type Difference } from '../output/difference.js';
import { type CalculationRequest, requestCalculation, type Trigger } from '../requests/calculation-requests.js';
import { findDependentRequests, findFollowUpsOfJobs } from '../requests/dependents.js';
import {
  affectedDays,
  distinctCauses,
  type PeriodCheck,
  requestChecks,
  selectPeriodsToCheck,
} from '../requests/period-checks.js';
import { requestWriteBack, type WriteBackRequest } from '../requests/write-back-requests.js';
import { calculateInSlices } from './calculate-in-slices.js';
import { continueFromFirstActivity } from './continue-from-first-activity.js';
import { divideLane, maxDealsOfLane } from './divide-windows.js';
import { isAllDays, isCompleteMark, isOfOthers, saveFreshnessMarks, toFreshnessMark } from './lane-freshness.js';
import {
  distinctJobs,
  distinctTriggers,
  hullOfDays,
  type LockedLane,
  loadPendingRequests,
  lockLanes,
  type PendingRequest,
} from './lanes.js';
import { finishRequests, type LaneResult, markComplete, recordRuns, resetFailures, toOutcome } from './record-runs.js';
import { findRefundRequests, type RefundsOfLane, refundsOfLane } from './refund-requests.js';
import { shortenWindow } from './shorten-windows.js';

interface LaneDependencies {
  readonly unitOfWork: UnitOfWork;
  readonly clock: Clock;
  /** It defaults to {@link maxDealsOfLane}. */
  readonly maxDeals?: number;
}

interface LaneRun {
  readonly repId: string;
  /** `busy`: another worker holds the lane and processes its requests. `idle`: there was no request. */
  readonly state: 'ran' | 'idle' | 'busy';
  readonly outcome: RunOutcome | null;
  readonly eventsWritten: number;
  readonly eventsReversed: number;
  /** Changes that approved periods blocked. */
  readonly blocked: readonly BlockedChange[];
  readonly jobIds: readonly string[];
}

/** The runs of a batch of lanes, and the reps for which they wrote requests and period checks. */
export interface BatchRun {
  readonly runs: readonly LaneRun[];
  readonly wakes: readonly string[];
  readonly checks: readonly string[];
}

/** A locked lane with the input of its calculation, read in this order. */
export interface LaneInput {
  readonly locked: LockedLane;
  readonly requests: readonly PendingRequest[];
  readonly terms: RepTerms;
}

/** A lane with the days that this run calculates, and the requests that it completes. */
interface LaneWindow extends LaneInput {
  readonly window: DayRange;
  readonly carriedFrom?: Day;
}

/**
 * Processes all requests of a batch of lanes in one transaction: lock the lanes, read the requests, load the windows, run
 * the engine rep by rep, write the differences, write one audit row for each lane. Request ids are read before any data,
 * and exactly these requests are deleted, so a request that arrives during the run stays. Running it twice is harmless:
 * the second run finds no request or no difference.
 */
export async function calculateLanes(
  { unitOfWork, clock, maxDeals }: LaneDependencies,
  workspaceId: string,
  repIds: readonly string[],
  { wait }: { readonly wait: boolean },
): Promise<BatchRun> {
  return unitOfWork.run({ workspaceId }, { lock: 'shared', access: 'write' }, async (tx) => {
    tx.markAffected([]);
    // Pipelined in this order: the locks, the request ids, then data. The server executes each statement after the
    // previous one, so all data is read under the locks.
    const [lanes, requests, terms] = await inParallel(
      () => lockLanes(tx, repIds, { wait }),
      () => loadPendingRequests(tx, repIds),
      () => loadTerms(tx, repIds),
    );
    const startedAt = clock.now();
    await failpoint('lane.afterRequests');
    const inputs = terms.flatMap((ofRep): LaneInput[] => {
      const [locked, pending] = [lanes.get(ofRep.repId), requests.get(ofRep.repId)];
      return locked === undefined || pending === undefined ? [] : [{ locked, requests: pending, terms: ofRep }];
    });
    const { runs, ...effects } = await calculateRequests(tx, clock, inputs, startedAt, maxDeals);
    const calculated = new Set(runs.map(({ repId }) => repId));
    const others = repIds.filter((repId) => !calculated.has(repId));
    return {
      runs: [...runs, ...others.map((repId) => nothingDone(repId, lanes.has(repId) ? 'idle' : 'busy'))],
      ...effects,
    };
  });
}

function nothingDone(repId: string, state: 'idle' | 'busy'): LaneRun {
  return { repId, state, outcome: null, eventsWritten: 0, eventsReversed: 0, blocked: [], jobIds: [] };
}

/** Calculates the requests of locked lanes, writes the differences and requests the reps that depend on them. */
export async function calculateRequests(
  tx: Transaction,
  clock: Clock,
  inputs: readonly LaneInput[],
  startedAt: Date,
  maxDeals = maxDealsOfLane,
): Promise<BatchRun> {
  const [first] = inputs;
  if (first === undefined) return { runs: [], wakes: [], checks: [] };
  const { workspace } = first.terms;
  tx.markAffected(inputs.map(({ terms }) => terms.repId));
  const asOf = currentDay(workspace, startedAt);
  const { lanes, rest } = await computeLaneWindows(tx, await continueFromFirstActivity(tx, inputs, asOf), maxDeals);
  const { results, movedUntil, refunds } = await calculateWindows(tx, lanes, asOf);
  const ofRefunds = await findRefundRequests(tx, lanes, refunds);
  const wakes = await requestDependents(tx, lanes, results, [...(rest?.(movedUntil) ?? []), ...ofRefunds]);
  await failpoint('lane.afterOthers');
  // All of these are sent with the commit.
  recordRuns(tx, results, { startedAt, clock });
  finishRequests(tx, results);
  if (workspace.writesBack) requestWriteBack(tx, results.flatMap(toWriteBackRequests));
  resetFailures(tx, results);
  saveMarks(tx, lanes, results, asOf);
  const checked = results.filter(({ checks }) => checks.length > 0);
  requestChecks(tx, checked.flatMap(toPeriodChecks));
  await failpoint('lane.beforeCommit');
  return { runs: results.map(toLaneRun), wakes, checks: checked.map(({ repId }) => repId) };
}

/** Includes the days of events of which only the trace changed, because the trace contains the attainment. */
function toWriteBackRequests({ repId, difference: { days } }: LaneResult): WriteBackRequest[] {
  return days === null ? [] : [{ repId, days }];
}

function toPeriodChecks({ repId, checks, requests }: LaneResult): PeriodCheck[] {
  const causes = distinctCauses(requests);
  return checks.map((period) => ({ repId, period, causes }));
}

/** The windows of the lanes, and the requests for what remains of a lane that is divided. */
async function computeLaneWindows(
  tx: Transaction,
  inputs: readonly LaneInput[],
  maxDeals: number,
): Promise<{
  readonly lanes: readonly LaneWindow[];
  readonly rest: ((movesUntil: Day | null) => readonly CalculationRequest[]) | null;
}> {
  const lanes = inputs.map((input) => ({ ...input, window: computeWindow(input.terms, hullOfDays(input.requests)) }));
  const [only] = lanes;
  if (lanes.length !== 1 || only === undefined) return { lanes: lanes.map(shortenWindow), rest: null };
  const { lane, rest } = await divideLane(tx, only, maxDeals);
  return { lanes: [lane], rest };
}

function toLaneRun(result: LaneResult): LaneRun {
  return {
    repId: result.repId,
    state: 'ran',
    outcome: toOutcome(result),
    eventsWritten: result.difference.eventsWritten,
    eventsReversed: result.difference.eventsReversed,
    blocked: result.blocked,
    jobIds: distinctJobs(result.requests),
  };
}

type Calculated = LaneDifference &
  Pick<LaneResult, 'blocked' | 'deals' | 'skipped' | 'planVersionIds' | 'checks'> & {
    readonly lane: LaneWindow;
    readonly refunds: RefundsOfLane | null;
    /** See {@link movesUntil}. */
    readonly movesUntil: Day | null;
  };

async function calculateWindows(
  tx: Transaction,
  windows: readonly LaneWindow[],
  asOf: Day,
): Promise<{
  readonly results: LaneResult[];
  readonly movedUntil: Day | null;
  readonly refunds: readonly (RefundsOfLane | null)[];
}> {
  const inputs = await loadRepInputs(tx, windows, asOf, { explain: false });
  await failpoint('lane.afterRead');
  const { lanes, applied } = await applyDifferences(tx, calculateEach(windows, inputs));
  if (windows[0]?.terms.workspace.sendsEvents === true) await recordChangedAmounts(tx, lanes, applied);
  const results = lanes.map(({ lane, movesUntil: _, refunds: __, ...result }, index) => {
    const difference = applied[index] as AppliedDifference;
    return {
      ...result,
      locked: lane.locked,
      requests: lane.requests,
      formerDays: formerDays(lane, result, difference),
      difference,
    };
  });
  // Only a lane that is calculated alone is divided.
  return { results, movedUntil: lanes[0]?.movesUntil ?? null, refunds: lanes.map(({ refunds }) => refunds) };
}

/** Takes each input out of the array: the deals of calculated lanes would stay in memory until all lanes are written. */
async function* calculateEach(windows: readonly LaneWindow[], inputs: LoadedRepInput[]): AsyncGenerator<Calculated> {
  const slice = new EventLoopSlice();
  for (const window of windows) {
    await slice.pause();
    yield await calculate(window, inputs.shift() as LoadedRepInput, slice);
  }
}

async function calculate(lane: LaneWindow, input: LoadedRepInput, slice: EventLoopSlice): Promise<Calculated> {
  const { repId } = lane.terms;
  const result = await calculateInSlices(input, slice);
  const { decisions, blocked } = result;
  const difference = await computeDifference(repId, input, result, slice);
  const paidDeals = new Set(decisions.map((decision) => decision.dealKey));
  return {
    ...difference,
    lane,
    repId,
    runId: newId(),
    cleared: lane.locked.clearedAt !== null,
    allDays: isAllDays(lane.window),
    hasTruedUp: input.hasTruedUp,
    totals: computeKnownTotals(lane.terms, input, result, difference),
    movesUntil: movesUntil(lane.terms, lane.window, difference),
    refunds: refundsOfLane(lane.terms, input, difference),
    blocked,
    deals: input.deals.length,
    skipped: input.deals.filter((deal) => !paidDeals.has(deal.dealId)).length,
    planVersionIds: [...new Set(decisions.map((decision) => decision.planVersionId))],
    checks: selectPeriodsToCheck(lane.terms, computeAffectedDays(lane), input),
  };
}

/**
 * The days that begin with less credit because earned rows outside the window no longer count: to the ends of their
 * periods. The calculation of the day of such a row no longer finds it, so it would not change the days after it.
 */
function formerDays(
  { terms, window }: LaneWindow,
  { writes, reversals }: Difference,
  { displaced }: AppliedDifference,
): DayRange | null {
  const calendar = calendarOf(terms);
  const known = [...writes.flatMap(({ before }) => before ?? []), ...reversals];
  return [...known.filter(({ status }) => status === 'earned'), ...displaced]
    .filter(({ earnedOn }) => !isWithin(earnedOn, window))
    .map(({ earnedOn, period }): DayRange => ({ from: earnedOn, to: calendar.findRange(period)?.to ?? earnedOn }))
    .reduce<DayRange | null>((days, day) => (days === null ? day : hull(days, day)), null);
}

function computeAffectedDays({ terms, window, requests }: LaneWindow): DayRange {
  return affectedDays(terms, intersection(hullOfDays(requests), window), window);
}

/**
 * Requests the reps that depend on the changed rows, or on a changed deal whose events stayed the same, the days outside
 * the windows on which rows no longer count, and the rest of a divided lane.
 */
async function requestDependents(
  tx: Transaction,
  lanes: readonly LaneWindow[],
  results: readonly LaneResult[],
  rest: readonly CalculationRequest[],
): Promise<string[]> {
  // A deal that moved to another rep and period may have been calculated there already. Its managers have then counted
  // the events that were reversed only here.
  const reversed = results.map(({ difference }) => difference.reversedKeys);
  const currentDays = await loadCurrentDaysOfEach(tx, reversed);
  const moves = lanes.map(({ terms, window, requests }, index) => {
    const { days, creditsMoved } = (results[index] as LaneResult).difference;
    const dealsChanged = requests.filter(({ trigger, continues }) => changedDealTriggers.has(trigger) && !continues);
    return {
      terms,
      creditsMoved,
      window,
      days: [
        ...(days === null ? [] : [days]),
        ...(currentDays[index] ?? []),
        ...(dealsChanged.length === 0 ? [] : [hullOfDays(dealsChanged)]),
        ...blockedDays(lanes[index] as LaneWindow, results[index] as LaneResult),
      ],
      jobIds: distinctJobs(requests),
    };
  });
  const dependents = await findDependentRequests(tx, moves);
  const ofJobs = await findFollowUpsOfJobs(tx, lanes.map(toRunOfJobs));
  const requested = [...rest, ...dependents, ...ofJobs, ...results.flatMap(formerDaysRequests)];
  await requestCalculation(tx, requested);
  return [...new Set(requested.map(({ repId }) => repId))];
}

function toRunOfJobs({ terms, window, requests }: LaneWindow) {
  return {
    terms,
    window,
    requestIds: requests.map((request) => request.request_id),
    jobIds: distinctJobs(requests),
    isRequested: requests.some(({ trigger, job_id: jobId }) => jobId !== null && !isOfOthers(trigger)),
  };
}

/** A retained row was replaced by one within the window, or reversed: the deals after it have less credit before them. */
function formerDaysRequests({ repId, formerDays: days, requests }: LaneResult): CalculationRequest[] {
  if (days === null) return [];
  const jobIds = distinctJobs(requests);
  return (jobIds.length === 0 ? [undefined] : jobIds).map((jobId) => ({ repId, days, trigger: 'deal_change', jobId }));
}

/**
 * An approved period keeps its rows, so no changed row requests the managers above, although a new calculation of their
 * periods counts what this period would pay. A run that was itself requested for a rep below has no need to: those
 * requests include every manager above.
 */
function blockedDays(lane: LaneWindow, { checks, requests }: LaneResult): DayRange[] {
  const isFirst = requests.some(({ trigger }) => trigger !== 'cascade');
  return isFirst && checks.length > 0 ? [computeAffectedDays(lane)] : [];
}

/** Triggers after which managers are calculated although the events of the rep stay the same. */
const changedDealTriggers: ReadonlySet<Trigger> = new Set([
  'deal_change',
  'deal_deletion',
  'credits',
  'lines',
  'import',
  'sync',
  'mapping_change',
]);

/** Most lanes have no freshness mark to update. */
function saveMarks(tx: Transaction, lanes: readonly LaneWindow[], results: readonly LaneResult[], asOf: Day): void {
  const marks = results.map((result, index) => {
    const { terms, window } = lanes[index] as LaneWindow;
    const { repId, locked, requests } = result;
    const run = { ...result, terms, window, asOf, triggers: distinctTriggers(requests) };
    return { repId, locked, mark: toFreshnessMark(run, locked.mark) };
  });
  saveFreshnessMarks(
    tx,
    marks.filter(({ locked, mark }) => locked.mark !== null || mark !== null),
  );
  const completed = marks.filter(({ locked, mark }) => !locked.isComplete && isCompleteMark(mark));
  markComplete(
    tx,
    completed.map(({ repId }) => repId),
  );
}
