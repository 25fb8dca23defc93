import { type RawBuilder, sql } from 'kysely';
import { type Caller } from '../kernel/caller.js';
import { Failure } from '../kernel/failure.js';
import { newId } from '../kernel/ids.js';
import { type Work } from '../platform/database/unit-of-work.js';
import { type RawInput } from '../platform/operation-dispatcher.js';
import { type StoredPreview } from './change-preview.js';
import { maxPending, type StoredCaller, toStoredCaller } from './change-request.js';

const validDays = 7;
const maxOutcomeBytes = 64 * 1024;

interface NewChangeRequest {
  readonly tool: string;
  readonly title: string;
  readonly input: RawInput;
  readonly preview: StoredPreview | null;
}

/** Stores the change for a decision. Returns its id. */
export async function insertChangeRequest(
  trx: Work,
  caller: Caller,
  { tool, title, input, preview }: NewChangeRequest,
): Promise<string> {
  const { workspaceId, repId } = caller;
  const { count } = await trx
    .selectFrom('change_requests')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('workspace_id', '=', workspaceId)
    .where('status', '=', 'pending')
    .where('expires_at', '>', sql<Date>`now()`)
    .executeTakeFirstOrThrow();
  if (count >= maxPending)
    throw new Failure('rate_limited', `${maxPending} change requests wait for a decision. Decide some first.`);
  const requestId = newId();
  await trx
    .insertInto('change_requests')
    .values({
      workspace_id: workspaceId,
      request_id: requestId,
      rep_id: repId,
      caller: JSON.stringify(toStoredCaller(caller)),
      tool,
      title,
      input: JSON.stringify(input),
      preview: preview === null ? null : JSON.stringify(preview),
      status: 'pending',
      expires_at: sql<Date>`now() + make_interval(days => ${validDays})`,
    })
    .execute();
  return requestId;
}

/** A request and who may decide about it: everyone for null, otherwise the person. */
export interface RequestRef {
  readonly requestId: string;
  readonly repId: string | null;
}

export interface RequestedChange {
  readonly tool: string;
  readonly input: RawInput;
  readonly caller: StoredCaller;
}

/** The pending request; null if it was decided, has expired or is not visible to the person. */
export async function findPending(
  trx: Work,
  workspaceId: string,
  { requestId, repId }: RequestRef,
): Promise<RequestedChange | null> {
  const { rows } = await sql<RequestedChange>`
    select tool, input, caller from change_requests
    where workspace_id = ${workspaceId} and ${isPending(requestId, repId)}`.execute(trx);
  return rows[0] ?? null;
}

function isPending(requestId: string, repId: string | null): RawBuilder<boolean> {
  return sql`request_id = ${requestId} and status = 'pending' and expires_at > now()
    and (${repId}::uuid is null or rep_id = ${repId})`;
}

export async function storePreview(
  trx: Work,
  workspaceId: string,
  requestId: string,
  preview: StoredPreview,
): Promise<void> {
  await trx
    .updateTable('change_requests')
    .set({ preview: JSON.stringify(preview) })
    .where('workspace_id', '=', workspaceId)
    .where('request_id', '=', requestId)
    .where('status', '=', 'pending')
    .execute();
}

export interface Decision {
  readonly status: 'running' | 'rejected';
  readonly reason: string | null;
  /** Identifies the run of an approved change. */
  readonly runId: string;
}

/** Takes a pending request out of the list, once; null if it was decided, has expired or is not visible to the person. */
export async function decide(
  trx: Work,
  { workspaceId, actor }: Caller,
  { requestId, repId }: RequestRef,
  { status, reason, runId }: Decision,
): Promise<RequestedChange | null> {
  const { rows } = await sql<RequestedChange>`
    update change_requests set status = ${status}, decided_by = ${actor}, decided_at = now(), reason = ${reason},
      run_id = case when ${status} = 'running' then ${runId}::uuid end
    where workspace_id = ${workspaceId} and ${isPending(requestId, repId)}
    returning tool, input, caller`.execute(trx);
  return rows[0] ?? null;
}

/** The run of an approved change. */
export interface Run {
  readonly workspaceId: string;
  readonly requestId: string;
  readonly runId: string;
}

/**
 * Records in the transaction of a change that its run has written, so that it is known after the process was lost. Only a
 * transaction with an id has written. Rolls back if the request waits for a decision again.
 */
export async function noteWritten(trx: Work, { workspaceId, requestId, runId }: Run): Promise<void> {
  const { rows } = await sql<{ lost: boolean }>`
    with noted as (
      update change_requests set has_written = true
      where workspace_id = ${workspaceId} and request_id = ${requestId} and run_id = ${runId}
        and pg_current_xact_id_if_assigned() is not null
      returning 1
    )
    select pg_current_xact_id_if_assigned() is not null and not exists (select from noted) as lost`.execute(trx);
  if (rows[0]?.lost === true)
    throw new Failure('request_in_progress', 'The change took too long, so it waits for a decision again.');
}

/** Does nothing if the request waits for a decision again. */
export async function storeOutcome(
  trx: Work,
  { workspaceId, requestId, runId }: Run,
  status: 'done' | 'failed',
  outcome: unknown,
): Promise<void> {
  const text = JSON.stringify(outcome ?? null);
  await trx
    .updateTable('change_requests')
    .set({ status, outcome: Buffer.byteLength(text) > maxOutcomeBytes ? null : text, run_id: null })
    .where('workspace_id', '=', workspaceId)
    .where('request_id', '=', requestId)
    .where('run_id', '=', runId)
    .execute();
}
