import { sql } from 'kysely';
import { findRepNames } from '../../people/reps/rep-views.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type WriteMode } from '../../platform/mcp/agent-writes.js';
import { type RawInput } from '../../platform/operations/operation-dispatcher.js';
import { type Basis } from './basis.js';
import { type StoredPreview, withNames } from './change-preview.js';
import {
  type ChangeRequest,
  type ChangeRequestStatus,
  changeRequestNotFound,
  type End,
  type Outdated,
  type StoredCaller,
} from './change-request.js';
import { presentStatus } from './change-request-status.js';
import { type RequestRef } from './change-request-store.js';
import { computeFingerprint } from './fingerprint.js';

interface Filter {
  /** Only those of this person; null for all. */
  readonly repId: string | null;
  readonly id?: string;
  readonly status?: ChangeRequestStatus | undefined;
  readonly limit: number;
}

interface Row {
  readonly id: string;
  readonly repId: string | null;
  readonly caller: StoredCaller;
  readonly tool: string;
  readonly title: string;
  readonly input: RawInput;
  readonly preview: StoredPreview | null;
  readonly basis: Basis;
  readonly outdated: Outdated | null;
  readonly status: ChangeRequestStatus;
  readonly endedBecause: End | null;
  readonly decidedBy: string | null;
  readonly decidedAt: Date | null;
  readonly reason: string | null;
  readonly outcome: unknown;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** Lists change requests, newest first. */
export async function listChangeRequests(
  tx: Transaction,
  { repId, id, status, limit }: Filter,
): Promise<ChangeRequest[]> {
  const { rows } = await sql<Row>`
    select c.request_id as id, c.rep_id as "repId", c.caller, c.tool, c.title, c.input, c.preview, c.basis, c.outdated,
      ${presentStatus} as status, case when ${presentStatus} = 'ended' then coalesce(c.ended_because,
        case when c.token_id is null then 'agent_disconnected' else 'key_invalid' end) end as "endedBecause",
      c.decided_by as "decidedBy", c.decided_at as "decidedAt", c.reason, c.outcome, c.created_at as "createdAt",
      c.expires_at as "expiresAt"
    from change_requests c
    where c.workspace_id = ${tx.workspaceId} and (${repId}::uuid is null or c.rep_id = ${repId})
      and (${id ?? null}::uuid is null or c.request_id = ${id ?? null})
      and (${status ?? null}::text is null or ${presentStatus} = ${status ?? null})
    order by c.created_at desc, c.request_id limit ${limit}`.execute(tx.db);
  const names = await loadRepNames(tx, rows);
  return rows.map(({ caller, input, preview, basis, decidedAt, createdAt, expiresAt, ...row }) => ({
    ...row,
    fingerprint: computeFingerprint({ basis, preview }),
    preview: preview === null ? null : withNames(preview, (repId) => names.get(repId) ?? ''),
    requestedBy: caller.actor,
    arguments: { ...(input.params as object), ...(input.query as object), ...(input.body as object | undefined) },
    decidedAt: decidedAt?.toISOString() ?? null,
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
  }));
}

/** The request, if the caller may see it: all for null, otherwise those of the person. */
export async function readChangeRequest(tx: Transaction, { requestId: id, repId }: RequestRef): Promise<ChangeRequest> {
  const [found] = await listChangeRequests(tx, { repId, id, limit: 1 });
  if (found === undefined) throw changeRequestNotFound();
  return found;
}

function loadRepNames(tx: Transaction, rows: readonly Row[]): Promise<ReadonlyMap<string, string>> {
  const entries = rows.flatMap(({ preview }) => [...(preview?.byRep ?? []), ...(preview?.locked ?? [])]);
  return findRepNames(
    tx,
    entries.map(({ repId }) => repId),
  );
}

/** What the workspace has set for changes by agents; null for the defaults. */
export async function findAgentWrites(tx: Transaction): Promise<WriteMode | null> {
  const { agent_writes: mode } = await tx.db
    .selectFrom('workspaces')
    .select('agent_writes')
    .where('workspace_id', '=', tx.workspaceId)
    .executeTakeFirstOrThrow();
  return mode;
}
