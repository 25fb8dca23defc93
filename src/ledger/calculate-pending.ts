import { sql } from 'kysely';
import { type Clock } from '../kernel/clock.js';
import { isOutage, isTransient } from '../platform/database/database-errors.js';
import { type Work } from '../platform/database/unit-of-work.js';
import { calculateRequests, type Lane, lockLane, pendingRequests } from './calculate-lane.js';
import { loadRepTerms } from './rep-terms.js';

/** Reps whose pending requests come first; null stands for everyone of the workspace. */
export type Affected = readonly string[] | null;

/** More is pending than may be calculated under the lock, or one of the lanes fails: it has to be done outside first. */
export class PendingCalculations extends Error {
  override readonly name = 'PendingCalculations';

  constructor(readonly repIds: readonly string[]) {
    super(`${repIds.length} lanes have pending requests`);
  }
}

/** What was calculated in the transaction of a change, to be completed after its commit. */
export interface CalculatedFirst {
  readonly repIds: readonly string[];
  readonly jobIds: readonly string[];
}

/** A lane takes some milliseconds, and nobody else writes to the workspace meanwhile. */
const maxLanesUnderLock = 50;

/**
 * Calculates every request of the affected reps in the transaction of a change that must not come before them. The
 * caller holds the configuration lock: no calculation runs, so whatever is committed is seen here and whatever is not
 * comes after the change. Cascades and ranks that follow are calculated too. Lanes that have failed are left out: they
 * are retried later and must not prevent the change.
 */
export async function calculatePending(
  trx: Work,
  clock: Clock,
  workspaceId: string,
  affected: Affected,
): Promise<CalculatedFirst> {
  const taken = new Set<string>();
  const repIds = new Set<string>();
  const jobIds = new Set<string>();
  for (let lanes = 0; ; ) {
    const pending = await pendingReps(trx, workspaceId, affected, taken);
    if (pending.length === 0) return { repIds: [...repIds], jobIds: [...jobIds] };
    lanes += pending.length;
    if (lanes > maxLanesUnderLock) throw new PendingCalculations(pending);
    for (const repId of pending) {
      const run = await calculateOne(trx, clock, { workspaceId, repId }, taken);
      for (const wake of run.wakes) repIds.add(wake);
      for (const jobId of run.jobIds) jobIds.add(jobId);
    }
  }
}

async function calculateOne(trx: Work, clock: Clock, lane: Lane, taken: Set<string>) {
  try {
    const locked = await lockLane(trx, lane, true);
    if (locked === null) throw new Error(`the rep ${lane.repId} has no lane`);
    // Requests are deleted with the commit, so those of an earlier run of this transaction are still there.
    const requests = (await pendingRequests(trx, lane)).filter((request) => !taken.has(request.request_id));
    for (const request of requests) taken.add(request.request_id);
    const terms = await loadRepTerms(trx, lane.workspaceId, lane.repId);
    return await calculateRequests(trx, clock, lane, { locked, requests, terms, startedAt: clock.now() });
  } catch (error) {
    if (isTransient(error) || isOutage(error)) throw error;
    throw new PendingCalculations([lane.repId]);
  }
}

/** Those of the affected reps with requests other than the ones taken, unless their lane has failed. */
export async function pendingReps(
  trx: Work,
  workspaceId: string,
  affected: Affected,
  taken: ReadonlySet<string> = new Set(),
): Promise<string[]> {
  const { rows } = await sql<{ rep_id: string }>`
    select distinct q.rep_id from calculation_requests q
    join lanes l on l.workspace_id = q.workspace_id and l.rep_id = q.rep_id and l.attempts = 0 and l.parked_at is null
    where q.workspace_id = ${workspaceId} and q.request_id <> all(${[...taken]}::bigint[])
      and ${affected === null ? sql`true` : sql`q.rep_id = any(${affected}::uuid[])`}
    order by q.rep_id`.execute(trx);
  return rows.map((row) => row.rep_id);
}
