import { z } from 'zod';
import { visibleReps } from '../../kernel/caller.js';
import { mapInSlices } from '../../kernel/waiting.js';
import { type Acceptance, planRefQuery } from '../../plans/acceptance/acceptance.js';
import { listRequests, toAcceptance } from '../../plans/acceptance/acceptance-views.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { Download, operation } from '../../platform/operations/operation.js';
import { type Cell, csvFile, text, trusted } from '../payroll-csv.js';

const columns: readonly (readonly [title: string, cell: (row: Acceptance) => Cell])[] = [
  ['Plan', (row) => text(row.planName)],
  ['Version', (row) => trusted(row.version)],
  ['Plan Version ID', (row) => trusted(row.planVersionId)],
  ['Name', (row) => text(row.repName)],
  ['Rep ID', (row) => trusted(row.repId)],
  ['Status', (row) => trusted(row.status)],
  ['Signed Name', (row) => text(row.signedName ?? null)],
  ['Decided At', (row) => trusted(row.decidedAt ?? null)],
  ['Document SHA-256', (row) => trusted(row.sha256)],
  ['Reason', (row) => text(row.reason ?? null)],
];

export const exportAcceptances = operation({
  id: 'exportAcceptances',
  summary: 'Export who has accepted the plans that need it as CSV: when, which document, and who has not answered',
  method: 'get',
  path: '/v1/acceptances/export.csv',
  access: 'manager',
  stepUp: 'always',
  query: z.strictObject({
    planRef: planRefQuery,
    delimiter: z.enum([',', ';']).default(',').describe('Delimiter of the file'),
  }),
  response: z.string(),
  files: ['text/csv'],
  failures: {},
  example: { query: {} },
  uses: { unitOfWork: UnitOfWork },
  async execute({ query: { planRef, delimiter } }, caller, { unitOfWork }): Promise<Download> {
    const requests = await unitOfWork.read(caller, (tx) => listRequests(tx, planRef, visibleReps(caller)));
    const cells = await mapInSlices(requests, (request) => {
      const row = toAcceptance(request);
      return columns.map(([, cell]) => cell(row));
    });
    const header = columns.map(([title]) => title);
    return new Download('text/csv; charset=utf-8', 'acceptances.csv', await csvFile(header, cells, delimiter));
  },
});
