import { recordAuditEntry } from '../../audit/audit-entry.js';
import { type Caller } from '../../kernel/caller.js';
import { currentDay } from '../../kernel/day.js';
import { Failure } from '../../kernel/failure.js';
import { newId } from '../../kernel/ids.js';
import { loadWorkspaceTerms } from '../../ledger/input/rep-terms.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { recordEvent } from '../../platform/outbound/outgoing-events.js';
import { type Acceptance, acceptanceNotNeeded, documentChanged } from './acceptance.js';
import { findAcceptance } from './acceptance-views.js';

type PlanDecision =
  | { readonly decision: 'accepted'; readonly signedName: string; readonly sha256: string }
  | { readonly decision: 'declined'; readonly reason: string; readonly sha256?: undefined };

/** Stores what the person of the session decides about the document of the version as it is now. */
export async function decidePlan(
  tx: Transaction,
  caller: Caller,
  planVersionId: string,
  decision: PlanDecision,
  at: Date,
): Promise<Acceptance> {
  const { repId } = caller;
  if (repId === null || caller.tokenKind !== 'sess' || caller.agent !== undefined)
    throw new Failure('forbidden', 'Only a person decides about their plan, in their own session.');
  const found = await findAcceptance(tx, planVersionId, repId);
  if (found === null) throw acceptanceNotNeeded();
  if (decision.sha256 !== undefined && decision.sha256 !== found.sha256) throw documentChanged(found.sha256);
  if (found.status === 'accepted') return withoutDocument(found);
  const { planId, document, sha256 } = found;
  const day = currentDay(await loadWorkspaceTerms(tx), at);
  await tx.db
    .insertInto('plan_acceptances')
    .values({
      workspace_id: tx.workspaceId,
      acceptance_id: newId(),
      plan_id: planId,
      plan_version_id: planVersionId,
      rep_id: repId,
      decision: decision.decision,
      sha256,
      configuration_sha256: document.plan.configurationSha256,
      document: JSON.stringify(document),
      signed_name: decision.decision === 'accepted' ? decision.signedName : null,
      reason: decision.decision === 'declined' ? decision.reason : null,
      address: caller.address ?? null,
      decided_at: at,
      decided_on: day,
    })
    .execute();
  await recordAuditEntry(tx, caller, {
    trigger: `plan_${decision.decision}`,
    scope: 'plan',
    repId,
    details: { planId, planVersionId, sha256 },
    at,
  });
  const type = decision.decision === 'accepted' ? 'plan.accepted' : 'plan.declined';
  await recordEvent(tx, { type, repId, data: { planId, planVersionId, repId, sha256 } });
  const decided = await findAcceptance(tx, planVersionId, repId);
  return withoutDocument(decided ?? found);
}

function withoutDocument({ document: _, ...acceptance }: NonNullable<Awaited<ReturnType<typeof findAcceptance>>>) {
  return acceptance;
}
