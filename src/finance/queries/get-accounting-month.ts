import { z } from 'zod';
import { workspaceToday } from '../../people/reps/rep-views.js';
import { type Transaction, UnitOfWork } from '../../platform/database/unit-of-work.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { operation } from '../../platform/operations/operation.js';
import { type AccountingMonth, accountingMonth, loadAccountingMonths, monthExample } from '../accounting-month.js';
import { assertBookMonth, loadBookMonths } from '../book-months.js';
import { type Checklist, checklist } from '../checklist.js';
import { loadOpenMonth } from '../close-month.js';
import { loadClosingContent } from '../closing-views.js';
import { month } from '../month.js';

export const monthParams = z.strictObject({ month: month.describe('Month of the books, YYYY-MM') });

export const monthWithChecklist = z.object({
  ...accountingMonth.shape,
  checklist: checklist.describe(
    'What to look at before the month is closed; of a closed month, the warnings it stores',
  ),
});

/** The month with the checklist that is known, or with that of now. */
export async function loadMonth(
  tx: Transaction,
  name: string,
  today: string,
  known?: Checklist,
): Promise<z.input<typeof monthWithChecklist>> {
  const months = await loadBookMonths(tx, today);
  assertBookMonth(months, name);
  const found = (await loadAccountingMonths(tx, months)).find((each) => each.month === name) as AccountingMonth;
  const closing = months.closed.find((each) => each.month === name);
  if (closing === undefined) return { ...found, checklist: known ?? (await loadOpenMonth(tx, name, today)).checklist };
  const { warnings } = await loadClosingContent(tx, closing);
  return { ...found, checklist: { blocking: [], warnings: warnings as Checklist['warnings'] } };
}

export const monthWithChecklistExample = {
  ...monthExample,
  checklist: { blocking: [], warnings: [{ code: 'open_discrepancies', count: 1 }] },
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
  uses: { unitOfWork: UnitOfWork, clock: CLOCK },
  async execute({ params }, caller, { unitOfWork, clock }) {
    return unitOfWork.read(caller, async (tx) => loadMonth(tx, params.month, await workspaceToday(tx, clock)));
  },
});
