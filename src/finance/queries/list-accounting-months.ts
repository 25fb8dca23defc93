import { z } from 'zod';
import { workspaceToday } from '../../people/reps/rep-views.js';
import { listOf } from '../../platform/operations/list-of.js';
import { accountingMonth, loadAccountingMonths, monthExample } from '../accounting-month.js';
import { loadBookMonths } from '../book-months.js';

export const listAccountingMonths = listOf(
  {
    id: 'listAccountingMonths',
    summary: 'The months of the books, with who prepared and closed them',
    path: '/v1/accounting/months',
    access: 'admin',
    payroll: true,
    scope: 'payroll',
    list: {
      name: 'months',
      items: z.array(accountingMonth).describe('The months of the books until the present one, the earliest first'),
    },
    failures: { accounting_off: 409 },
    example: { items: [monthExample] },
  },
  async (tx, _input, _caller, clock) =>
    loadAccountingMonths(tx, await loadBookMonths(tx, await workspaceToday(tx, clock))),
);
