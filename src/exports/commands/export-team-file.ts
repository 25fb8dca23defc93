import { z } from 'zod';
import { type Caller, visibleReps } from '../../kernel/caller.js';
import { type Clock } from '../../kernel/clock.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { type Input, operation } from '../../platform/operations/operation.js';
import { asOfQuery, flag, optionalPeriod } from '../../platform/operations/schemas.js';
import { resolvePeriod } from '../../statements/statement-views.js';
import { exportFailures, exportJob, exportJobExample, findManager, workbookType } from '../export-job.js';
import { ExportRequests } from '../export-requests.js';
import { archivedMembers, loadTeamExport } from '../team-export.js';

const query = z.strictObject({
  period: optionalPeriod,
  async: flag.default(false).describe('true: respond with the export job at once; false: wait for the file'),
  asOf: asOfQuery,
});

/** Executes the export of a file of the whole team, which a worker makes. */
function exportTeam(kind: 'team.pdf' | 'team.xlsx' | 'team.zip') {
  return (
    { query: request }: Input<unknown, z.infer<typeof query>>,
    caller: Caller,
    { requests, clock }: { requests: ExportRequests; clock: Clock },
  ) =>
    requests.submit(
      caller,
      async (tx) => {
        const { period: requestedPeriod } = await resolvePeriod(tx, request.period, clock);
        const exportRequest = { kind, repId: null, managerId: findManager(caller), period: requestedPeriod };
        if (kind !== 'team.zip') return exportRequest;
        const selection = { repIds: visibleReps(caller), everyone: false };
        const team = await loadTeamExport(tx, requestedPeriod, clock, selection);
        return { ...exportRequest, total: archivedMembers(team).length };
      },
      request,
    );
}

const shared = {
  method: 'get',
  access: 'manager',
  payroll: true,
  stepUp: 'always',
  query,
  response: exportJob,
  otherStatus: 202,
  startsWork: true,
  failures: exportFailures,
  uses: { requests: ExportRequests, clock: CLOCK },
} as const;

export const exportTeamPdf = operation({
  ...shared,
  id: 'exportStatementsPdf',
  summary: 'Export the team roll-up as PDF: totals and one row per rep, with the columns and figures of the CSV',
  path: '/v1/statements/export.pdf',
  files: ['application/pdf', 'application/json'],
  example: { query: { period: '2026-02' } },
  execute: exportTeam('team.pdf'),
});

export const exportTeamXlsx = operation({
  ...shared,
  id: 'exportStatementsXlsx',
  summary:
    "Export the team's statements as an Excel workbook: summary, line items, adjustments and the statements that it contains",
  path: '/v1/statements/export.xlsx',
  files: [workbookType, 'application/json'],
  example: { query: { period: '2026-02' } },
  execute: exportTeam('team.xlsx'),
});

export const exportTeamZip = operation({
  ...shared,
  id: 'exportStatementsZip',
  summary:
    "Export every rep's statement as PDF in one ZIP archive. With more than 50 statements, the response is the job",
  path: '/v1/statements/export.zip',
  files: ['application/zip', 'application/json'],
  example: { query: { ...{ period: '2026-02' }, async: 'true' }, response: exportJobExample },
  execute: exportTeam('team.zip'),
});
