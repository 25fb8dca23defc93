import { sql } from 'kysely';
import { type Clock } from '../../kernel/clock.js';
import { isOutage, isTransient } from '../../platform/database/database-errors.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { loadTerms } from '../input/rep-terms.js';
import { type BatchRun, calculateRequests, type LaneInput } from './calculate-lanes.js';
import { countDealsToCalculate } from './lane-batches.js';
import { type LockedLane, loadPendingRequests, lockLanes } from './lanes.js';

/** Reps whose pending requests are calculated first; null means every rep of the workspace. */
export type Affected = readonly string[] | null;

/** Too many lanes are pending, or a lane failed: they must be calculated before the transaction. */
export class PendingCalculations extends Error {
  override readonly name = 'PendingCalculations';

  constructor(readonly repIds: readonly string[]) {
    super(`${repIds.length} lanes have pending requests`);
  }
}

/** The reps to wake and the jobs to complete after the commit. */
interface CalculatedFirst {
  readonly repIds: readonly string[];
  readonly jobIds: readonly string[];
}

/** All other writes to the workspace wait meanwhile: a second or less. */
const maxLanesUnderLock = 50;
const maxDealsUnderLock = 10_000;

/**
 * Calculates every request of the affected reps in the transaction of a change that must come after them. The caller
 * holds the configuration lock, so no other calculation runs. Cascades and ranks that follow are calculated too.
 * Lanes whose last calculation failed are skipped: they are retried later and must not block the change.
 */
export async function calculatePending(tx: Transaction, clock: Clock, affected: Affected): Promise<CalculatedFirst> {
  const claimed = new Set<string>();
  const repIds = new Set<string>();
  const jobIds = new Set<string>();
  for (let lanes = 0; ; ) {
    const pending = await loadPendingReps(tx, affected, claimed);
    if (pending.length === 0) return { repIds: [...repIds], jobIds: [...jobIds] };
    lanes += pending.length;
    if (lanes > maxLanesUnderLock || (await countDealsToCalculate(tx, pending)) > maxDealsUnderLock)
      throw new PendingCalculations(pending);
    const { runs, wakes } = await calculateReps(tx, clock, pending, claimed);
    for (const wake of wakes) repIds.add(wake);
    for (const { jobIds: ofRun } of runs) for (const jobId of ofRun) jobIds.add(jobId);
  }
}

async function calculateReps(
  tx: Transaction,
  clock: Clock,
  repIds: readonly string[],
  claimed: Set<string>,
): Promise<BatchRun> {
  try {
    const locked = await lockLanes(tx, repIds, { wait: true });
    const requests = await loadPendingRequests(tx, repIds);
    const terms = await loadTerms(tx, repIds);
    const inputs = terms.map((ofRep): LaneInput => {
      // Deletes are sent with the commit, so requests of an earlier run in this transaction are still visible.
      const open = (requests.get(ofRep.repId) ?? []).filter((request) => !claimed.has(request.request_id));
      for (const request of open) claimed.add(request.request_id);
      return { locked: locked.get(ofRep.repId) as LockedLane, requests: open, terms: ofRep };
    });
    return await calculateRequests(tx, clock, inputs, clock.now());
  } catch (error) {
    if (isTransient(error) || isOutage(error)) throw error;
    throw new PendingCalculations(repIds);
  }
}

/** The affected reps that have requests other than those already taken, except reps whose lane has failed. */
async function loadPendingReps(
  tx: Transaction,
  affected: Affected,
  claimed: ReadonlySet<string> = new Set(),
): Promise<string[]> {
  const { rows } = await sql<{ rep_id: string }>`
    select distinct q.rep_id from calculation_requests q
    join lanes l on l.workspace_id = q.workspace_id and l.rep_id = q.rep_id and l.attempts = 0 and l.parked_at is null
    where q.workspace_id = ${tx.workspaceId} and q.request_id <> all(${[...claimed]}::bigint[])
      and ${affected === null ? sql`true` : sql`q.rep_id = any(${affected}::uuid[])`}
    order by q.rep_id`.execute(tx.db);
  return rows.map((row) => row.rep_id);
}
