import { sql } from 'kysely';
import { type Caller } from '../kernel/caller.js';
import { Failure } from '../kernel/failure.js';
import { newId } from '../kernel/ids.js';
import { type Work } from '../platform/database/unit-of-work.js';
import { type RawInput } from '../platform/operation-dispatcher.js';
import { maxPending, type StoredCaller, toStoredCaller } from './change-request.js';

const validDays = 7;
const maxOutcomeBytes = 64 * 1024;

export interface NewChangeRequest {
  readonly tool: string;
  readonly title: string;
  readonly input: RawInput;
}

/** Stores the change for a decision. Returns its id. */
export async function insertChangeRequest(
  trx: Work,
  caller: Caller,
  { tool, title, input }: NewChangeRequest,
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
      status: 'pending',
      decided_by: null,
      decided_at: null,
      reason: null,
      outcome: null,
      expires_at: sql<Date>`now() + make_interval(days => ${validDays})`,
    })
    .execute();
  return requestId;
}

export interface DecidedRequest {
  readonly tool: string;
  readonly input: RawInput;
  readonly caller: StoredCaller;
}

/** Takes a pending request out of the list, once; null if it was decided, has expired or is not visible to the person. */
export async function decide(
  trx: Work,
  { workspaceId, actor }: Caller,
  requestId: string,
  decision: { readonly status: 'running' | 'rejected'; readonly reason: string | null; readonly repId: string | null },
): Promise<DecidedRequest | null> {
  const { rows } = await sql<DecidedRequest>`
    update change_requests set status = ${decision.status}, decided_by = ${actor}, decided_at = now(),
      reason = ${decision.reason}
    where workspace_id = ${workspaceId} and request_id = ${requestId} and status = 'pending' and expires_at > now()
      and (${decision.repId}::uuid is null or rep_id = ${decision.repId})
    returning tool, input, caller`.execute(trx);
  return rows[0] ?? null;
}

export async function storeOutcome(
  trx: Work,
  workspaceId: string,
  requestId: string,
  status: 'done' | 'failed',
  outcome: unknown,
): Promise<void> {
  const text = JSON.stringify(outcome ?? null);
  await trx
    .updateTable('change_requests')
    .set({ status, outcome: Buffer.byteLength(text) > maxOutcomeBytes ? null : text })
    .where('workspace_id', '=', workspaceId)
    .where('request_id', '=', requestId)
    .execute();
}
