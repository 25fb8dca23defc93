import { z } from 'zod';
import { type Caller } from '../../kernel/caller.js';
import { type Clock } from '../../kernel/clock.js';
import { workspaceToday } from '../../people/reps/rep-views.js';
import { type Transaction, UnitOfWork } from '../../platform/database/unit-of-work.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { operation } from '../../platform/operations/operation.js';
import { type AccountingMonth, accountingMonth, loadAccountingMonths, monthExample } from '../accounting-month.js';
import { assertBookMonth, type BookMonths, loadBookMonths } from '../book-months.js';
import { type Checklist, checklist, loadChecklist, noFindings } from '../checklist.js';
import { loadOpenMonth } from '../close-month.js';
import { loadClosingContent } from '../closing-views.js';
import { month } from '../month.js';
import { MonthReports } from '../month-reports.js';
import { findRunning, preparationJob, toPreparationResponse } from '../preparation-job.js';

export const monthParams = z.strictObject({ month: month.describe('Month of the books, YYYY-MM') });

export const monthWithChecklist = z.object({
  ...accountingMonth.shape,
  checklist: checklist.describe(
    'What to look at before the month is closed; of a closed month, the warnings it stores',
  ),
  job: preparationJob
    .optional()
    .describe(
      'The job that prepares the month now; absent for none. Until it has computed the books, the checklist may be without what only they say',
    ),
});
type MonthWithChecklist = z.input<typeof monthWithChecklist>;

/** The month, with the checklist that is read while it is open. */
export async function loadMonth(
  tx: Transaction,
  name: string,
  today: string,
  readChecklist: (months: BookMonths) => Promise<Checklist> = async () =>
    (await loadOpenMonth(tx, name, today)).checklist,
): Promise<MonthWithChecklist> {
  const months = await loadBookMonths(tx, today);
  assertBookMonth(months, name);
  const found = (await loadAccountingMonths(tx, months)).find((each) => each.month === name) as AccountingMonth;
  const closing = months.closed.find((each) => each.month === name);
  if (closing === undefined) return { ...found, checklist: await readChecklist(months) };
  const { warnings } = await loadClosingContent(tx, closing);
  return { ...found, checklist: { blocking: [], warnings: warnings as Checklist['warnings'] } };
}

interface MonthReader {
  readonly unitOfWork: UnitOfWork;
  readonly clock: Clock;
  readonly reports: MonthReports;
}

/** The month as it is now. What the books of a large one say comes from its stored report. */
export async function readMonth(
  caller: Caller,
  { unitOfWork, clock, reports }: MonthReader,
  name: string,
): Promise<MonthWithChecklist> {
  const { isOpen, isLarge, stored } = await reports.find(caller, name);
  if (!isLarge) return unitOfWork.read(caller, async (tx) => loadMonth(tx, name, await workspaceToday(tx, clock)));
  const job = await unitOfWork.read(caller, (tx) => findRunning(tx, name));
  const isComputed = isOpen && job === null;
  const { findings } = (stored ?? (isComputed ? await reports.compute(caller, name) : null))?.head ?? noReport;
  return unitOfWork.read(caller, async (tx) => {
    const today = await workspaceToday(tx, clock);
    const found = await loadMonth(tx, name, today, (months) => loadChecklist(tx, months, name, findings, today));
    return job === null ? found : { ...found, job: toPreparationResponse(job) };
  });
}

const noReport = { findings: noFindings };

export const monthWithChecklistExample = {
  ...monthExample,
  checklist: {
    blocking: [],
    warnings: [{ code: 'open_discrepancies', count: 1, amounts: [{ currency: 'USD', amount: 120 }] }],
  },
} as const;

export const getAccountingMonth = operation({
  id: 'getAccountingMonth',
  summary: 'A month of the books with its checklist',
  method: 'get',
  path: '/v1/accounting/months/:month',
  access: 'admin',
  payroll: true,
  scope: 'payroll',
  params: monthParams,
  response: monthWithChecklist,
  failures: { accounting_off: 409, month_not_found: 404 },
  example: { params: { month: '2026-02' }, response: monthWithChecklistExample },
  uses: { unitOfWork: UnitOfWork, clock: CLOCK, reports: MonthReports },
  async execute({ params }, caller, parts) {
    return readMonth(caller, parts, params.month);
  },
});
