import { z } from 'zod';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { operation } from '../../platform/operations/operation.js';
import { asOfQuery } from '../../platform/operations/schemas.js';
import { policyExample, policyVersion, toPolicyResponse } from '../policy.js';
import { listPolicies } from '../policy-views.js';
import { requireAccounting } from '../settings-views.js';

const response = z.object({
  policies: z.array(policyVersion).describe('All versions, by name and version'),
  count: z.int().describe('Number of versions'),
});

export const listAccountingPolicies = operation({
  id: 'listAccountingPolicies',
  summary: 'The policies of capitalised cost with all versions',
  method: 'get',
  path: '/v1/accounting/policies',
  access: 'admin',
  payroll: true,
  scope: 'payroll',
  query: z.strictObject({ asOf: asOfQuery }),
  response,
  failures: { accounting_off: 409 },
  example: { response: { policies: [policyExample], count: 1 } },
  uses: { unitOfWork: UnitOfWork },
  async execute({ query: { asOf } }, caller, { unitOfWork }): Promise<z.input<typeof response>> {
    return unitOfWork.run(caller, { lock: 'none', access: 'read', asOf }, async (tx) => {
      await requireAccounting(tx);
      const policies = (await listPolicies(tx, null)).map(toPolicyResponse);
      return { policies, count: policies.length };
    });
  },
});
