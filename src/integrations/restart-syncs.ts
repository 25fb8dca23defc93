import { type Work } from '../platform/database/unit-of-work.js';
import { takeLeaseAway } from '../platform/jobs/leases.js';
import { leaseOfPull } from './crm-pull.js';
import { deletePull, insertSync, listSyncs } from './crm-pull-store.js';

/**
 * Syncs that are under way begin anew, since the deals that they have brought were removed and whoever asks for a sync
 * joins the one that runs. Who works on it must write nothing more; the sweep soon finds it without a worker.
 */
export async function restartSyncs(trx: Work, workspaceId: string): Promise<void> {
  for (const sync of await listSyncs(trx, workspaceId)) {
    await takeLeaseAway(trx, workspaceId, leaseOfPull(sync.pullId));
    await deletePull(trx, workspaceId, sync.pullId);
    await insertSync(trx, workspaceId, sync);
  }
}
