import { type PlanTerms } from '../engine/plan-config.js';
import { type Work } from '../platform/database/unit-of-work.js';
import { repNotFound } from '../reps/rep.js';
import { unknownReps } from '../reps/rep-views.js';

/** Tiers may be for one rep alone; it must be somebody of this workspace. */
export async function assertTierOwnersKnown(trx: Work, workspaceId: string, terms: PlanTerms): Promise<void> {
  const owners = new Set(terms.rules.flatMap((rule) => rule.tiers.flatMap((tier) => tier.repId ?? [])));
  if (owners.size === 0) return;
  const unknown = await unknownReps(trx, workspaceId, [...owners]);
  if (unknown.length > 0) throw repNotFound(unknown);
}
