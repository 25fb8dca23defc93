import { z } from 'zod';
import { fields } from '../../api/resource-fields.js';
import { findDealHeads } from '../../deals/deal-heads.js';
import { workspaceToday } from '../../people/reps/rep-views.js';
import { listOf } from '../../platform/operations/list-of.js';
import { asOfQuery } from '../../platform/operations/schemas.js';
import { loadBookMonths } from '../book-months.js';
import { impairment, impairmentExample } from '../impairment.js';
import { impairmentFacts } from '../impairment-facts.js';
import { month } from '../month.js';

export const listImpairments = listOf(
  {
    id: 'listImpairments',
    summary: 'The tests of impairment of a month; what they write down is in the contract costs',
    path: '/v1/accounting/impairments',
    access: 'admin',
    payroll: true,
    scope: 'payroll',
    query: z.strictObject({
      month: month.optional().describe('Month of the tests, YYYY-MM; the present month by default'),
      asOf: asOfQuery,
    }),
    list: {
      name: 'impairments',
      items: z
        .array(impairment.extend({ dealName: fields.dealName.nullable() }).describe('A test of impairment'))
        .describe('The tests of the month, by id of the deal'),
      counted: 'tests',
    },
    failures: { accounting_off: 409 },
    example: { query: { month: '2026-06' }, items: [{ ...impairmentExample, dealName: 'Acme' }] },
  },
  async (tx, { query: { month: requested } }, _caller, clock) => {
    const { current } = await loadBookMonths(tx, await workspaceToday(tx, clock));
    const tests = await impairmentFacts.list(tx, { month: [requested ?? current] });
    const deals = await findDealHeads(
      tx,
      tests.map(({ dealId }) => dealId),
    );
    return tests.map(({ updatedAt: _, ...test }) => ({ ...test, dealName: deals.get(test.dealId)?.dealName ?? null }));
  },
);
