import { z } from 'zod';
import { workspaceToday } from '../../people/reps/rep-views.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { operation } from '../../platform/operations/operation.js';
import { accountingMonth, loadAccountingMonths, monthExample } from '../accounting-month.js';
import { loadBookMonths } from '../book-months.js';

const response = z.object({
  months: z.array(accountingMonth).describe('The months of the books until the present one, the earliest first'),
  count: z.int().describe('Number of months'),
});

export const listAccountingMonths = operation({
  id: 'listAccountingMonths',
  summary: 'The months of the books, with who prepared and closed them',
  method: 'get',
  path: '/v1/accounting/months',
  access: 'admin',
  payroll: true,
  scope: 'payroll',
  response,
  failures: { accounting_off: 409 },
  example: { response: { months: [monthExample], count: 1 } },
  uses: { unitOfWork: UnitOfWork, clock: CLOCK },
  async execute(_request, caller, { unitOfWork, clock }): Promise<z.input<typeof response>> {
    return unitOfWork.read(caller, async (tx) => {
      const months = await loadAccountingMonths(tx, await loadBookMonths(tx, await workspaceToday(tx, clock)));
      return { months, count: months.length };
    });
  },
});
