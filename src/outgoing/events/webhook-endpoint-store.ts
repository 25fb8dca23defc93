import { sql } from 'kysely';
import { recordAuditEntry } from '../../audit/audit-entry.js';
import { type Caller } from '../../kernel/caller.js';
import { newId } from '../../kernel/ids.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type EventType } from '../../platform/outbound/outgoing-event.js';

interface NewEndpoint {
  readonly endpointId: string;
  readonly url: string;
  readonly description: string | null;
  readonly eventTypes: readonly EventType[] | null;
  /** Encrypted. */
  readonly secret: Buffer;
}

interface EndpointChange {
  readonly url?: string | undefined;
  readonly description?: string | null | undefined;
  readonly eventTypes?: readonly EventType[] | null | undefined;
  readonly enabled?: boolean | undefined;
}

/** Changes of endpoints need the exclusive workspace lock: every calculation runs before or after them. */
export async function insertEndpoint(tx: Transaction, caller: Caller, endpoint: NewEndpoint): Promise<void> {
  const { endpointId, url, description, eventTypes, secret } = endpoint;
  await tx.db
    .insertInto('webhook_endpoints')
    .values({
      workspace_id: tx.workspaceId,
      endpoint_id: endpointId,
      url,
      description,
      event_types: eventTypes === null ? null : [...eventTypes],
      secret,
    })
    .execute();
  await recordEnabledEndpoints(tx);
  await record(tx, caller, 'webhook_endpoint_created', endpointId);
}

/** How long after an attempt that failed an endpoint that is enabled again is attempted next. */
const pauseAfterEnabling = '1 minute';

/**
 * False if there is no such endpoint. An endpoint that is enabled again receives its undelivered events first. It is
 * as unreachable as it was: one event is attempted, and the pause after a further failure continues the series.
 */
export async function updateEndpoint(
  tx: Transaction,
  caller: Caller,
  endpointId: string,
  { url, description, eventTypes, enabled }: EndpointChange,
): Promise<boolean> {
  const { numUpdatedRows } = await tx.db
    .updateTable('webhook_endpoints')
    .set({
      endpoint_id: endpointId,
      ...(url === undefined ? {} : { url }),
      ...(description === undefined ? {} : { description }),
      ...(eventTypes === undefined ? {} : { event_types: eventTypes === null ? null : [...eventTypes] }),
      ...(enabled === undefined ? {} : { enabled, disabled_reason: null }),
      ...(enabled === true ? { not_before: notBeforeAfterEnabling } : {}),
    })
    .where('workspace_id', '=', tx.workspaceId)
    .where('endpoint_id', '=', endpointId)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return false;
  if (enabled === true)
    await tx.db
      .updateTable('webhook_deliveries')
      .set({ status: 'pending', attempts: 0, not_before: sql<Date>`now()` })
      .where('workspace_id', '=', tx.workspaceId)
      .where('endpoint_id', '=', endpointId)
      .where('status', '<>', 'delivered')
      .execute();
  await recordEnabledEndpoints(tx);
  await record(tx, caller, 'webhook_endpoint_changed', endpointId);
  return true;
}

const notBeforeAfterEnabling = sql<Date>`
  least(not_before, greatest(now(), attempted_at + ${pauseAfterEnabling}::interval))`;

/** Deletes the endpoint with its deliveries; false if there is none. */
export async function deleteEndpoint(tx: Transaction, caller: Caller, endpointId: string): Promise<boolean> {
  const { numDeletedRows } = await tx.db
    .deleteFrom('webhook_endpoints')
    .where('workspace_id', '=', tx.workspaceId)
    .where('endpoint_id', '=', endpointId)
    .executeTakeFirst();
  if (numDeletedRows === 0n) return false;
  await recordEnabledEndpoints(tx);
  await record(tx, caller, 'webhook_endpoint_deleted', endpointId);
  return true;
}

/** At most this number of replaced keys signs deliveries; older ones end early. */
const maxPreviousSecrets = 5;

/**
 * Replaces the key of the endpoint; false if there is no such endpoint. Deliveries are also signed with the previous key
 * until `validUntil`; if it is null, no previous key signs them any more.
 */
export async function rotateSecret(
  tx: Transaction,
  caller: Caller,
  endpointId: string,
  { secret, validUntil }: { readonly secret: Buffer; readonly validUntil: Date | null },
): Promise<boolean> {
  const replaced = await tx.db
    .selectFrom('webhook_endpoints')
    .select('secret')
    .where('workspace_id', '=', tx.workspaceId)
    .where('endpoint_id', '=', endpointId)
    .executeTakeFirst();
  if (replaced === undefined) return false;
  await keepPreviousSecret(tx, { endpointId }, replaced.secret, validUntil);
  await tx.db
    .updateTable('webhook_endpoints')
    .set({ secret })
    .where('workspace_id', '=', tx.workspaceId)
    .where('endpoint_id', '=', endpointId)
    .execute();
  await record(tx, caller, 'webhook_endpoint_secret_rotated', endpointId);
  return true;
}

async function keepPreviousSecret(
  tx: Transaction,
  { endpointId }: { readonly endpointId: string },
  secret: Buffer,
  validUntil: Date | null,
): Promise<void> {
  const ofEndpoint = sql`workspace_id = ${tx.workspaceId} and endpoint_id = ${endpointId}`;
  if (validUntil !== null)
    await sql`
      insert into webhook_previous_secrets (workspace_id, endpoint_id, secret_id, secret, valid_until)
      values (${tx.workspaceId}, ${endpointId}, ${newId()}, ${secret}, ${validUntil})`.execute(tx.db);
  const maxStoredSecrets = validUntil === null ? 0 : maxPreviousSecrets;
  await sql`
    delete from webhook_previous_secrets where ${ofEndpoint} and secret_id not in (
      select secret_id from webhook_previous_secrets where ${ofEndpoint} and valid_until > now()
      order by valid_until desc, secret_id limit ${maxStoredSecrets})`.execute(tx.db);
}

/** Stores a delivery that a person requested. It is sent after the deliveries that are pending for the workspace. */
export async function insertTestDelivery(tx: Transaction, endpointId: string): Promise<string> {
  const deliveryId = newId();
  await tx.db
    .insertInto('webhook_deliveries')
    .values({
      workspace_id: tx.workspaceId,
      delivery_id: deliveryId,
      endpoint_id: endpointId,
      sequence_id: deliveryId,
      event_type: 'webhook.test',
      data: JSON.stringify({ message: 'The endpoint receives events.' }),
    })
    .execute();
  return deliveryId;
}

/** Sends the delivery again, with the same id; false if the endpoint has no such delivery. */
export async function replayDelivery(tx: Transaction, endpointId: string, deliveryId: string): Promise<boolean> {
  const { numUpdatedRows } = await tx.db
    .updateTable('webhook_deliveries')
    .set({ status: 'pending', attempts: 0, not_before: sql<Date>`now()` })
    .where('workspace_id', '=', tx.workspaceId)
    .where('endpoint_id', '=', endpointId)
    .where('delivery_id', '=', deliveryId)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Without an enabled endpoint, calculations do not look for endpoints. */
export async function recordEnabledEndpoints(tx: Transaction): Promise<void> {
  await sql`
    update workspaces w set sends_events = exists (
      select from webhook_endpoints e where e.workspace_id = w.workspace_id and e.enabled)
    where w.workspace_id = ${tx.workspaceId}`.execute(tx.db);
}

function record(tx: Transaction, caller: Caller, trigger: string, endpointId: string): Promise<void> {
  return recordAuditEntry(tx, caller, { trigger, scope: 'workspace', details: { endpointId } });
}
