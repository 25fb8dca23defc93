import { sql } from 'kysely';
import { type Clock } from '../kernel/clock.js';
import { isOutage, isTransient } from '../platform/database/database-errors.js';
import { type Work } from '../platform/database/unit-of-work.js';
import { calculateRequests, type Lane, lockLane, pendingRequests } from './calculate-lane.js';
import { loadRepTerms } from './rep-terms.js';

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
export interface CalculatedFirst {
  readonly repIds: readonly string[];
  readonly jobIds: readonly string[];
}

/** A lane takes a few milliseconds, during which all other writes to the workspace wait. */
const maxLanesUnderLock = 50;

/**
 * Calculates every request of the affected reps in the transaction of a change that must come after them. The caller
 * holds the configuration lock, so no other calculation runs. Cascades and ranks that follow are calculated too.
 * Lanes whose last calculation failed are skipped: they are retried later and must not block the change.
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
    // Deletes are sent with the commit, so requests of an earlier run in this transaction are still visible.
    const requests = (await pendingRequests(trx, lane)).filter((request) => !taken.has(request.request_id));
    for (const request of requests) taken.add(request.request_id);
    const terms = await loadRepTerms(trx, lane.workspaceId, lane.repId);
    return await calculateRequests(trx, clock, lane, { locked, requests, terms, startedAt: clock.now() });
  } catch (error) {
    if (isTransient(error) || isOutage(error)) throw error;
    throw new PendingCalculations([lane.repId]);
  }
}

/** The affected reps that have requests other than those already taken, except reps whose lane has failed. */
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
