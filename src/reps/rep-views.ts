import { isUuid } from '../kernel/ids.js';
import { type Work } from '../platform/database/unit-of-work.js';

/** The rep's name, or null when the workspace has no such rep. */
export async function findRepName(trx: Work, workspaceId: string, repId: string): Promise<string | null> {
  if (!isUuid(repId)) return null;
  const rep = await trx
    .selectFrom('reps')
    .select('name')
    .where('workspace_id', '=', workspaceId)
    .where('rep_id', '=', repId)
    .executeTakeFirst();
  return rep?.name ?? null;
}
