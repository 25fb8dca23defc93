import { type Work } from '../platform/database/unit-of-work.js';

/** Marks the invitation as accepted at the rep's first sign-in. */
export async function acceptInvite(trx: Work, workspaceId: string, repId: string): Promise<void> {
  await trx
    .updateTable('reps')
    .set({ invite_status: 'accepted' })
    .where('workspace_id', '=', workspaceId)
    .where('rep_id', '=', repId)
    .where('invite_status', '=', 'invited')
    .execute();
}
