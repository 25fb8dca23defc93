import { z } from 'zod';
import { visibleReps } from '../../kernel/caller.js';
import { invalid } from '../../kernel/failure.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { Download, operation } from '../../platform/operations/operation.js';
import { asOfQuery, optionalPeriod } from '../../platform/operations/schemas.js';
import { loadLineFile } from '../line-file.js';
import { loadPayrollFile } from '../load-payroll-file.js';
import { csvFile, fileHash } from '../payroll-csv.js';
import { layouts, scopes } from '../payroll-layouts.js';
import { type Included } from '../team-export.js';

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
  response: z.string(),
  files: ['text/csv'],
  failures: { payouts_enabled: 409 },
  example: { query: { period: '2026-02' } },
  uses: { unitOfWork: UnitOfWork, clock: CLOCK },
  async execute({ query: request }, caller, { unitOfWork, clock }): Promise<Download> {
    const { layout, include, scope, columns, delimiter } = request;
    if (columns === 'extended' && layout !== 'generic')
      throw invalid({
        path: 'columns',
        message: 'are available with layout=generic only; other layouts have fixed columns',
      });
    if (scope === 'new' && layout === 'lines')
      throw invalid({ path: 'scope', message: 'new is available in files for payroll only' });
    if (scope === 'new' && ((include ?? 'approved') !== 'approved' || request.asOf !== undefined))
      throw invalid({ path: 'scope', message: 'new contains approved statements as of now, without include and asOf' });
    const included: Included | undefined = include === 'all' ? 'everyone' : include;
    const selection = { repIds: visibleReps(caller), everyone: include === 'all' };
    const requested = { period: request.period, scope, included, extended: columns === 'extended' };
    const { file } = await unitOfWork.run(
      caller,
      { lock: 'none', access: 'read', isolation: 'repeatable read', asOf: request.asOf },
      (tx) =>
        layout === 'lines'
          ? loadLineFile(tx, requested, selection, clock)
          : loadPayrollFile(tx, { ...requested, layout }, selection, clock),
    );
    const content = Buffer.from(await csvFile(file.columns, file.lines, delimiter));
    return new Download('text/csv; charset=utf-8', file.filename, content, {
      ...file.totals,
      'X-Content-SHA256': fileHash(content),
    });
  },
});
