import { type Rule } from '../engine/plan-config.js';
import { type Day } from '../kernel/day.js';
import { invalid } from '../kernel/failure.js';
import { loadWorkspaceTerms } from '../ledger/input/rep-terms.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { assertOverrideFits, type Override } from './override-terms.js';
import { type PlanVersion, planNotFound } from './plan.js';
import { replaceOverrides } from './plan-store.js';
import { findPlanVersion } from './plan-views.js';
import { assertTablesFit } from './table-checks.js';

/** The terms of a rep on a version. `root` begins the paths of their problems in the request. */
interface SentOverride extends Override {
  readonly planVersionId: string;
  readonly root: string;
}

async function assertOverrideTablesFit(
  tx: Transaction,
  version: PlanVersion,
  { rules: overridden, root }: SentOverride,
) {
  if (!overridden.some(({ tiers }) => tiers.some(({ table }) => table !== undefined))) return;
  const { tables, currency } = await loadWorkspaceTerms(tx);
  const terms = overridden.map(({ ruleId, tiers }) => {
    const rule = version.rules.find(({ id }) => id === ruleId) as unknown as Rule;
    return { ...rule, tiers: tiers.map((tier) => ({ ...tier, minThreshold: 0 })) as Rule['tiers'] };
  });
  assertTablesFit({ dealConditions: [], rules: terms }, tables, version.currency ?? currency, root);
}

/** Replaces the terms of a rep on versions of one plan. The failure of one of them leaves none. */
export async function storeOverrides(
  tx: Transaction,
  { planId, repId, today }: { readonly planId: string; readonly repId: string; readonly today: Day },
  overrides: readonly SentOverride[],
): Promise<void> {
  const ids = overrides.map(({ planVersionId }) => planVersionId);
  if (new Set(ids).size < ids.length) throw invalid({ path: '', message: 'a version is listed more than once' });
  for (const override of overrides) {
    const { planVersionId, rules, root } = override;
    const version = await findPlanVersion(tx, planVersionId, { onlyForRep: null, today });
    if (version?.planVersionId !== planVersionId || version.planId !== planId) throw planNotFound();
    assertOverrideFits(version, override, root);
    await assertOverrideTablesFit(tx, version, override);
    await replaceOverrides(tx, planVersionId, repId, rules);
    await tx.changeTerms({ planRef: planVersionId, repIds: [repId] });
  }
}
