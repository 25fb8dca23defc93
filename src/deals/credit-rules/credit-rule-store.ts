import { violates } from '../../platform/database/database-errors.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type CreditRule, creditRuleNameTaken } from './credit-rule.js';

/** Stores the rule in place of the one with its id. */
export async function storeCreditRule(tx: Transaction, rule: CreditRule): Promise<void> {
  const terms = {
    name: rule.name,
    kind: rule.kind,
    role: rule.role,
    person_field: rule.personField,
    percent: rule.percent === null ? null : String(rule.percent),
    percent_field: rule.percentField,
    conditions: JSON.stringify(rule.conditions),
    effective_start: rule.effectiveStart,
    effective_end: rule.effectiveEnd,
  };
  try {
    await tx.db
      .insertInto('credit_rules')
      .values({ workspace_id: tx.workspaceId, credit_rule_id: rule.creditRuleId, ...terms })
      .onConflict((conflict) => conflict.columns(['workspace_id', 'credit_rule_id']).doUpdateSet(terms))
      .execute();
  } catch (error) {
    if (violates(error, 'credit_rules_name')) throw creditRuleNameTaken(rule.name);
    throw error;
  }
}

export async function removeCreditRule(tx: Transaction, creditRuleId: string): Promise<void> {
  await tx.db
    .deleteFrom('credit_rules')
    .where('workspace_id', '=', tx.workspaceId)
    .where('credit_rule_id', '=', creditRuleId)
    .execute();
}

/** Adds the list of rules after a change to the history. */
export async function recordCreditRules(tx: Transaction, rules: readonly CreditRule[]): Promise<void> {
  await tx.db
    .insertInto('credit_rule_history')
    .values({ workspace_id: tx.workspaceId, rules: JSON.stringify(rules) })
    .execute();
}
