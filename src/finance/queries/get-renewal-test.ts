import { z } from 'zod';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { operation } from '../../platform/operations/operation.js';
import { asOfQuery } from '../../platform/operations/schemas.js';
import { assertBookMonth, loadBookMonths } from '../book-months.js';
import { loadRenewalTests } from '../load-renewal-tests.js';
import { month } from '../month.js';
import { renewalTest } from '../renewal-test.js';
import { readAsOf } from './get-liability.js';

const response = z.object({
  month: month.describe('Last of the twelve months, YYYY-MM'),
  tests: z.array(renewalTest).describe('The test of each policy with lots, by name'),
});

export const getRenewalTest = operation({
  id: 'getRenewalTest',
  summary: 'Commission in percent of the value of contracts, of new business and of renewals, for each policy',
  method: 'get',
  path: '/v1/accounting/renewal-test',
  access: 'admin',
  payroll: true,
  scope: 'payroll',
  query: z.strictObject({
    month: month.optional().describe('Last of the twelve months, YYYY-MM; the present month by default'),
    asOf: asOfQuery,
  }),
  response,
  failures: { accounting_off: 409, month_not_found: 404 },
  example: {
    query: { month: '2026-12' },
    response: {
      month: '2026-12',
      tests: [
        {
          policy: 'New business',
          newBusiness: { deals: 1, commission: 9000, contractValue: 100_000, percent: 9 },
          renewals: { deals: 1, commission: 4000, contractValue: 100_000, percent: 4 },
          ratio: 0.444,
          withoutValue: 0,
        },
      ],
    },
  },
  uses: { unitOfWork: UnitOfWork, clock: CLOCK },
  async execute({ query: { month: requested, asOf } }, caller, parts): Promise<z.input<typeof response>> {
    return readAsOf(caller, parts, asOf, async (tx, today) => {
      const months = await loadBookMonths(tx, today);
      const last = requested ?? months.current;
      assertBookMonth(months, last);
      return { month: last, tests: await loadRenewalTests(tx, last, months, today) };
    });
  },
});
