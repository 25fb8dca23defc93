import { type PlanTerms } from '../engine/plan-config.js';
import { invalid } from '../kernel/failure.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { repNotFound } from '../reps/rep.js';
import { unknownReps } from '../reps/rep-views.js';
import { loadRuleNames } from './plan-store.js';

/** Rejects terms that name a rule or a rep that the workspace does not have. */
export async function assertTermsFit(tx: Transaction, terms: PlanTerms): Promise<void> {
  assertNotFiscal(terms);
  assertUpstreamKnown(terms, await loadRuleNames(tx));
  const owners = new Set(terms.rules.flatMap((rule) => rule.tiers.flatMap((tier) => tier.repId ?? [])));
  const unknown = owners.size === 0 ? [] : await unknownReps(tx, [...owners]);
  if (unknown.length > 0) throw repNotFound(unknown);
}

/** Workspaces have no fiscal years yet, and a rule of the fiscal calendar pays on no day outside of them. */
function assertNotFiscal({ rules }: PlanTerms): void {
  for (const [index, { calendar }] of rules.entries())
    if (calendar === 'fiscal')
      throw invalid({ path: `config.rules.${index}.calendar`, message: 'must be calendar: no fiscal year is defined' });
}

/** A cascade may also depend on a rule of another plan. A name that no plan has is rejected as a mistake. */
function assertUpstreamKnown({ rules }: PlanTerms, rulesOfOtherPlans: ReadonlySet<string>): void {
  const known = new Set(['_total', ...rules.map(({ name }) => name), ...rulesOfOtherPlans]);
  for (const [index, { dependsOn }] of rules.entries())
    if (dependsOn !== undefined && !known.has(dependsOn))
      throw invalid({
        path: `config.rules.${index}.dependsOn`,
        message: `no rule is named ${dependsOn}; use a rule of an existing plan, or _total`,
      });
}
