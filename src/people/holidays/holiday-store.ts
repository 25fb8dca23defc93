import { type Day } from '../../kernel/day.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type Holiday } from './holiday.js';

/** Stores the holiday in place of the one of its day. */
export async function storeHoliday(tx: Transaction, { day, name }: Holiday): Promise<void> {
  await tx.db
    .insertInto('holidays')
    .values({ workspace_id: tx.workspaceId, day, name })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'day']).doUpdateSet({ name }))
    .execute();
}

export async function removeHoliday(tx: Transaction, day: Day): Promise<void> {
  await tx.db.deleteFrom('holidays').where('workspace_id', '=', tx.workspaceId).where('day', '=', day).execute();
}
