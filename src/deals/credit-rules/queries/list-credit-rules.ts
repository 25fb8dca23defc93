import { z } from 'zod';
import { listOf } from '../../../platform/operations/list-of.js';
import { loadCreditRules } from '../../stored-credit-rules.js';
import { creditRule, creditRuleExample, toRecord } from '../credit-rule.js';

export const listCreditRules = listOf(
  {
    id: 'listCreditRules',
    summary: 'Rules that give credit lines to the people whom fields of a deal name, in the order in which they apply',
    path: '/v1/credit-rules',
    access: 'admin',
    list: { name: 'creditRules', items: z.array(creditRule).describe('The rules by name'), counted: 'rules' },
    example: { items: [creditRuleExample] },
  },
  async (tx) => (await loadCreditRules(tx)).map(toRecord),
);
