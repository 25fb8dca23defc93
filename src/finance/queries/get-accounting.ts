import { z } from 'zod';
import { workspaceToday } from '../../people/reps/rep-views.js';
import { type Transaction, UnitOfWork } from '../../platform/database/unit-of-work.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { operation } from '../../platform/operations/operation.js';
import { loadBookMonths } from '../book-months.js';
import { entity, entityExample, toEntityResponse } from '../entity.js';
import { month } from '../month.js';
import { listEntities, requireAccounting } from '../settings-views.js';

const response = z.object({
  from: month.describe('First month of the books, YYYY-MM'),
  secondPerson: z.boolean().describe('Whether a month is closed by another person than the one who prepared it'),
  firstOpen: month.describe('First month that is open, which takes changes of closed months, YYYY-MM'),
  current: month.describe('The present month, YYYY-MM'),
  entities: z.array(entity).describe('The companies whose books are kept'),
});

async function load(tx: Transaction, today: string): Promise<z.input<typeof response>> {
  const { from, secondPerson } = await requireAccounting(tx);
  const { firstOpen, current } = await loadBookMonths(tx, today);
  return { from, secondPerson, firstOpen, current, entities: (await listEntities(tx)).map(toEntityResponse) };
}

export const getAccounting = operation({
  id: 'getAccounting',
  summary: 'The terms of accounting: its months, and the companies with their accounts',
  method: 'get',
  path: '/v1/accounting',
  access: 'admin',
  payroll: true,
  scope: 'payroll',
  response,
  failures: { accounting_off: 409 },
  example: {
    response: {
      from: '2026-01',
      secondPerson: true,
      firstOpen: '2026-03',
      current: '2026-03',
      entities: [entityExample],
    },
  },
  uses: { unitOfWork: UnitOfWork, clock: CLOCK },
  async execute(_request, caller, { unitOfWork, clock }): Promise<z.input<typeof response>> {
    return unitOfWork.read(caller, async (tx) => load(tx, await workspaceToday(tx, clock)));
  },
});
