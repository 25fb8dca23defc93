import { Failure } from '../kernel/failure.js';
import { type Work } from '../platform/database/unit-of-work.js';
import { type StatementKey } from './statement.js';

/**
 * Whether the rep's lane, which the caller holds, has requests left. Any request counts, whatever its days: it may
 * move an attainment that the period's payouts depend on. A lane that keeps failing will not come to rest by waiting.
 */
export async function isCalculationPending(trx: Work, { workspaceId, repId }: StatementKey): Promise<boolean> {
  const request = await trx
    .selectFrom('calculation_requests')
    .select('request_id')
    .where('workspace_id', '=', workspaceId)
    .where('rep_id', '=', repId)
    .limit(1)
    .executeTakeFirst();
  if (request === undefined) return false;
  const lane = await trx
    .selectFrom('lanes')
    .select('attempts')
    .where('workspace_id', '=', workspaceId)
    .where('rep_id', '=', repId)
    .executeTakeFirst();
  if ((lane?.attempts ?? 0) > 0)
    throw new Failure('calculation_pending', 'The commission of this rep could not be calculated. See the audit log.');
  return true;
}
