import { Failure } from '../kernel/failure.js';
import { type Work } from '../platform/database/unit-of-work.js';
import { type StatementKey } from './statement.js';

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
