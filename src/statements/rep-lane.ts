import { Failure } from '../kernel/failure.js';
import { isUuid } from '../kernel/ids.js';
import { lockLane } from '../ledger/calculate-lane.js';
import { noteHeld, type Work } from '../platform/database/unit-of-work.js';
import { repNotFound } from '../reps/rep.js';
import { findRepName } from '../reps/rep-views.js';
import { type StatementKey } from './statement.js';

/**
 * Takes the rep's lane, as every calculation does, so that what is read and written here is wholly before or wholly
 * after each of them; gives the rep's name. A worker does not wait for a lane that is held, so requests that arrive
 * meanwhile are looked for after the release.
 */
export async function lockRep(trx: Work, workspaceId: string, repId: string): Promise<string> {
  noteHeld(trx, repId);
  if (!isUuid(repId) || (await lockLane(trx, { workspaceId, repId }, true)) === null) throw repNotFound();
  return (await findRepName(trx, workspaceId, repId)) ?? '';
}

/**
 * Whether a calculation of the rep is outstanding. Any request counts, whatever its days: it may move an attainment that
 * the period's payouts depend on. A lane that is parked keeps its requests.
 */
export async function hasRequests(trx: Work, { workspaceId, repId }: Omit<StatementKey, 'period'>): Promise<boolean> {
  const request = await trx
    .selectFrom('calculation_requests')
    .select('request_id')
    .where('workspace_id', '=', workspaceId)
    .where('rep_id', '=', repId)
    .limit(1)
    .executeTakeFirst();
  return request !== undefined;
}

/** The same under the rep's lane. Fails when the lane keeps failing, because waiting does not help then. */
export async function isCalculationPending(trx: Work, key: StatementKey): Promise<boolean> {
  if (!(await hasRequests(trx, key))) return false;
  const lane = await trx
    .selectFrom('lanes')
    .select('attempts')
    .where('workspace_id', '=', key.workspaceId)
    .where('rep_id', '=', key.repId)
    .executeTakeFirst();
  if ((lane?.attempts ?? 0) > 0)
    throw new Failure('calculation_pending', 'The commission of this rep could not be calculated. See the audit log.');
  return true;
}
