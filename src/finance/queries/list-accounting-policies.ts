import { z } from 'zod';
import { listOf } from '../../platform/operations/list-of.js';
import { asOfQuery } from '../../platform/operations/schemas.js';
import { policyExample, policyVersion, toPolicyResponse } from '../policy.js';
import { listPolicies } from '../policy-views.js';
import { requireAccounting } from '../settings-views.js';

export const listAccountingPolicies = listOf(
  {
    id: 'listAccountingPolicies',
    summary: 'The policies of capitalised cost with all versions',
    path: '/v1/accounting/policies',
    access: 'admin',
    payroll: true,
    scope: 'payroll',
    query: z.strictObject({ asOf: asOfQuery }),
    list: {
      name: 'policies',
      items: z.array(policyVersion).describe('All versions, by name and version'),
      counted: 'versions',
    },
    failures: { accounting_off: 409 },
    example: { items: [policyExample] },
  },
  async (tx) => {
    await requireAccounting(tx);
    return (await listPolicies(tx, null)).map(toPolicyResponse);
  },
);
