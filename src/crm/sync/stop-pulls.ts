import { failPull } from '../../ledger/requests/calculation-jobs.js';
import { type Work } from '../../platform/database/unit-of-work.js';
import { revokeLease } from '../../platform/jobs/leases.js';
import { type CrmProvider } from '../adapters/port.js';
import { leaseOfPull } from './crm-pull.js';
import { deletePull } from './crm-pull-store.js';
import { storeSyncEnd } from './crm-sync-history.js';

/**
 * Ends the running syncs and polls of a CRM. Their workers lose the lease and write nothing more. Deals that were
 * recorded stay.
 */
export async function stopPulls(trx: Work, workspaceId: string, provider: CrmProvider): Promise<void> {
  for (const { pullId, kind, deals } of await pullsOf(trx, workspaceId, provider)) {
    const error = `${provider} was disconnected`;
    await revokeLease(trx, workspaceId, leaseOfPull(pullId));
    await storeSyncEnd(trx, workspaceId, pullId, { status: 'failed', failure: 'disconnected', error });
    await deletePull(trx, workspaceId, pullId);
    if (kind === 'sync')
      await failPull(trx, workspaceId, pullId, error, { provider, failure: 'disconnected', totalDeals: deals });
  }
}

/** Ends the running polls of a CRM. */
export async function stopPolls(trx: Work, workspaceId: string, provider: CrmProvider): Promise<void> {
  for (const { pullId, kind } of await pullsOf(trx, workspaceId, provider)) {
    if (kind !== 'poll') continue;
    await revokeLease(trx, workspaceId, leaseOfPull(pullId));
    await deletePull(trx, workspaceId, pullId);
  }
}

function pullsOf(trx: Work, workspaceId: string, provider: CrmProvider) {
  return trx
    .selectFrom('crm_pulls')
    .select(['pull_id as pullId', 'kind', 'deals'])
    .where('workspace_id', '=', workspaceId)
    .where('provider', '=', provider)
    .execute();
}
