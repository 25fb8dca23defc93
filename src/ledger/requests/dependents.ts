import { sql } from 'kysely';
import { type DayRange, hull } from '../../kernel/day.js';
import { getOrInsert } from '../../kernel/get-or-insert.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { loadCascadeManagersAbove } from '../input/hierarchy.js';
import { listRankedPlans } from '../input/load-window.js';
import { type RepTerms } from '../input/rep-terms.js';
import { type CalculationRequest, type Trigger } from './calculation-requests.js';

/** A change of a rep's counted rows. */
interface RowsMoved {
  readonly terms: RepTerms;
  /** The days of changed rows, and of changed deals that cascades above read. */
  readonly days: readonly DayRange[];
  /** Plans under which credit changed. */
  readonly creditsMoved: ReadonlySet<string>;
  /** The days for which peers recalculate their rank. */
  readonly window: DayRange;
  readonly jobIds?: readonly string[];
}

/**
 * The requests for the managers above, whose cascades read these rows or deals, and for the peers whose rank may change.
 * All peers are included, since a peer that reads the ledger at the same time may have missed this change. A rep who
 * depends on several of the changes gets one request for each job.
 */
export async function findDependentRequests(
  tx: Transaction,
  moves: readonly RowsMoved[],
): Promise<CalculationRequest[]> {
  const requests = new RequestsByRep();
  await requestManagers(tx, moves, requests);
  await requestPeers(tx, moves, requests);
  return requests.all();
}

/** A run of a lane for jobs. */
interface RunOfJobs {
  readonly terms: RepTerms;
  readonly window: DayRange;
  readonly requestIds: readonly string[];
  readonly jobIds: readonly string[];
  /** Whether a job has requested the rep itself, and not someone on whom the rep depends. */
  readonly isRequested: boolean;
}

/**
 * Requests for the managers above and the peers that a calculation before the job has requested: the job waits for them
 * too. The run itself may find nothing to change, because that calculation has read the change on which the job was to
 * wait.
 */
export async function findFollowUpsOfJobs(tx: Transaction, runs: readonly RunOfJobs[]): Promise<CalculationRequest[]> {
  const ofJobs = runs.filter(({ jobIds }) => jobIds.length > 0);
  if (ofJobs.length === 0) return [];
  const { rows } = await sql<{ repId: string } & DayRange>`
    select rep_id as "repId", min(from_day) as "from", max(to_day) as "to" from calculation_requests
    where workspace_id = ${tx.workspaceId} and trigger in ('cascade', 'rank')
      and request_id <> all(${runs.flatMap(({ requestIds }) => requestIds)}::bigint[])
    group by rep_id`.execute(tx.db);
  if (rows.length === 0) return [];
  const pending = new Map(rows.map(({ repId, from, to }) => [repId, { from, to }]));
  const dependents = await findDependentRequests(
    tx,
    ofJobs.map(({ terms, window, jobIds, isRequested }) => ({
      terms,
      days: [window],
      // Only once for each rep and job: peers would request each other without end.
      creditsMoved: new Set(isRequested ? listRankedPlans([terms]) : []),
      window,
      jobIds,
    })),
  );
  return dependents.flatMap((request) => {
    const days = pending.get(request.repId);
    return days === undefined ? [] : [{ ...request, days }];
  });
}

/** Requests with the same rep, trigger and job are one request for the hull of their days. */
class RequestsByRep {
  private readonly requests = new Map<string, CalculationRequest>();

  add(repId: string, days: DayRange, trigger: Trigger, jobIds: readonly string[]): void {
    for (const jobId of jobIds.length === 0 ? [undefined] : jobIds) {
      const key = `${repId} ${trigger} ${jobId}`;
      const earlier = this.requests.get(key);
      this.requests.set(key, { repId, days: earlier === undefined ? days : hull(earlier.days, days), trigger, jobId });
    }
  }

  all(): CalculationRequest[] {
    return [...this.requests.values()];
  }
}

async function requestManagers(tx: Transaction, moves: readonly RowsMoved[], requests: RequestsByRep): Promise<void> {
  const below = moves
    .filter(({ terms, days }) => terms.hasManagers && days.length > 0)
    .map((move) => ({ repId: move.terms.repId, days: move.days.reduce(hull), move }));
  const managers = await loadCascadeManagersAbove(tx, below);
  for (const { repId, days, move } of below)
    for (const manager of managers.get(repId) ?? []) requests.add(manager, days, 'cascade', move.jobIds ?? []);
}

/** A run with trigger `rank` changes amounts but no credit, so ranks do not request each other endlessly. */
async function requestPeers(tx: Transaction, moves: readonly RowsMoved[], requests: RequestsByRep): Promise<void> {
  const movesByPlan = new Map<string, RowsMoved[]>();
  for (const move of moves)
    for (const planId of listRankedPlans([move.terms]).filter((ranked) => move.creditsMoved.has(ranked)))
      getOrInsert(movesByPlan, planId, () => []).push(move);
  if (movesByPlan.size === 0) return;
  const peers = await tx.db
    .selectFrom('assignments')
    .select(['plan_id', 'rep_id'])
    .distinct()
    .where('workspace_id', '=', tx.workspaceId)
    .where('plan_id', 'in', [...movesByPlan.keys()])
    .where('deleted_at', 'is', null)
    .execute();
  for (const [planId, ofPlan] of movesByPlan) {
    const days = ofPlan.map(({ window }) => window).reduce(hull);
    const jobIds = [...new Set(ofPlan.flatMap((move) => move.jobIds ?? []))];
    // Of several reps whose credit changed, each is a peer of the others.
    const only = ofPlan.length === 1 ? ofPlan[0]?.terms.repId : null;
    for (const peer of peers)
      if (peer.plan_id === planId && peer.rep_id !== only) requests.add(peer.rep_id, days, 'rank', jobIds);
  }
}
