import { failPull } from '../../ledger/requests/calculation-jobs.js';
import { type Work } from '../../platform/database/unit-of-work.js';
import { revokeLease } from '../../platform/jobs/leases.js';
import { type CrmProvider } from '../adapters/port.js';
import { storeSyncEnd } from './crm-sync-history.js';
import { syncRunLease } from './sync-run.js';
import { deleteSyncRun } from './sync-run-store.js';

/**
 * Ends the running syncs and polls of a CRM. Their workers lose the lease and write nothing more. Deals that were
 * recorded stay.
 */
export async function stopSyncRuns(trx: Work, workspaceId: string, provider: CrmProvider): Promise<void> {
  for (const { syncRunId, kind, deals } of await listSyncRuns(trx, workspaceId, provider)) {
    const error = `${provider} was disconnected`;
    await revokeLease(trx, workspaceId, syncRunLease(syncRunId));
    await storeSyncEnd(trx, workspaceId, syncRunId, { status: 'failed', failure: 'disconnected', error });
    await deleteSyncRun(trx, workspaceId, syncRunId);
    if (kind === 'sync')
      await failPull(trx, workspaceId, syncRunId, error, { provider, failure: 'disconnected', totalDeals: deals });
  }
}

/** Ends the running polls of a CRM. */
export async function stopPolls(trx: Work, workspaceId: string, provider: CrmProvider): Promise<void> {
  for (const { syncRunId, kind } of await listSyncRuns(trx, workspaceId, provider)) {
    if (kind !== 'poll') continue;
    await revokeLease(trx, workspaceId, syncRunLease(syncRunId));
    await deleteSyncRun(trx, workspaceId, syncRunId);
  }
}

function listSyncRuns(trx: Work, workspaceId: string, provider: CrmProvider) {
  return trx
    .selectFrom('crm_pulls')
    .select(['pull_id as syncRunId', 'kind', 'deals'])
    .where('workspace_id', '=', workspaceId)
    .where('provider', '=', provider)
    .execute();
}
