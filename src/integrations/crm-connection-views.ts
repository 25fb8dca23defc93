import { Failure } from '../kernel/failure.js';
import { type CrmProvider, crmProviders } from '../platform/crm/crm-adapter.js';
import { type Work } from '../platform/database/unit-of-work.js';
import { type Integration } from './crm-connection.js';

/** Every CRM there is, connected or not. */
export async function listIntegrations(trx: Work, workspaceId: string): Promise<Integration[]> {
  const rows = await trx
    .selectFrom('crm_connections')
    .select(['provider', 'connected_at', 'sync_enabled'])
    .where('workspace_id', '=', workspaceId)
    .execute();
  const known = new Map(rows.map((row) => [row.provider, row]));
  return crmProviders.map((provider) => {
    const { connected_at: connectedAt = null, sync_enabled: syncEnabled = true } = known.get(provider) ?? {};
    return { provider, connected: connectedAt !== null, connectedAt: connectedAt?.toISOString() ?? null, syncEnabled };
  });
}

/** The CRM that the workspace is connected to, of several the first; null when there is none. */
export async function findConnectedCrm(trx: Work, workspaceId: string): Promise<CrmProvider | null> {
  const connection = await trx
    .selectFrom('crm_connections')
    .select('provider')
    .where('workspace_id', '=', workspaceId)
    .where('connected_at', 'is not', null)
    .orderBy('connected_at')
    .orderBy('provider')
    .limit(1)
    .executeTakeFirst();
  return connection?.provider ?? null;
}

/** The same for what cannot be done without one. */
export async function connectedCrm(trx: Work, workspaceId: string): Promise<CrmProvider> {
  const provider = await findConnectedCrm(trx, workspaceId);
  if (provider === null) throw new Failure('no_crm_configured', 'No CRM is connected to this workspace.');
  return provider;
}
