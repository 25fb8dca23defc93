import { type Work } from '../platform/database/unit-of-work.js';
import { revokeLease } from '../platform/jobs/leases.js';
import { leaseOfPull } from './crm-pull.js';
import { deletePull, insertSync, listSyncs } from './crm-pull-store.js';

/**
 * Restarts running syncs, because the deals they imported were removed and a new request would join them. Their
 * workers lose the lease and write nothing more; the sweep finds the restarted syncs.
 */
export async function restartSyncs(trx: Work, workspaceId: string): Promise<void> {
  for (const sync of await listSyncs(trx, workspaceId)) {
    await revokeLease(trx, workspaceId, leaseOfPull(sync.pullId));
    await deletePull(trx, workspaceId, sync.pullId);
    await insertSync(trx, workspaceId, sync);
  }
}
