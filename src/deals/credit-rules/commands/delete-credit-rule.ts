import { sampleIds } from '../../../kernel/sample-ids.js';
import { CommissionChanges } from '../../../ledger/requests/commission-changes.js';
import { CLOCK } from '../../../platform/injection-tokens.js';
import { operation } from '../../../platform/operations/operation.js';
import { loadCreditRules } from '../../stored-credit-rules.js';
import { changedCreditRule, runRuleChange } from '../change-credit-rules.js';
import { creditRuleNotFound } from '../credit-rule.js';
import { removeCreditRule } from '../credit-rule-store.js';
import { ruleParams, ruleQuery } from '../rule-query.js';

export const deleteCreditRule = operation({
  id: 'deleteCreditRule',
  summary: 'Remove a credit rule: the lines that it derived no longer count',
  method: 'delete',
  path: '/v1/credit-rules/:creditRuleId',
  access: 'admin',
  params: ruleParams,
  query: ruleQuery,
  response: changedCreditRule,
  failures: { credit_rule_not_found: 404 },
  example: {
    params: { creditRuleId: sampleIds.creditRuleId },
    response: { rule: null, deals: 0, reps: 0, samples: [] },
  },
  uses: { changes: CommissionChanges, clock: CLOCK },
  async execute({ params: { creditRuleId }, query: { dryRun } }, caller, { changes, clock }) {
    return runRuleChange(changes, clock, caller, {
      dryRun,
      write: async (tx) => {
        if (!(await loadCreditRules(tx)).some((rule) => rule.creditRuleId === creditRuleId)) throw creditRuleNotFound();
        await removeCreditRule(tx, creditRuleId);
        return null;
      },
    });
  },
});
