import { sql } from 'kysely';
import { z } from 'zod';
import { recordAuditEntry } from '../../audit/audit-entry.js';
import { type DayRange } from '../../kernel/day.js';
import { type Issue, invalid, rejectAny } from '../../kernel/failure.js';
import { loadCalendar } from '../../ledger/input/calendar.js';
import { unknownReps, workspaceToday } from '../../people/reps/rep-views.js';
import { type Transaction, UnitOfWork } from '../../platform/database/unit-of-work.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { exactAmount } from '../../platform/operations/money-digits.js';
import { operation } from '../../platform/operations/operation.js';
import { recordEvent } from '../../platform/outbound/outgoing-events.js';
import { assertBookMonth, assertOpenMonth, loadBookMonths } from '../book-months.js';
import { estimateExample, estimateTerms, keyOfEstimate, type StoredEstimate } from '../estimate.js';
import { loadEstimates, storeEstimates } from '../estimate-views.js';
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
      assertBookMonth(months, month);
      assertOpenMonth(months, month, `${month} is closed: its estimates are posted and reversed as they were.`);
      const stored = body.estimates.map(toStored);
      await assertEstimates(tx, month, months.calendar.range(month), stored);
      const before = await loadEstimates(tx, [month]);
      const at = clock.now();
      await storeEstimates(tx, { month, estimates: stored, at });
      const data = { month, count: stored.length };
      await recordEvent(tx, { type: 'accounting.estimates_changed', data });
      const details = { month, before: before.map(({ month: _, ...estimate }) => estimate), after: stored };
      await recordAuditEntry(tx, caller, { trigger: 'estimates_changed', scope: 'accounting', details, at });
      return data;
    });
  },
});

function toStored({ pay, toDate, ...terms }: z.output<typeof estimateTerms>, index: number): StoredEstimate {
  if ((pay === undefined) === (toDate === undefined))
    throw invalid({ path: `estimates.${index}`, message: 'needs either pay or toDate' });
  const exact = (name: 'pay' | 'toDate', amount: number | undefined) =>
    amount === undefined ? null : exactAmount(amount, terms.currency, `estimates.${index}.${name}`);
  return { ...terms, pay: exact('pay', pay), toDate: exact('toDate', toDate) };
}

async function assertEstimates(
  tx: Transaction,
  month: Month,
  { from, to }: DayRange,
  all: readonly StoredEstimate[],
): Promise<void> {
  const calendar = await loadCalendar(tx);
  const unknown = new Set(await unknownReps(tx, [...new Set(all.map(({ repId }) => repId))]));
  const rules = await loadRuleNames(tx, [...new Set(all.map(({ planId }) => planId))]);
  const seen = new Set<string>();
  rejectAny(
    all.flatMap((estimate, index): Issue[] => {
      const { repId, planId, ruleName, period } = estimate;
      const path = `estimates.${index}`;
      const range = calendar.range(period, `${path}.period`);
      const key = keyOfEstimate(estimate);
      const isRepeated = seen.has(key);
      seen.add(key);
      return [
        ...(unknown.has(repId) ? [{ path: `${path}.repId`, message: 'is no rep of this workspace' }] : []),
        ...(rules.has(`${planId}|${ruleName}`)
          ? []
          : [{ path: `${path}.ruleName`, message: 'is no rule of a version of this plan' }]),
        ...(range.from <= to && range.to > to && from <= range.to
          ? []
          : [{ path: `${path}.period`, message: `must contain ${month} and end after it` }]),
        ...(isRepeated ? [{ path, message: 'is estimated twice' }] : []),
      ];
    }),
  );
}

async function loadRuleNames(tx: Transaction, planIds: readonly string[]): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ planId: string; ruleName: string }>`
    select distinct v.plan_id as "planId", r ->> 'name' as "ruleName"
    from plan_versions v cross join jsonb_array_elements(v.config -> 'rules') r
    where v.workspace_id = ${tx.workspaceId} and v.plan_id = any(${planIds}::uuid[])`.execute(tx.db);
  return new Set(rows.map(({ planId, ruleName }) => `${planId}|${ruleName}`));
}
