import { type Selectable, sql } from 'kysely';
import { Failure } from '../../kernel/failure.js';
import { type Tables } from '../../platform/database/tables.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { loadBody } from './delivery-store.js';
import { endpointNotFound, type WebhookDelivery, type WebhookEndpoint } from './webhook-endpoint.js';

/** The endpoints of the workspace, newest first. */
export async function listEndpoints(tx: Transaction): Promise<WebhookEndpoint[]> {
  const rows = await tx.db
    .selectFrom('webhook_endpoints as e')
    .select(['endpoint_id', 'url', 'description', 'event_types', 'enabled', 'disabled_reason'])
    .select(['attempted_at', 'created_at'])
    .select(
      sql<number>`(select count(*)::int from webhook_deliveries d where d.workspace_id = e.workspace_id
        and d.endpoint_id = e.endpoint_id and d.status = 'pending')`.as('pending'),
    )
    .where('workspace_id', '=', tx.workspaceId)
    .orderBy('created_at', 'desc')
    .orderBy('endpoint_id')
    .execute();
  return rows.map((row) => ({
    id: row.endpoint_id,
    url: row.url,
    description: row.description,
    eventTypes: row.event_types,
    enabled: row.enabled,
    disabledReason: row.disabled_reason,
    pending: row.pending,
    lastAttemptAt: row.attempted_at?.toISOString() ?? null,
    createdAt: row.created_at.toISOString(),
  }));
}

export async function findEndpoint(tx: Transaction, endpointId: string): Promise<WebhookEndpoint | undefined> {
  return (await listEndpoints(tx)).find(({ id }) => id === endpointId);
}

/** The endpoint must exist and be enabled: a delivery that a person requests is sent at once. */
export async function assertEnabled(tx: Transaction, endpointId: string): Promise<void> {
  const endpoint = await findEndpoint(tx, endpointId);
  if (endpoint === undefined) throw endpointNotFound();
  if (!endpoint.enabled) throw new Failure('endpoint_disabled', 'The webhook endpoint is disabled. Enable it first.');
}

interface DeliveryPage {
  readonly status: WebhookDelivery['status'] | undefined;
  readonly limit: number;
  /** Only deliveries before this position. */
  readonly before: string | null;
  /** Whether the text that is sent is read too. */
  readonly bodies: boolean;
}

/** The deliveries of the endpoint, newest first, and the position of the last if there are more. */
export async function listDeliveries(
  tx: Transaction,
  endpointId: string,
  { status, limit, before, bodies }: DeliveryPage,
): Promise<{ readonly deliveries: WebhookDelivery[]; readonly next: string | null }> {
  let query = tx.db
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('workspace_id', '=', tx.workspaceId)
    .where('endpoint_id', '=', endpointId)
    .orderBy('position', 'desc')
    .limit(limit + 1);
  if (status !== undefined) query = query.where('status', '=', status);
  if (before !== null) query = query.where('position', '<', before);
  const rows = await query.execute();
  const toDelivery = async (row: (typeof rows)[number]): Promise<WebhookDelivery> => ({
    id: row.delivery_id,
    type: row.event_type,
    repId: [tx.workspaceId, row.delivery_id].includes(row.sequence_id) ? null : row.sequence_id,
    status: row.status,
    attempts: row.attempts,
    createdAt: row.created_at.toISOString(),
    lastAttemptAt: row.attempted_at?.toISOString() ?? null,
    nextAttemptAt: row.status === 'pending' ? row.not_before.toISOString() : null,
    durationMs: row.duration_ms,
    responseStatus: row.response_status,
    responseBody: row.response_body,
    error: row.error,
    ...(bodies ? { body: await loadBody(tx, toStoredEvent(row)) } : {}),
  });
  const deliveries: WebhookDelivery[] = [];
  for (const row of rows.slice(0, limit)) deliveries.push(await toDelivery(row));
  return { deliveries, next: rows.length > limit ? (rows[limit - 1]?.position ?? null) : null };
}

type DeliveryRow = Selectable<Tables['webhook_deliveries']>;

function toStoredEvent({ event_type, created_at, data, sequence_id, run_id, event_ids }: DeliveryRow) {
  return { type: event_type, createdAt: created_at, data, sequenceId: sequence_id, runId: run_id, eventIds: event_ids };
}
