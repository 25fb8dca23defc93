import { Failure } from '../kernel/failure.js';
import { type Work } from '../platform/database/unit-of-work.js';

export async function assertDealExists(trx: Work, workspaceId: string, dealId: string): Promise<void> {
  const deal = await trx
    .selectFrom('deals')
    .select('deal_id')
    .where('workspace_id', '=', workspaceId)
    .where('deal_id', '=', dealId)
    .executeTakeFirst();
  if (deal === undefined) throw new Failure('deal_not_found', 'There is no such deal in this workspace.');
}
