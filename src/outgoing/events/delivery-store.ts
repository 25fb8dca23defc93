import { sql } from 'kysely';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { readChangedCommission } from './changed-commission.js';

/** A delivery that is due, with the endpoint's valid keys and the text that is sent. */
export interface DueDelivery {
  readonly deliveryId: string;
  readonly url: string;
  /** The keys are encrypted; the present one is the first. */
  readonly secrets: readonly Buffer[];
  readonly attempts: number;
  readonly body: string;
}

export interface Attempt {
  readonly delivery: DueDelivery;
  /** `unreachable`: the receiver cannot process any event now. */
  readonly result: 'delivered' | 'rejected' | 'unreachable';
  readonly status: number | null;
  readonly responseBody: string | null;
  readonly error: string | null;
  readonly durationMs: number;
}

/** Pauses after each attempt but the last: eight attempts within 24 hours and 11 minutes. */
const pauses = ['5 seconds', '1 minute', '10 minutes', '1 hour', '3 hours', '8 hours', '12 hours'];
const maxAttempts = pauses.length + 1;
/** Deliveries that one worker sends at the same time. */
const maxBatch = 8;

interface DueRow {
  readonly deliveryId: string;
  readonly sequenceId: string;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>> | null;
  readonly runId: string | null;
  readonly eventIds: string[] | null;
  readonly attempts: number;
  readonly createdAt: Date;
  readonly url: string;
  readonly secrets: readonly Buffer[];
}

/**
 * The first pending delivery of each sequence, if it is due. While the endpoint is unreachable, only the first of all:
 * when it succeeds, the others follow, without having used attempts. The index gives the first of the next sequence, so
 * the deliveries after it are not read.
 */
export async function claimDue(tx: Transaction, endpointId: string): Promise<DueDelivery[]> {
  const { rows } = await sql<DueRow>`
    with recursive endpoint as materialized (
      select url, failures, array[secret] || array(
        select p.secret from webhook_previous_secrets p
        where p.workspace_id = ${tx.workspaceId} and p.endpoint_id = ${endpointId} and p.valid_until > now()
        order by p.valid_until desc) as secrets
      from webhook_endpoints
      where workspace_id = ${tx.workspaceId} and endpoint_id = ${endpointId} and enabled and not_before <= now()
    ), head as (
      (select d.* from webhook_deliveries d
        where d.workspace_id = ${tx.workspaceId} and d.endpoint_id = ${endpointId} and d.status = 'pending'
        order by d.sequence_id, d.position limit 1)
      union all
      select next.* from head, lateral (
        select d.* from webhook_deliveries d
        where d.workspace_id = ${tx.workspaceId} and d.endpoint_id = ${endpointId} and d.status = 'pending'
          and d.sequence_id > head.sequence_id
        order by d.sequence_id, d.position limit 1) next
    )
    select d.delivery_id as "deliveryId", d.sequence_id as "sequenceId", d.event_type as type, d.data,
      d.run_id as "runId", d.event_ids as "eventIds", d.attempts, d.created_at as "createdAt", e.url, e.secrets
    from endpoint e cross join head d
    where e.failures > 0 or d.not_before <= now()
    order by d.position
    limit (select case when failures > 0 then 1 else ${maxBatch} end from endpoint)`.execute(tx.db);
  const due: DueDelivery[] = [];
  for (const row of rows) {
    const { deliveryId, url, secrets, attempts } = row;
    due.push({ deliveryId, url, secrets, attempts, body: await loadBody(tx, row) });
  }
  return due;
}

type StoredEvent = Pick<DueRow, 'type' | 'createdAt' | 'data' | 'sequenceId' | 'runId' | 'eventIds'>;

/** The text that is sent. What a run has changed is read from the history of the events. */
export async function loadBody(tx: Transaction, event: StoredEvent): Promise<string> {
  const { type, createdAt, data, sequenceId, runId, eventIds } = event;
  const sent = runId === null ? data : await readChangedCommission(tx, sequenceId, runId, eventIds);
  return JSON.stringify({ type, timestamp: createdAt.toISOString(), data: sent });
}

/** Stores the results of the attempts. Returns why the endpoint was disabled: a delivery has failed for the last time. */
export async function recordAttempts(
  tx: Transaction,
  endpointId: string,
  attempts: readonly Attempt[],
): Promise<string | null> {
  const isReachable = attempts.some(({ result }) => result !== 'unreachable');
  await sql`
    update webhook_endpoints set attempted_at = now(),
      failures = case when ${isReachable} then 0 else failures + 1 end,
      not_before = case when ${isReachable} then now()
        else now() + (${pauses}::interval[])[least(failures + 1, ${pauses.length})] end
    where workspace_id = ${tx.workspaceId} and endpoint_id = ${endpointId}`.execute(tx.db);
  for (const attempt of attempts) await recordAttempt(tx, attempt);
  const last = attempts.find(isLast);
  if (last === undefined) return null;
  const reason = `${last.delivery.attempts + 1} attempts to send an event failed; the last one: ${last.error}`;
  return (await disable(tx, endpointId, reason)) ? reason : null;
}

function isLast({ result, delivery }: Attempt): boolean {
  return result !== 'delivered' && delivery.attempts + 1 >= maxAttempts;
}

async function recordAttempt(tx: Transaction, attempt: Attempt): Promise<void> {
  const { delivery, result, status, responseBody, error, durationMs } = attempt;
  const next = result === 'delivered' ? 'delivered' : isLast(attempt) ? 'failed' : 'pending';
  const pause = pauses[delivery.attempts] ?? '0 seconds';
  await sql`
    update webhook_deliveries set status = ${next}, attempts = attempts + 1, attempted_at = now(),
      not_before = now() + ${pause}::interval, response_status = ${status}, response_body = ${responseBody},
      error = ${error}, duration_ms = ${durationMs}
    where workspace_id = ${tx.workspaceId} and delivery_id = ${delivery.deliveryId} and status = 'pending'`.execute(
    tx.db,
  );
}

/** False if the endpoint was disabled or deleted meanwhile. */
async function disable(tx: Transaction, endpointId: string, reason: string): Promise<boolean> {
  const { numUpdatedRows } = await tx.db
    .updateTable('webhook_endpoints')
    .set({ enabled: false, disabled_reason: reason })
    .where('workspace_id', '=', tx.workspaceId)
    .where('endpoint_id', '=', endpointId)
    .where('enabled', '=', true)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
