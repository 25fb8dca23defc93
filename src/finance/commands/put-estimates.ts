import { z } from 'zod';
import { type DayRange } from '../../kernel/day.js';
import { type Issue, rejectAny } from '../../kernel/failure.js';
import { unknownReps, workspaceToday } from '../../people/reps/rep-views.js';
import { type Transaction, UnitOfWork } from '../../platform/database/unit-of-work.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { operation } from '../../platform/operations/operation.js';
import { loadBookMonths } from '../book-months.js';
import { loadEstimateCheck, toStoredEstimate } from '../check-estimates.js';
import { estimateExample, estimateTerms, keyOfEstimate, type StoredEstimate } from '../estimate.js';
import { assertEstimable, replaceEstimates } from '../estimate-store.js';
import { type Month } from '../month.js';
import { monthParams } from '../queries/get-accounting-month.js';

const estimates = z.array(estimateTerms).max(10_000).describe('All estimates of the month; none for no estimates');
const response = z.object({ month: monthParams.shape.month, count: z.int().describe('Number of estimates') });

export const putEstimates = operation({
  id: 'putEstimates',
  summary: 'Replace the estimates of a month that is open: what is expected and the ledger does not have yet',
  method: 'put',
  path: '/v1/accounting/estimates/:month',
  access: 'admin',
  payroll: true,
  scope: null,
  params: monthParams,
  body: z.strictObject({ estimates }),
  response,
  failures: { accounting_off: 409, month_not_found: 404, month_closed: 409 },
  example: {
    params: { month: '2026-01' },
    body: { estimates: [estimateExample] },
    response: { month: '2026-01', count: 1 },
  },
  uses: { unitOfWork: UnitOfWork, clock: CLOCK },
  async execute({ params: { month }, body }, caller, { unitOfWork, clock }): Promise<z.input<typeof response>> {
    return unitOfWork.run(caller, { lock: 'exclusive', access: 'write' }, async (tx) => {
      const months = await loadBookMonths(tx, await workspaceToday(tx, clock));
      assertEstimable(months, month);
      const stored = body.estimates.map((estimate, index) => toStoredEstimate(estimate, `estimates.${index}`));
      await assertEstimates(tx, month, months.calendar.range(month), stored);
      return replaceEstimates(tx, caller, { month, estimates: stored, at: clock.now() });
    });
  },
});

async function assertEstimates(
  tx: Transaction,
  month: Month,
  days: DayRange,
  all: readonly StoredEstimate[],
): Promise<void> {
  const unknown = new Set(await unknownReps(tx, [...new Set(all.map(({ repId }) => repId))]));
  const check = await loadEstimateCheck(tx);
  const seen = new Set<string>();
  rejectAny(
    all.flatMap((estimate, index): Issue[] => {
      const path = `estimates.${index}`;
      const key = keyOfEstimate(estimate);
      const isRepeated = seen.has(key);
      seen.add(key);
      return [
        ...(unknown.has(estimate.repId) ? [{ path: `${path}.repId`, message: 'is no rep of this workspace' }] : []),
        ...check(estimate, { month, days }, path),
        ...(isRepeated ? [{ path, message: 'is estimated twice' }] : []),
      ];
    }),
  );
}
