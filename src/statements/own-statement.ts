import { type Caller } from '../kernel/caller.js';
import { Failure } from '../kernel/failure.js';
import { type Work } from '../platform/database/unit-of-work.js';

/** Nobody decides on their own pay while somebody else could: keys without a person are not concerned. */
export async function refuseOwnStatement(trx: Work, caller: Caller, repId: string): Promise<void> {
  if (caller.repId !== repId) return;
  const other = await trx
    .selectFrom('reps')
    .select('rep_id')
    .where('workspace_id', '=', caller.workspaceId)
    .where('rep_id', '<>', repId)
    .where('active', '=', true)
    .where('role', 'in', ['admin', 'manager'])
    .limit(1)
    .executeTakeFirst();
  if (other !== undefined)
    throw new Failure(
      'forbidden',
      'Your own statement is approved, unlocked and trued up by another manager or admin.',
    );
}
