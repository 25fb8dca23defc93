import { Failure } from '../../kernel/failure.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type CrmProvider, crmProviders } from '../adapters/port.js';
import { type Integration } from './crm-connection.js';
import { selectConnection } from './crm-connection-row.js';

/** Lists every CRM, connected or not. */
export async function listIntegrations(tx: Transaction): Promise<Integration[]> {
  const rows = await tx.db
    .selectFrom('crm_connections')
    .select([
      'provider',
      'connected_at',
      'sync_enabled',
      'broken_at',
      'broken_reason',
      'last_sync_at',
      'poll_seconds',
      'permissions',
    ])
    .where('workspace_id', '=', tx.workspaceId)
    .execute();
  const known = new Map(rows.map((row) => [row.provider, row]));
  return crmProviders.map((provider) => {
    const row = known.get(provider);
    return {
      provider,
      connected: (row?.connected_at ?? null) !== null,
      connectedAt: row?.connected_at?.toISOString() ?? null,
      syncEnabled: row?.sync_enabled ?? true,
      broken: (row?.broken_at ?? null) !== null,
      brokenReason: row?.broken_reason ?? null,
      lastSyncAt: row?.last_sync_at?.toISOString() ?? null,
      pollSeconds: row?.poll_seconds ?? null,
      permissions: [...(row?.permissions ?? [])],
    };
  });
}

/** The connected CRM, the first of several; null if there is none. */
export async function findConnectedCrm(tx: Transaction, requested?: CrmProvider): Promise<CrmProvider | null> {
  const connected = await connectedCrms(tx);
  return connected.find((provider) => provider === (requested ?? provider)) ?? null;
}

/** The CRMs that the workspace is connected to, in the order in which they were connected. */
export async function connectedCrms(tx: Transaction): Promise<CrmProvider[]> {
  const rows = await tx.db
    .selectFrom('crm_connections')
    .select('provider')
    .where('workspace_id', '=', tx.workspaceId)
    .where('connected_at', 'is not', null)
    .orderBy('connected_at')
    .orderBy('provider')
    .execute();
  return rows.map(({ provider }) => provider);
}

/** The connected CRM, or a failure if there is none. */
export async function connectedCrm(tx: Transaction, requested?: CrmProvider): Promise<CrmProvider> {
  const provider = await findConnectedCrm(tx, requested);
  if (provider === null)
    throw new Failure(
      'no_crm_configured',
      requested === undefined
        ? 'No CRM is connected to this workspace.'
        : `${requested} is not connected to this workspace.`,
    );
  return provider;
}

/** The encrypted credentials; null if the CRM is not connected or has none. */
export async function findSealedCredentials(tx: Transaction, provider: CrmProvider): Promise<Buffer | null> {
  const connected = selectConnection(tx, provider).where('connected_at', 'is not', null);
  const row = await connected.select('credentials').executeTakeFirst();
  return row?.credentials ?? null;
}

/** The webhook registered in the CRM's account. */
export async function findWebhook(tx: Transaction, provider: CrmProvider): Promise<string | null> {
  const row = await selectConnection(tx, provider).select('webhook_id').executeTakeFirst();
  return row?.webhook_id ?? null;
}

export async function hasRoute(tx: Transaction, provider: CrmProvider): Promise<boolean> {
  const row = await tx.db
    .selectFrom('inbound_routes')
    .select('route')
    .where('workspace_id', '=', tx.workspaceId)
    .where('source', '=', provider)
    .executeTakeFirst();
  return row !== undefined;
}

/** The currency of the workspace, and the time zone that converts the CRM's instants to days. */
export async function workspaceSettings(
  tx: Transaction,
): Promise<{ readonly currency: string; readonly timeZone: string }> {
  return tx.db
    .selectFrom('workspaces')
    .select(['currency', 'timezone as timeZone'])
    .where('workspace_id', '=', tx.workspaceId)
    .executeTakeFirstOrThrow();
}

/** The state of the connection; null if the CRM is not connected. */
export async function findConnection(
  tx: Transaction,
  provider: CrmProvider,
): Promise<{ readonly broken: boolean } | null> {
  const connected = selectConnection(tx, provider).where('connected_at', 'is not', null);
  const row = await connected.select('broken_at').executeTakeFirst();
  return row === undefined ? null : { broken: row.broken_at !== null };
}
