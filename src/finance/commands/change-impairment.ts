import { z } from 'zod';
import { fields } from '../../api/resource-fields.js';
import { assertDealExists } from '../../deals/deal-views.js';
import { type Caller } from '../../kernel/caller.js';
import { type Clock } from '../../kernel/clock.js';
import { Failure } from '../../kernel/failure.js';
import { workspaceToday } from '../../people/reps/rep-views.js';
import { type Transaction, UnitOfWork } from '../../platform/database/unit-of-work.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { operation } from '../../platform/operations/operation.js';
import { assertBookMonth, assertOpenMonth, loadBookMonths } from '../book-months.js';
import { contractParams } from '../contract.js';
import { insertFacts } from '../fact-store.js';
import { type ImpairmentTerms, impairment, impairmentExample, impairmentTerms } from '../impairment.js';
import { listImpairmentTests } from '../impairment-facts.js';
import { month } from '../month.js';
import { requireAccounting } from '../settings-views.js';

const uses = { unitOfWork: UnitOfWork, clock: CLOCK };
const path = '/v1/accounting/impairments/:dealId/:month';
const params = contractParams.extend({ month: month.describe('Month of the test, YYYY-MM, which is open') });
type Params = z.output<typeof params>;
const { dealId: exampleDeal, month: exampleMonth, ...body } = impairmentExample;
const exampleParams = { dealId: exampleDeal, month: exampleMonth };
const failures = { accounting_off: 409, deal_not_found: 404, month_not_found: 404, month_closed: 409 } as const;

export const putImpairment = operation({
  id: 'putImpairment',
  summary: 'Test whether the cost of a deal is still recovered: what the lots exceed the rest of it is impairment',
  method: 'put',
  path,
  access: 'admin',
  scope: null,
  params,
  body: impairmentTerms,
  response: impairment,
  failures,
  example: { params: exampleParams, body, response: impairmentExample },
  uses,
  async execute({ params: key, body: terms }, caller, parts): Promise<z.input<typeof impairment>> {
    return change(caller, parts, key, async (tx) => {
      await store(tx, key, terms);
      return { ...key, ...terms };
    });
  },
});

export const deleteImpairment = operation({
  id: 'deleteImpairment',
  summary: 'Take a test of impairment of an open month back',
  method: 'delete',
  path,
  access: 'admin',
  scope: null,
  params,
  response: z.object({
    deleted: z.boolean().describe('Always true: an unknown test gets status 404'),
    dealId: fields.dealId,
    month: month.describe('Month of the test, YYYY-MM'),
  }),
  failures: { ...failures, impairment_not_found: 404 },
  example: { params: exampleParams, response: { deleted: true, ...exampleParams } },
  uses,
  async execute({ params: key }, caller, parts) {
    return change(caller, parts, key, async (tx) => {
      const tests = await listImpairmentTests(tx, [key.dealId]);
      if (!tests.some((test) => test.month === key.month))
        throw new Failure('impairment_not_found', 'The deal has no test of impairment in this month.');
      await store(tx, key, null);
      return { deleted: true, ...key };
    });
  },
});

function store(tx: Transaction, { dealId, month: name }: Params, content: ImpairmentTerms | null): Promise<void> {
  return insertFacts(tx, 'impairment', [{ dealId, name, content }]);
}

/** Closed months keep the tests with which they were closed. */
async function change<T>(
  caller: Caller,
  { unitOfWork, clock }: { readonly unitOfWork: UnitOfWork; readonly clock: Clock },
  { dealId, month: tested }: Params,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  return unitOfWork.run(caller, { lock: 'exclusive', access: 'write' }, async (tx) => {
    await requireAccounting(tx);
    await assertDealExists(tx, dealId);
    const months = await loadBookMonths(tx, await workspaceToday(tx, clock));
    assertBookMonth(months, tested);
    assertOpenMonth(months, tested, `${tested} is closed. Test a month that is open.`);
    return work(tx);
  });
}
