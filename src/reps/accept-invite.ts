import { type Work } from '../platform/database/unit-of-work.js';

/** The first sign-in of somebody who was invited. */
export async function acceptInvite(trx: Work, workspaceId: string, repId: string): Promise<void> {
  await trx
    .updateTable('reps')
    .set({ invite_status: 'accepted' })
    .where('workspace_id', '=', workspaceId)
    .where('rep_id', '=', repId)
    .where('invite_status', '=', 'invited')
    .execute();
}
