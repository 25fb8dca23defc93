import { type RawBuilder, sql } from 'kysely';
import { type Caller } from '../../kernel/caller.js';
import { Failure } from '../../kernel/failure.js';
import { newId } from '../../kernel/ids.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type Basis, type ToolCall } from './basis.js';
import { type StoredPreview } from './change-preview.js';
import {
  maxPending,
  maxPendingPerRequester,
  type Outdated,
  type StoredCaller,
  toStoredCaller,
} from './change-request.js';
import { presentStatus } from './change-request-status.js';
import { type Previewed } from './preview-change.js';

const validDays = 7;
const maxOutcomeBytes = 64 * 1024;

interface NewChangeRequest extends ToolCall, Previewed {
  readonly title: string;
  readonly basis: Basis;
}

/** Stores the change for a decision. Returns its id. */
export async function insertChangeRequest(
  tx: Transaction,
  caller: Caller,
  { tool, title, input, preview, moves, basis }: NewChangeRequest,
): Promise<string> {
  const { repId, agent } = caller;
  // The lock serializes requests of a workspace, so that concurrent requests count each other.
  await sql`select pg_advisory_xact_lock(hashtextextended(${`change requests:${tx.workspaceId}`}, 0))`.execute(tx.db);
  await assertFewPending(tx, caller);
  const requestId = newId();
  await tx.db
    .insertInto('change_requests')
    .values({
      workspace_id: tx.workspaceId,
      request_id: requestId,
      rep_id: repId,
      connection_id: agent?.connectionId ?? null,
      token_id: requesterKey(caller),
      caller: JSON.stringify(toStoredCaller(caller)),
      tool,
      title,
      input: JSON.stringify(input),
      preview: preview === null ? null : JSON.stringify(preview),
      moves: sql`${moves}::uuid[]`,
      basis: JSON.stringify(basis),
      status: 'pending',
      expires_at: sql<Date>`now() + make_interval(days => ${validDays})`,
    })
    .execute();
  return requestId;
}

/** The id of the key that was sent; null for a session or an agent, whose requests are those of their person. */
function requesterKey({ repId, tokenId }: Caller): string | null {
  return repId === null ? (tokenId ?? null) : null;
}

/** Rejects a request if too many of the requester or the workspace wait for a decision. */
export async function assertFewPending(tx: Transaction, caller: Caller): Promise<void> {
  const { rows } = await sql<{ all: number; own: number }>`
    select count(*)::int as "all", (count(*) filter (
      where c.rep_id is not distinct from ${caller.repId}::uuid and c.token_id is not distinct from ${requesterKey(caller)}::uuid
    ))::int as own
    from change_requests c
    where c.workspace_id = ${tx.workspaceId} and c.status in ('pending', 'running')
      and ${presentStatus} = 'pending'`.execute(tx.db);
  const { all, own } = rows[0] as (typeof rows)[number];
  if (own >= maxPendingPerRequester)
    throw new Failure(
      'rate_limited',
      `${own} change requests of yours wait for a decision. A person has to decide first.`,
    );
  if (all >= maxPending)
    throw new Failure('rate_limited', `${all} change requests wait for a decision. Decide some first.`);
}

/** A request and who may decide about it: everyone for null, otherwise the person. */
export interface RequestRef {
  readonly requestId: string;
  readonly repId: string | null;
}

export interface RequestedChange extends ToolCall {
  readonly requestId: string;
  readonly caller: StoredCaller;
  readonly preview: StoredPreview | null;
  readonly moves: readonly string[];
  readonly basis: Basis;
  /** Whether the preview was calculated for a person within the last minutes. */
  readonly isFresh: boolean;
}

/** The pending request; null if it was decided, has ended or is not visible to the person. */
export async function findPending(tx: Transaction, ref: RequestRef): Promise<RequestedChange | null> {
  const { rows } = await sql<RequestedChange>`
    select c.request_id as "requestId", c.tool, c.input, c.caller, c.preview, c.moves, c.basis,
      coalesce((c.basis -> 'isForPerson')::boolean
        and (c.preview ->> 'calculatedAt')::timestamptz > now() - interval '5 minutes', false) as "isFresh"
    from change_requests c
    where c.workspace_id = ${tx.workspaceId} and ${isPending(ref)}`.execute(tx.db);
  return rows[0] ?? null;
}

function isPending({ requestId, repId }: RequestRef): RawBuilder<boolean> {
  return sql`c.request_id = ${requestId} and (${repId}::uuid is null or c.rep_id = ${repId})
    and ${presentStatus} = 'pending'`;
}

/** What the next approval refers to. */
interface Shown extends Previewed {
  readonly basis: Basis;
  /** Undefined keeps the stored value. */
  readonly outdated?: Outdated;
}

export async function storeShown(
  tx: Transaction,
  requestId: string,
  { preview, moves, basis, outdated }: Shown,
): Promise<void> {
  await tx.db
    .updateTable('change_requests')
    .set({
      preview: preview === null ? null : JSON.stringify(preview),
      moves: sql`${moves}::uuid[]`,
      basis: JSON.stringify(basis),
      ...(outdated === undefined ? {} : { outdated: JSON.stringify(outdated) }),
    })
    .where('workspace_id', '=', tx.workspaceId)
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

/** Takes a pending request out of the list, once; false if it was decided, has ended or is not visible to the person. */
export async function decide(
  tx: Transaction,
  { actor }: Caller,
  ref: RequestRef,
  { status, reason, runId }: Decision,
): Promise<boolean> {
  const { rows } = await sql`
    update change_requests c set status = ${status}, decided_by = ${actor}, decided_at = now(), reason = ${reason},
      run_id = case when ${status} = 'running' then ${runId}::uuid end
    where c.workspace_id = ${tx.workspaceId} and ${isPending(ref)}
    returning 1`.execute(tx.db);
  return rows.length > 0;
}

export interface Run {
  readonly requestId: string;
  readonly runId: string;
}

/** Whether a transaction of the run has committed. */
export async function hasWritten(tx: Transaction, { requestId, runId }: Run): Promise<boolean> {
  const { rows } = await sql`
    select from change_requests
    where workspace_id = ${tx.workspaceId} and request_id = ${requestId} and run_id = ${runId} and has_written`.execute(
    tx.db,
  );
  return rows.length > 0;
}

/** Lets people decide again about a change that was not run. */
export async function returnToPending(tx: Transaction, { requestId, runId }: Run): Promise<void> {
  await tx.db
    .updateTable('change_requests')
    .set({ status: 'pending', decided_by: null, decided_at: null, reason: null, run_id: null })
    .where('workspace_id', '=', tx.workspaceId)
    .where('request_id', '=', requestId)
    .where('run_id', '=', runId)
    .where('has_written', '=', false)
    .execute();
}

/**
 * Records in the transaction of a change that its run has written, so that it is known after the process was lost. Only a
 * transaction with an id has written. Rolls back if the request waits for a decision again.
 */
export async function recordWritten(tx: Transaction, { requestId, runId }: Run): Promise<void> {
  const { rows } = await sql<{ lost: boolean }>`
    with noted as (
      update change_requests set has_written = true
      where workspace_id = ${tx.workspaceId} and request_id = ${requestId} and run_id = ${runId}
        and pg_current_xact_id_if_assigned() is not null
      returning 1
    )
    select pg_current_xact_id_if_assigned() is not null and not exists (select from noted) as lost`.execute(tx.db);
  if (rows[0]?.lost === true)
    throw new Failure('request_in_progress', 'The change took too long, so it waits for a decision again.');
}

/** Does nothing if the request waits for a decision again. */
export async function storeOutcome(
  tx: Transaction,
  { requestId, runId }: Run,
  status: 'done' | 'failed',
  outcome: unknown,
): Promise<void> {
  const text = JSON.stringify(outcome ?? null);
  await tx.db
    .updateTable('change_requests')
    .set({ status, outcome: Buffer.byteLength(text) > maxOutcomeBytes ? null : text, run_id: null })
    .where('workspace_id', '=', tx.workspaceId)
    .where('request_id', '=', requestId)
    .where('run_id', '=', runId)
    .execute();
}
