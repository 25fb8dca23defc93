import { z } from 'zod';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { operation } from '../../../platform/operations/operation.js';
import { loadCreditRules } from '../../stored-credit-rules.js';
import { creditRule, creditRuleExample, toRecord } from '../credit-rule.js';

export const listCreditRules = operation({
  id: 'listCreditRules',
  summary: 'Rules that give credit lines to the people whom fields of a deal name, in the order in which they apply',
  method: 'get',
  path: '/v1/credit-rules',
  access: 'admin',
  response: z.object({
    creditRules: z.array(creditRule).describe('The rules by name'),
    count: z.int().describe('Number of rules'),
  }),
  failures: {},
  example: { response: { creditRules: [creditRuleExample], count: 1 } },
  uses: { unitOfWork: UnitOfWork },
  async execute(_, caller, { unitOfWork }) {
    const creditRules = await unitOfWork.read(caller, async (tx) => (await loadCreditRules(tx)).map(toRecord));
    return { creditRules, count: creditRules.length };
  },
});
