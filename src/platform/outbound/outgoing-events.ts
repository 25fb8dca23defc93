import { sql } from 'kysely';
import { type Transaction } from '../database/unit-of-work.js';
import { type EventType, type OutgoingEvent } from './outgoing-event.js';

/**
 * Stores one delivery of each event for each endpoint that receives its type, in the transaction of the change; nothing
 * if there is no endpoint. The caller holds a lock that orders the events about one subject: the rep's lane or the lock
 * of the workspace.
 */
export async function recordEvents(tx: Transaction, events: readonly OutgoingEvent[]): Promise<void> {
  if (events.length === 0) return;
  const rows = events.map(({ type, repId, data }) => ({ type, sequence: repId ?? tx.workspaceId, data }));
  await storeDeliveries(tx, rows);
  await tx.notify(events);
}

export async function recordEvent(tx: Transaction, event: OutgoingEvent): Promise<void> {
  await recordEvents(tx, [event]);
}

/** An event as its deliveries store it. The data of an event without data are read when it is sent. */
interface StoredEvent {
  readonly type: EventType;
  /** Deliveries with the same sequence keep their order: the id of the rep, or of the workspace. */
  readonly sequence: string;
  readonly data?: OutgoingEvent['data'];
  readonly run?: string;
  readonly events?: readonly string[] | null;
}

/** Stores the deliveries, and sends no notification. */
export async function storeDeliveries(tx: Transaction, rows: readonly StoredEvent[]): Promise<void> {
  const { numAffectedRows = 0n } = await sql`
    insert into webhook_deliveries (workspace_id, delivery_id, endpoint_id, sequence_id, event_type, data, run_id, event_ids)
    select e.workspace_id, gen_random_uuid(), e.endpoint_id, v.sequence, v.type, v.data, v.run, v.events
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      v (sequence uuid, type text, data jsonb, run uuid, events uuid[])
    join webhook_endpoints e on e.workspace_id = ${tx.workspaceId} and e.enabled
      and (e.event_types is null or v.type = any(e.event_types))`.execute(tx.db);
  if (numAffectedRows > 0n) tx.deliverEvents();
}
