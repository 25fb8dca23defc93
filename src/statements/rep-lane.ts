import { Failure } from '../kernel/failure.js';
import { isUuid } from '../kernel/ids.js';
import { lockLane, lockLanes } from '../ledger/lanes/lanes.js';
import { repNotFound } from '../people/reps/rep.js';
import { findRepName } from '../people/reps/rep-views.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type StatementKey } from './statement.js';

/**
 * Locks the rep's lane and returns the rep's name. Calculations take the same lock, so each of them runs entirely
 * before or after this transaction. Workers skip a locked lane, so `hold` makes requests that arrive meanwhile
 * run after the release.
 */
export async function lockRep(tx: Transaction, repId: string): Promise<string> {
  tx.hold(repId);
  if (!isUuid(repId) || (await lockLane(tx, repId)) === null) throw repNotFound();
  return (await findRepName(tx, repId)) ?? '';
}

/** Locks the lanes of the reps as {@link lockRep} does, except those that another transaction holds. Returns the locked reps. */
export async function lockFreeReps(tx: Transaction, repIds: readonly string[]): Promise<string[]> {
  const locked = [...(await lockLanes(tx, repIds, { wait: false })).keys()];
  for (const repId of locked) tx.hold(repId);
  return locked;
}

/**
 * Whether calculation requests of the rep exist. The days of a request do not matter: every request may change an
 * attainment that the payouts of the period depend on. A failed lane keeps its requests.
 */
export async function hasRequests(tx: Transaction, { repId }: Omit<StatementKey, 'period'>): Promise<boolean> {
  const request = await tx.db
    .selectFrom('calculation_requests')
    .select('request_id')
    .where('workspace_id', '=', tx.workspaceId)
    .where('rep_id', '=', repId)
    .limit(1)
    .executeTakeFirst();
  return request !== undefined;
}

/**
 * Whether calculation requests exist; the caller holds the rep's lane. Fails if the last calculation failed, because
 * waiting does not help then.
 */
export async function isCalculationPending(tx: Transaction, key: StatementKey): Promise<boolean> {
  if (!(await hasRequests(tx, key))) return false;
  const lane = await tx.db
    .selectFrom('lanes')
    .select('attempts')
    .where('workspace_id', '=', tx.workspaceId)
    .where('rep_id', '=', key.repId)
    .executeTakeFirst();
  if ((lane?.attempts ?? 0) > 0)
    throw new Failure(
      'calculation_pending',
      'The commission of this rep could not be calculated. See the audit log for the error.',
    );
  return true;
}
