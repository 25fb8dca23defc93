import { assertDealExists } from '../../deals/deal-views.js';
import { deleteOf, factsAtPath, putOf } from '../../imports/fact-operations.js';
import { Failure } from '../../kernel/failure.js';
import { workspaceToday } from '../../people/reps/rep-views.js';
import { assertBookMonth, assertOpenMonth, loadBookMonths } from '../book-months.js';
import { contractParams } from '../contract.js';
import { impairment, impairmentExample, impairmentTerms } from '../impairment.js';
import { impairmentFacts } from '../impairment-facts.js';
import { month } from '../month.js';
import { requireAccounting } from '../settings-views.js';

const impairments = factsAtPath({
  facts: impairmentFacts,
  path: '/v1/accounting/impairments/:dealId/:month',
  params: contractParams.extend({ month: month.describe('Month of the test, YYYY-MM, which is open') }),
  terms: impairmentTerms,
  response: impairment,
  example: impairmentExample,
  failures: { accounting_off: 409, deal_not_found: 404, month_not_found: 404, month_closed: 409 },
  notFound: () => new Failure('impairment_not_found', 'The deal has no test of impairment in this month.'),
  async find(tx, { dealId, month: tested }) {
    const tests = await impairmentFacts.list(tx, { dealId: [dealId], month: [tested] });
    return tests.map(({ updatedAt: _, ...test }) => test)[0] ?? null;
  },
  /** Closed months keep the tests with which they were closed. */
  async assertChangeable(tx, { dealId, month: tested }, { clock }) {
    await requireAccounting(tx);
    await assertDealExists(tx, dealId);
    const months = await loadBookMonths(tx, await workspaceToday(tx, clock));
    assertBookMonth(months, tested);
    assertOpenMonth(months, tested, `${tested} is closed. Test a month that is open.`);
  },
  trigger: 'recalculation',
});

export const putImpairment = putOf(impairments, {
  id: 'putImpairment',
  summary: 'Test whether the cost of a deal is still recovered: what the lots exceed the rest of it is impairment',
  scope: null,
});

export const deleteImpairment = deleteOf(impairments, {
  id: 'deleteImpairment',
  summary: 'Take a test of impairment of an open month back',
  unknown: 'an unknown test',
  scope: null,
});
