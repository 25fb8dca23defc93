import { type Work } from '../platform/database/unit-of-work.js';
import { takeLeaseAway } from '../platform/jobs/leases.js';
import { leaseOfPull } from './crm-pull.js';
import { listSyncs, restartSync } from './crm-pull-store.js';

/**
 * Syncs that are under way begin anew, since the deals that they have brought were removed and whoever asks for a sync
 * joins the one that runs. Who works on it must write nothing more; the sweep soon finds it without a worker.
 */
export async function restartSyncs(trx: Work, workspaceId: string): Promise<void> {
  for (const pullId of await listSyncs(trx, workspaceId)) {
    await takeLeaseAway(trx, workspaceId, leaseOfPull(pullId));
    await restartSync(trx, workspaceId, pullId);
  }
}
