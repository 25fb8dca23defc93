import { type Condition } from '../engine/condition.js';
import { type CreditKind } from '../engine/credit-lines.js';
import { type CreditRule } from '../engine/credit-rules.js';
import { type Transaction } from '../platform/database/unit-of-work.js';

/** The credit rules of the workspace by name. */
export async function loadCreditRules(tx: Transaction): Promise<(CreditRule & { readonly creditRuleId: string })[]> {
  const rows = await tx.db
    .selectFrom('credit_rules')
    .selectAll()
    .where('workspace_id', '=', tx.workspaceId)
    .orderBy('name')
    .execute();
  return rows.map((row) => ({
    creditRuleId: row.credit_rule_id,
    name: row.name,
    kind: row.kind as CreditKind,
    role: row.role,
    personField: row.person_field,
    percent: row.percent === null ? { field: row.percent_field as string } : Number(row.percent),
    conditions: row.conditions as readonly Condition[],
    effectiveStart: row.effective_start,
    effectiveEnd: row.effective_end,
  }));
}
