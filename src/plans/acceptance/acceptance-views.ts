import { sql } from 'kysely';
import { onlyRep } from '../../kernel/caller.js';
import { groupBy } from '../../kernel/group-by.js';
import { isUuid } from '../../kernel/ids.js';
import { mapInSlices } from '../../kernel/waiting.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type Acceptance, type AcceptanceMode } from './acceptance.js';
import { loadDocuments, type RepDocument } from './plan-document.js';

interface RequestedVersion {
  readonly planId: string;
  readonly planVersionId: string;
  readonly planName: string;
  readonly version: number;
  readonly acceptance: AcceptanceMode;
}

/** The versions that need the acceptance of people: active ones of active plans, of one plan or all. */
async function listRequestedVersions(
  tx: Transaction,
  { planRef, repId }: { readonly planRef?: string | undefined; readonly repId?: string | undefined },
): Promise<RequestedVersion[]> {
  if (planRef !== undefined && !isUuid(planRef)) return [];
  const { rows } = await sql<RequestedVersion>`
    select v.plan_id as "planId", v.plan_version_id as "planVersionId", p.name as "planName", v.version, v.acceptance
    from plan_versions v join plans p on p.workspace_id = v.workspace_id and p.plan_id = v.plan_id
    where v.workspace_id = ${tx.workspaceId} and v.acceptance <> 'none' and v.status = 'active' and p.status = 'active'
      and not exists (
        select from plan_versions s
        where s.workspace_id = v.workspace_id and s.supersedes = v.plan_version_id and s.status = 'active')
      ${planRef === undefined ? sql`` : sql`and ${planRef}::uuid in (v.plan_id, v.plan_version_id)`}
      ${
        repId === undefined
          ? sql``
          : sql`and exists (select from assignments a
        where a.workspace_id = v.workspace_id and a.plan_id = v.plan_id and a.rep_id = ${repId} and a.deleted_at is null)`
      }
    order by lower(p.name), v.version`.execute(tx.db);
  return rows;
}

interface Decided {
  readonly repId: string;
  readonly sha256: string;
  readonly decision: 'accepted' | 'declined';
  readonly signedName: string | null;
  readonly reason: string | null;
  readonly decidedAt: Date;
}

/** A person on a plan that needs acceptance, with their document and what they decided about it. */
interface AcceptanceRequest extends RepDocument {
  readonly version: RequestedVersion;
  readonly decided: Decided | undefined;
}

/** Everyone on the plan of the version, or those in `repIds`, by name. */
async function readRequests(
  tx: Transaction,
  version: RequestedVersion,
  repIds: readonly string[] | null,
): Promise<AcceptanceRequest[]> {
  const documents = await loadDocuments(tx, version.planVersionId, repIds);
  const { rows } = await sql<Decided>`
    select rep_id as "repId", sha256, decision, signed_name as "signedName", reason, decided_at as "decidedAt"
    from plan_acceptances
    where workspace_id = ${tx.workspaceId} and plan_id = ${version.planId}
      ${repIds === null ? sql`` : sql`and rep_id = any(${repIds}::uuid[])`}
    order by decided_at`.execute(tx.db);
  const decisions = groupBy(rows, ({ repId }) => repId);
  // An acceptance cannot be withdrawn: it counts whatever the person said later about the same document.
  const findDecided = (repId: string, sha256: string) => {
    const ofDocument = (decisions.get(repId) ?? []).filter((row) => row.sha256 === sha256);
    return ofDocument.find(({ decision }) => decision === 'accepted') ?? ofDocument.at(-1);
  };
  return mapInSlices(documents, (document) => ({
    ...document,
    version,
    decided: findDecided(document.repId, document.sha256),
  }));
}

/** Everyone on the plans that need acceptance, or those in `repIds`, by plan and name. */
export async function listRequests(
  tx: Transaction,
  planRef: string | undefined,
  repIds: readonly string[] | null,
): Promise<AcceptanceRequest[]> {
  const requests: AcceptanceRequest[][] = [];
  for (const version of await listRequestedVersions(tx, { planRef, repId: onlyRep(repIds) ?? undefined }))
    requests.push(await readRequests(tx, version, repIds));
  return requests.flat();
}

export function statusOf({ decided }: AcceptanceRequest): Acceptance['status'] {
  return decided?.decision ?? 'waiting';
}

export function toAcceptance(request: AcceptanceRequest): Acceptance {
  const { version, repId, repName, sha256, decided } = request;
  return {
    ...version,
    repId,
    repName,
    status: statusOf(request),
    sha256,
    ...(decided?.signedName == null ? {} : { signedName: decided.signedName }),
    ...(decided?.reason == null ? {} : { reason: decided.reason }),
    ...(decided === undefined ? {} : { decidedAt: decided.decidedAt.toISOString() }),
  };
}

/** The document of one person, if the version needs their acceptance. */
export async function findAcceptance(
  tx: Transaction,
  planVersionId: string,
  repId: string,
): Promise<(Acceptance & Pick<RepDocument, 'document'>) | null> {
  const [version] = await listRequestedVersions(tx, { planRef: planVersionId, repId });
  if (version === undefined || version.planVersionId !== planVersionId) return null;
  const [request] = await readRequests(tx, version, [repId]);
  return request === undefined ? null : { ...toAcceptance(request), document: request.document };
}
