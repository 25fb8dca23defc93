import { z } from 'zod';
import { csvFile, fileHash, text, trusted } from '../../exports/payroll-csv.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { Download, operation } from '../../platform/operations/operation.js';
import { fixed, listByPerson, nameRows } from '../liability.js';
import { liabilityColumns } from '../roll-forward.js';
import { liabilityQuery, readBooks } from './get-liability.js';

const states = ['waiting', 'held', 'payable', 'approved', 'inBatch', 'toRecover'] as const;
const amounts = ['opening', ...liabilityColumns, 'closing'] as const;

const header = [
  'Month',
  'Entity',
  'Currency',
  'Rep ID',
  'Person',
  'Opening',
  'Earned',
  'Corrections',
  'Adjustments',
  'Taken back',
  'Top-ups',
  'Recovered',
  'Paid',
  'Closing',
  'Waiting',
  'Held',
  'Payable',
  'Approved',
  'In batch',
  'To recover',
  'Draws receivable',
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
    const lines = rows.map((row) => {
      const write = (amount: (typeof row)['late']) => trusted(fixed(amount, row.currency));
      return [
        trusted(month),
        text(row.entity),
        trusted(row.currency),
        trusted(row.repId),
        text(row.repName),
        ...amounts.map((name) => write(row.amounts[name])),
        ...states.map((name) => write(row.states[name])),
        write(row.draws.closing),
      ];
    });
    const content = Buffer.from(await csvFile(header, lines, ','));
    return new Download('text/csv; charset=utf-8', `liability-${month}.csv`, content, {
      'X-Content-SHA256': fileHash(content),
    });
  },
});
