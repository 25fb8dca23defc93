import { failSync } from '../../ledger/requests/calculation-jobs.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { revokeLease } from '../../platform/jobs/leases.js';
import { type CrmProvider } from '../adapters/port.js';
import { storeSyncEnd } from './crm-sync-history.js';
import { syncRunLease } from './sync-run.js';
import { deleteSyncRun } from './sync-run-store.js';

/**
 * Ends the running syncs and polls of a CRM. Their workers lose the lease and write nothing more. Deals that were
 * recorded stay.
 */
export async function stopSyncRuns(tx: Transaction, provider: CrmProvider): Promise<void> {
  for (const { syncRunId, kind, deals } of await listSyncRuns(tx, provider)) {
    const error = `${provider} was disconnected`;
    await revokeLease(tx, syncRunLease(syncRunId));
    await storeSyncEnd(tx, syncRunId, { status: 'failed', failure: 'disconnected', error });
    await deleteSyncRun(tx, syncRunId);
    if (kind === 'sync') await failSync(tx, syncRunId, error, { provider, failure: 'disconnected', totalDeals: deals });
  }
}

/** Ends the running polls of a CRM. */
export async function stopPolls(tx: Transaction, provider: CrmProvider): Promise<void> {
  for (const { syncRunId, kind } of await listSyncRuns(tx, provider)) {
    if (kind !== 'poll') continue;
    await revokeLease(tx, syncRunLease(syncRunId));
    await deleteSyncRun(tx, syncRunId);
  }
}

function listSyncRuns(tx: Transaction, provider: CrmProvider) {
  return tx.db
    .selectFrom('crm_sync_runs')
    .select(['sync_run_id as syncRunId', 'kind', 'deals'])
    .where('workspace_id', '=', tx.workspaceId)
    .where('provider', '=', provider)
    .execute();
}
