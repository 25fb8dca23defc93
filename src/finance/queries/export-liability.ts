import { z } from 'zod';
import { type Cell, csvFile, fileHash, text, trusted } from '../../exports/payroll-csv.js';
import { type Decimal } from '../../kernel/decimal.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { Download, operation } from '../../platform/operations/operation.js';
import { fixed, listByPerson, nameRows } from '../liability.js';
import { type Month } from '../month.js';
import { liabilityQuery, readBooks } from './get-liability.js';

type Row = Awaited<ReturnType<typeof nameRows>>[number];
type Column = readonly [title: string, cell: (row: Row, month: Month) => Cell];

const money = (title: string, amountOf: (row: Row) => Decimal): Column => [
  title,
  (row) => trusted(fixed(amountOf(row), row.currency)),
];

const columns: readonly Column[] = [
  ['Month', (_, month) => trusted(month)],
  ['Entity', ({ entity }) => text(entity)],
  ['Currency', ({ currency }) => trusted(currency)],
  ['Rep ID', ({ repId }) => trusted(repId)],
  ['Person', ({ repName }) => text(repName)],
  money('Opening', ({ amounts }) => amounts.opening),
  money('Earned', ({ amounts }) => amounts.earned),
  money('Corrections', ({ amounts }) => amounts.corrections),
  money('Adjustments', ({ amounts }) => amounts.adjustments),
  money('Taken back', ({ amounts }) => amounts.takenBack),
  money('Top-ups', ({ amounts }) => amounts.topUps),
  money('Recovered', ({ amounts }) => amounts.recovered),
  money('Paid', ({ amounts }) => amounts.paid),
  money('Written off', ({ amounts }) => amounts.writtenOff),
  money('Closing', ({ amounts }) => amounts.closing),
  money('Waiting', ({ states }) => states.waiting),
  money('Held', ({ states }) => states.held),
  money('Payable', ({ states }) => states.payable),
  money('Approved', ({ states }) => states.approved),
  money('In batch', ({ states }) => states.inBatch),
  money('To recover', ({ states }) => states.toRecover),
  money('Draws receivable', ({ draws }) => draws.closing),
];

export const exportLiability = operation({
  id: 'exportLiability',
  summary: 'The roll-forward of what people are owed in a month as CSV, one row for each entity, person and currency',
  method: 'get',
  path: '/v1/accounting/liability/export.csv',
  access: 'admin',
  payroll: true,
  scope: 'payroll',
  stepUp: 'always',
  query: z.strictObject(liabilityQuery),
  response: z.string(),
  files: ['text/csv'],
  failures: { accounting_off: 409, month_not_found: 404, entity_not_found: 404 },
  example: { query: { month: '2026-03' } },
  uses: { unitOfWork: UnitOfWork, clock: CLOCK },
  async execute({ query: request }, caller, parts): Promise<Download> {
    const { month, rows } = await readBooks(caller, parts, request, async (tx, books) => ({
      month: books.month,
      rows: await nameRows(tx, listByPerson(books)),
    }));
    const header = columns.map(([title]) => title);
    const lines = rows.map((row) => columns.map(([, cell]) => cell(row, month)));
    const content = Buffer.from(await csvFile(header, lines, ','));
    return new Download('text/csv; charset=utf-8', `liability-${month}.csv`, content, {
      'X-Content-SHA256': fileHash(content),
    });
  },
});
