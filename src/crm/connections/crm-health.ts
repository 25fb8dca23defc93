import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type CrmProvider } from '../adapters/port.js';
import { type CrmHealth } from '../sync/crm-sync-record.js';
import { selectConnection } from './crm-connection-row.js';

/** The health of the webhooks and of the schedule of a CRM; everything is null if it is not connected. */
export async function findHealth(tx: Transaction, provider: CrmProvider): Promise<CrmHealth> {
  const route = await tx.db
    .selectFrom('inbound_routes')
    .select(['last_received_at', 'last_verified_at', 'rejected', 'last_rejected_at'])
    .where('workspace_id', '=', tx.workspaceId)
    .where('source', '=', provider)
    .executeTakeFirst();
  const connection = await selectConnection(tx, provider)
    .select(['poll_due_at', 'last_sync_at'])
    .where('connected_at', 'is not', null)
    .executeTakeFirst();
  const poll = await tx.db
    .selectFrom('crm_syncs')
    .select('ended_at')
    .where('workspace_id', '=', tx.workspaceId)
    .where('provider', '=', provider)
    .where('kind', '=', 'poll')
    .where('status', '=', 'completed')
    .orderBy('position', 'desc')
    .limit(1)
    .executeTakeFirst();
  const iso = (instant: Date | null | undefined) => instant?.toISOString() ?? null;
  return {
    lastWebhookAt: iso(route?.last_received_at),
    lastVerifiedAt: iso(route?.last_verified_at),
    rejected: route?.rejected ?? 0,
    lastRejectedAt: iso(route?.last_rejected_at),
    lastPollAt: iso(poll?.ended_at),
    nextPollAt: iso(connection?.poll_due_at),
    lastSyncAt: iso(connection?.last_sync_at),
  };
}
