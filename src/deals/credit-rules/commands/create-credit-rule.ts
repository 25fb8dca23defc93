import { z } from 'zod';
import { newId } from '../../../kernel/ids.js';
import { CommissionChanges } from '../../../ledger/requests/commission-changes.js';
import { CLOCK } from '../../../platform/injection-tokens.js';
import { operation } from '../../../platform/operations/operation.js';
import { changedCreditRule, runRuleChange } from '../change-credit-rules.js';
import { assertValidRule, creditRuleExample, creditRuleTerms } from '../credit-rule.js';
import { storeCreditRule } from '../credit-rule-store.js';
import { ruleQuery } from '../rule-query.js';

const body = z.strictObject({
  ...creditRuleTerms,
  role: creditRuleTerms.role.default(null),
  percent: creditRuleTerms.percent.default(null),
  percentField: creditRuleTerms.percentField.default(null),
  conditions: creditRuleTerms.conditions.default([]),
  effectiveStart: creditRuleTerms.effectiveStart.default(null),
  effectiveEnd: creditRuleTerms.effectiveEnd.default(null),
});

export const createCreditRule = operation({
  id: 'createCreditRule',
  summary: 'Create a credit rule; with dryRun, see what it does to the lines of stored deals',
  method: 'post',
  path: '/v1/credit-rules',
  access: 'admin',
  query: ruleQuery,
  body,
  response: changedCreditRule,
  status: 201,
  failures: { plan_too_complex: 400, credit_rule_name_taken: 409 },
  example: {
    body: {
      name: creditRuleExample.name,
      kind: 'overlay',
      role: 'SE',
      personField: creditRuleExample.personField,
      percent: 100,
      effectiveStart: creditRuleExample.effectiveStart,
    },
    response: { rule: creditRuleExample, deals: 0, reps: 0, samples: [] },
  },
  uses: { changes: CommissionChanges, clock: CLOCK },
  async execute({ query: { dryRun }, body: terms }, caller, { changes, clock }) {
    const rule = { creditRuleId: newId(), ...terms };
    assertValidRule(rule);
    return runRuleChange(changes, clock, caller, {
      dryRun,
      write: async (tx) => {
        await storeCreditRule(tx, rule);
        return rule;
      },
    });
  },
});
