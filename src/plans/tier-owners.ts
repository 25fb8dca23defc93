import { type PlanTerms } from '../engine/plan-config.js';
import { type Work } from '../platform/database/unit-of-work.js';
import { repNotFound } from '../reps/rep.js';
import { unknownReps } from '../reps/rep-views.js';

/** Rejects a tier whose repId is not a rep of this workspace. */
export async function assertTierOwnersKnown(trx: Work, workspaceId: string, terms: PlanTerms): Promise<void> {
  const owners = new Set(terms.rules.flatMap((rule) => rule.tiers.flatMap((tier) => tier.repId ?? [])));
  if (owners.size === 0) return;
  const unknown = await unknownReps(trx, workspaceId, [...owners]);
  if (unknown.length > 0) throw repNotFound(unknown);
}
