import { z } from 'zod';
import { visibleReps } from '../../kernel/caller.js';
import { invalid } from '../../kernel/failure.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { Download, operation } from '../../platform/operations/operation.js';
import { asOfQuery, flag, optionalPeriod } from '../../platform/operations/schemas.js';
import { resolvePeriod } from '../../statements/statement-views.js';
import { exportFailures, exportJob, findManager } from '../export-job.js';
import { ExportRequests } from '../export-requests.js';
import { layouts, scopes } from '../payroll-layouts.js';
import { type CsvTerms, loadTeamCsv, writeTeamCsv } from '../team-csv.js';

const query = z.strictObject({
  period: optionalPeriod,
  layout: z
    .enum([...layouts, 'lines'])
    .default('generic')
    .describe(
      'Layout of the file: generic, that of a payroll system, or lines: what was earned, with one row for each line of a deal that a rule paid',
    ),
  include: z
    .enum(['approved', 'draft', 'all'])
    .optional()
    .describe(
      'approved: approved statements only; draft: approved statements and drafts; all: also people without a plan, a quota or an amount',
    ),
  scope: z
    .enum(scopes)
    .default('full')
    .describe(
      'new: only what hand-overs of the period do not contain, that is people who were approved since, and differences. Contains approved statements only',
    ),
  columns: z
    .enum(['default', 'extended'])
    .default('default')
    .describe(
      'extended: also employee id, currency, days of the period, statement id and version; only for layout generic',
    ),
  delimiter: z.enum([',', ';']).default(',').describe('Delimiter of the file'),
  async: flag
    .default(false)
    .describe('true: respond with the export job of the same file at once, for large teams; false: wait for the file'),
  asOf: asOfQuery,
});

export const exportTeamCsv = operation({
  id: 'exportStatementsCsv',
  summary:
    'Export one row per rep as CSV, or in the layout of a payroll system. With several currencies, each has its own row, and a column names it',
  method: 'get',
  path: '/v1/statements/export.csv',
  access: 'manager',
  payroll: true,
  stepUp: 'always',
  query,
  response: exportJob,
  otherStatus: 202,
  files: ['text/csv', 'application/json'],
  startsWork: true,
  failures: { ...exportFailures, payouts_enabled: 409 },
  example: { query: { period: '2026-02' } },
  uses: { unitOfWork: UnitOfWork, requests: ExportRequests, clock: CLOCK },
  async execute({ query: { async, period, asOf, ...csv } }, caller, { unitOfWork, requests, clock }) {
    assertFits(csv, asOf);
    if (async)
      return requests.submit(
        caller,
        async (tx) => {
          const resolved = await resolvePeriod(tx, period, clock);
          return { kind: 'team.csv', repId: null, managerId: findManager(caller), period: resolved.period, csv };
        },
        { async, asOf },
      );
    const { file } = await unitOfWork.run(
      caller,
      { lock: 'none', access: 'read', isolation: 'repeatable read', asOf },
      (tx) => loadTeamCsv(tx, period, csv, visibleReps(caller), clock),
    );
    const { contentType, filename, content, headers } = await writeTeamCsv(file, csv);
    return new Download(contentType, filename, content, headers);
  },
});

function assertFits({ layout, include = 'approved', scope, columns }: CsvTerms, asOf: Date | undefined): void {
  if (columns === 'extended' && layout !== 'generic')
    throw invalid({
      path: 'columns',
      message: 'are available with layout=generic only; other layouts have fixed columns',
    });
  if (scope === 'new' && layout === 'lines')
    throw invalid({ path: 'scope', message: 'new is available in files for payroll only' });
  if (scope === 'new' && (include !== 'approved' || asOf !== undefined))
    throw invalid({ path: 'scope', message: 'new contains approved statements as of now, without include and asOf' });
}
