import { sql } from 'kysely';
import { recordAuditEntry } from '../../audit/audit-entry.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { recordEvent } from '../../platform/outbound/outgoing-events.js';
import { type CrmPermission, type CrmProvider } from '../adapters/port.js';
import { stopSyncRuns } from '../sync/stop-sync-runs.js';
import { selectConnection, updateConnection } from './crm-connection-row.js';

interface Who {
  readonly actor: string;
}

/** How deliveries of the CRM are assigned to the workspace. */
export interface InboundRoute {
  readonly route: string;
  readonly secret: Buffer | null;
}

export interface NewConnection {
  readonly provider: CrmProvider;
  readonly accountId: string | null;
  readonly credentials: Buffer;
  /** Id of the webhook registered in the account. */
  readonly webhookId: string | null;
  /** Null keeps the present route. */
  readonly inbound: InboundRoute | null;
  /** The check before connecting found these permissions. */
  readonly permissions: readonly CrmPermission[];
  /** Interval of the polls, unless the connection has one. */
  readonly pollSeconds: number;
}

/**
 * Stores a connection, or replaces it. Poll positions of another account do not apply to this one. The same account is
 * polled at once (its `poll_due_at` is null), because changes since the last poll may be missing.
 */
export async function saveConnection(tx: Transaction, who: Who, connection: NewConnection): Promise<void> {
  const { provider, accountId, credentials, webhookId, inbound, pollSeconds } = connection;
  const permissions = JSON.stringify(connection.permissions);
  const { actor } = who;
  const wasBroken = await isBroken(tx, provider);
  await sql`
    insert into crm_connections as c (workspace_id, provider, connected_at, account_id, credentials, connected_by,
      webhook_id, permissions, poll_due_at)
    values (${tx.workspaceId}, ${provider}, now(), ${accountId}, ${credentials}, ${actor},
      ${webhookId}, ${permissions}::jsonb, now() + ${pollSeconds} * interval '1 second')
    on conflict (workspace_id, provider) do update set connected_at = now(), account_id = excluded.account_id,
      credentials = excluded.credentials, connected_by = excluded.connected_by, webhook_id = excluded.webhook_id,
      permissions = excluded.permissions, broken_at = null, broken_reason = null, reconcile_rejected_at = null,
      poll_due_at = case when c.account_id = excluded.account_id and c.polled_through is not null then null
        else now() + coalesce(c.poll_seconds, ${pollSeconds}) * interval '1 second' end,
      deal_url = case when c.account_id = excluded.account_id then c.deal_url end,
      polled_through = case when c.account_id = excluded.account_id then c.polled_through end,
      deletions_through = case when c.account_id = excluded.account_id then c.deletions_through end`.execute(tx.db);
  if (inbound !== null) await replaceRoute(tx, provider, inbound);
  await recordAuditEntry(tx, who, { trigger: 'crm_connected', scope: 'workspace', details: { provider, accountId } });
  if (wasBroken) await recordRecovery(tx, provider);
}

async function replaceRoute(tx: Transaction, provider: CrmProvider, { route, secret }: InboundRoute): Promise<void> {
  await deleteRoutes(tx, provider);
  await tx.db
    .insertInto('inbound_routes')
    .values({ workspace_id: tx.workspaceId, source: provider, route, secret })
    .execute();
}

/** Replaces how deliveries are assigned to the workspace, and writes the audit entry. */
export async function rotateRoute(
  tx: Transaction,
  who: Who,
  provider: CrmProvider,
  inbound: InboundRoute,
): Promise<void> {
  await replaceRoute(tx, provider, inbound);
  await recordAuditEntry(tx, who, { trigger: 'crm_secret_rotated', scope: 'workspace', details: { provider } });
}

/** Stores a webhook that replaces another one; false if the connection has a different one by now. */
export async function replaceWebhook(
  tx: Transaction,
  provider: CrmProvider,
  { from, ...to }: InboundRoute & { readonly from: string },
): Promise<boolean> {
  const { numUpdatedRows } = await updateConnection(tx, provider)
    .set({ webhook_id: to.route })
    .where('webhook_id', '=', from)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return false;
  await replaceRoute(tx, provider, to);
  const details = { provider };
  await recordAuditEntry(
    tx,
    { actor: 'orchestrator' },
    { trigger: 'crm_webhook_repaired', scope: 'workspace', details },
  );
  return true;
}

async function isBroken(tx: Transaction, provider: CrmProvider): Promise<boolean> {
  const row = await selectConnection(tx, provider).select('broken_at').forUpdate().executeTakeFirst();
  return (row?.broken_at ?? null) !== null;
}

async function recordRecovery(tx: Transaction, provider: CrmProvider): Promise<void> {
  await recordEvent(tx, { type: 'crm.connection_recovered', data: { provider } });
}

/** Replaces credentials with newer ones; false if the old ones are no longer those of the connection. */
export async function replaceCredentials(
  tx: Transaction,
  provider: CrmProvider,
  { from, to }: { readonly from: Buffer; readonly to: Buffer },
): Promise<boolean> {
  const wasBroken = await isBroken(tx, provider);
  const { numUpdatedRows } = await updateConnection(tx, provider)
    .set({ credentials: to, broken_at: null, broken_reason: null })
    .where('credentials', '=', from)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return false;
  if (wasBroken) await recordRecovery(tx, provider);
  return true;
}

/** Marks the connection as broken, once, unless the CRM was connected again meanwhile. */
export async function markBroken(
  tx: Transaction,
  provider: CrmProvider,
  rejected: Buffer,
  reason: string,
): Promise<void> {
  const { numUpdatedRows } = await updateConnection(tx, provider)
    .set({ broken_at: sql<Date>`now()`, broken_reason: reason })
    .where('credentials', '=', rejected)
    .where('broken_at', 'is', null)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return;
  const details = { provider, reason };
  await recordAuditEntry(
    tx,
    { actor: 'orchestrator' },
    { trigger: 'crm_broken', scope: 'workspace', outcome: 'failed', details },
  );
  await recordEvent(tx, { type: 'crm.connection_broken', data: details });
}

/** What a connection has besides the settings of its CRM. */
const noConnection = {
  connected_at: null,
  account_id: null,
  deal_url: null,
  credentials: null,
  connected_by: null,
  broken_at: null,
  broken_reason: null,
  webhook_id: null,
  last_sync_at: null,
  polled_through: null,
  deletions_through: null,
  members_hash: null,
  poll_due_at: null,
  permissions: null,
  reconcile_rejected_at: null,
} as const;

/**
 * Deletes the connection, stops its syncs, writes the audit entry, and returns whether there was one. Imported data and
 * the settings of the CRM stay, so that the next connection reads and writes the same fields.
 */
export async function deleteConnection(tx: Transaction, who: Who, provider: CrmProvider): Promise<boolean> {
  const { numUpdatedRows } = await updateConnection(tx, provider)
    .set(noConnection)
    .where('connected_at', 'is not', null)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return false;
  await stopSyncRuns(tx, provider);
  await deleteRoutes(tx, provider);
  await tx.db
    .deleteFrom('crm_fields')
    .where('workspace_id', '=', tx.workspaceId)
    .where('provider', '=', provider)
    .execute();
  await recordAuditEntry(tx, who, { trigger: 'crm_disconnected', scope: 'workspace', details: { provider } });
  return true;
}

async function deleteRoutes(tx: Transaction, provider: CrmProvider): Promise<void> {
  await tx.db
    .deleteFrom('inbound_routes')
    .where('workspace_id', '=', tx.workspaceId)
    .where('source', '=', provider)
    .execute();
}

/** The address of a deal's page in the CRM, as of a sync. */
export async function saveDealUrl(tx: Transaction, provider: CrmProvider, url: string | null): Promise<void> {
  await updateConnection(tx, provider)
    .set({ deal_url: url })
    .where(sql<boolean>`deal_url is distinct from ${url}`)
    .execute();
}

/** What the connection needs, as of a check. */
export async function savePermissions(
  tx: Transaction,
  provider: CrmProvider,
  permissions: readonly CrmPermission[],
): Promise<void> {
  await updateConnection(tx, provider)
    .set({ permissions: JSON.stringify(permissions) })
    .execute();
}

/** Stored also while the CRM is not connected, and applied when it is. */
export async function setSyncEnabled(tx: Transaction, provider: CrmProvider, enabled: boolean): Promise<void> {
  await tx.db
    .insertInto('crm_connections')
    .values({ workspace_id: tx.workspaceId, provider, connected_at: null, sync_enabled: enabled })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'provider']).doUpdateSet({ sync_enabled: enabled }))
    .execute();
}

/** Changes when and whether the CRM is polled; absent settings stay. False if the CRM is not connected. */
export async function updatePolling(
  tx: Transaction,
  provider: CrmProvider,
  {
    syncEnabled,
    pollSeconds,
  }: { readonly syncEnabled?: boolean | undefined; readonly pollSeconds?: number | null | undefined },
): Promise<boolean> {
  const { numUpdatedRows } = await updateConnection(tx, provider)
    .set({
      ...(syncEnabled === undefined ? {} : { sync_enabled: syncEnabled }),
      ...(pollSeconds === undefined ? {} : { poll_seconds: pollSeconds, poll_due_at: null }),
    })
    .where('connected_at', 'is not', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
