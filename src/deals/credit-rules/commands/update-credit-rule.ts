import { z } from 'zod';
import { invalid } from '../../../kernel/failure.js';
import { sampleIds } from '../../../kernel/sample-ids.js';
import { CommissionChanges } from '../../../ledger/requests/commission-changes.js';
import { CLOCK } from '../../../platform/injection-tokens.js';
import { operation } from '../../../platform/operations/operation.js';
import { loadCreditRules } from '../../stored-credit-rules.js';
import { changedCreditRule, runRuleChange } from '../change-credit-rules.js';
import {
  assertValidRule,
  type CreditRule,
  creditRuleExample,
  creditRuleNotFound,
  creditRuleTerms,
  toRecord,
} from '../credit-rule.js';
import { storeCreditRule } from '../credit-rule-store.js';
import { ruleParams, ruleQuery } from '../rule-query.js';

export const updateCreditRule = operation({
  id: 'updateCreditRule',
  summary: 'Change a credit rule; with dryRun, see what the change does to the lines of stored deals',
  method: 'patch',
  path: '/v1/credit-rules/:creditRuleId',
  access: 'admin',
  params: ruleParams,
  query: ruleQuery,
  body: z.strictObject(creditRuleTerms).partial(),
  response: changedCreditRule,
  failures: { plan_too_complex: 400, credit_rule_not_found: 404, credit_rule_name_taken: 409 },
  example: {
    params: { creditRuleId: sampleIds.creditRuleId },
    body: { percent: 100 },
    response: { rule: creditRuleExample, deals: 0, reps: 0, samples: [] },
  },
  uses: { changes: CommissionChanges, clock: CLOCK },
  async execute({ params: { creditRuleId }, query: { dryRun }, body: change }, caller, { changes, clock }) {
    const changedFields = Object.entries(change).filter(([, value]) => value !== undefined);
    if (changedFields.length === 0) throw invalid({ path: '', message: 'give at least one field to change' });
    return runRuleChange(changes, clock, caller, {
      dryRun,
      write: async (tx) => {
        const current = (await loadCreditRules(tx)).find((rule) => rule.creditRuleId === creditRuleId);
        if (current === undefined) throw creditRuleNotFound();
        const rule = { ...toRecord(current), ...Object.fromEntries(changedFields) } as CreditRule;
        assertValidRule(rule);
        await storeCreditRule(tx, rule);
        return rule;
      },
    });
  },
});
