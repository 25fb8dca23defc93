import { inject, injectable } from 'tsyringe';
import { z } from 'zod';
import { type Caller, visibleReps } from '../../kernel/caller.js';
import { type Clock } from '../../kernel/clock.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { type Input, operation } from '../../platform/operation.js';
import { flag, optionalPeriod } from '../../platform/schemas.js';
import { resolvePeriod } from '../../statements/statement-views.js';
import { exportFailures, exportJob, exportJobExample, managerOf, workbookType } from '../export-job.js';
import { type ExportAnswer, ExportRequests } from '../export-requests.js';
import { archivedMembers, loadTeamExport } from '../team-export.js';

const query = z.strictObject({
  period: optionalPeriod,
  async: flag.default(false).describe('true: respond with the export job at once; false: wait for the file'),
});
type TeamExportInput = Input<unknown, z.infer<typeof query>>;

/** Files of the whole team. A worker makes them. */
class TeamExports {
  constructor(
    private readonly requests: ExportRequests,
    private readonly clock: Clock,
  ) {}

  answer(kind: 'team.pdf' | 'team.xlsx' | 'team.zip', { query: request }: TeamExportInput, caller: Caller) {
    const { workspaceId } = caller;
    return this.requests.submit(
      caller,
      async (trx) => {
        const { period: of } = await resolvePeriod(trx, workspaceId, request.period, this.clock);
        const exportRequest = { kind, repId: null, managerId: managerOf(caller), period: of };
        if (kind !== 'team.zip') return exportRequest;
        const selection = { repIds: visibleReps(caller), everyone: false };
        const team = await loadTeamExport(trx, workspaceId, of, this.clock, selection);
        return { ...exportRequest, total: archivedMembers(team).length };
      },
      request,
    );
  }
}

@injectable()
export class ExportTeamPdf {
  private readonly exports: TeamExports;

  constructor(@inject(ExportRequests) requests: ExportRequests, @inject(CLOCK) clock: Clock) {
    this.exports = new TeamExports(requests, clock);
  }

  execute(input: TeamExportInput, caller: Caller): Promise<ExportAnswer> {
    return this.exports.answer('team.pdf', input, caller);
  }
}

@injectable()
export class ExportTeamXlsx {
  private readonly exports: TeamExports;

  constructor(@inject(ExportRequests) requests: ExportRequests, @inject(CLOCK) clock: Clock) {
    this.exports = new TeamExports(requests, clock);
  }

  execute(input: TeamExportInput, caller: Caller): Promise<ExportAnswer> {
    return this.exports.answer('team.xlsx', input, caller);
  }
}

@injectable()
export class ExportTeamZip {
  private readonly exports: TeamExports;

  constructor(@inject(ExportRequests) requests: ExportRequests, @inject(CLOCK) clock: Clock) {
    this.exports = new TeamExports(requests, clock);
  }

  execute(input: TeamExportInput, caller: Caller): Promise<ExportAnswer> {
    return this.exports.answer('team.zip', input, caller);
  }
}

const shared = {
  method: 'get',
  access: 'manager',
  payroll: true,
  query,
  response: exportJob,
  otherStatus: 202,
  failures: exportFailures,
} as const;

export const exportTeamPdf = operation({
  ...shared,
  id: 'exportStatementsPdf',
  summary: 'Export the team roll-up as PDF: totals and one row per rep, with the columns and figures of the CSV',
  path: '/v1/statements/export.pdf',
  files: ['application/pdf', 'application/json'],
  example: { query: { period: '2026-02' } },
  handler: ExportTeamPdf,
});

export const exportTeamXlsx = operation({
  ...shared,
  id: 'exportStatementsXlsx',
  summary:
    "Export the team's statements as an Excel workbook: summary, line items, adjustments and the statements that it contains",
  path: '/v1/statements/export.xlsx',
  files: [workbookType, 'application/json'],
  example: { query: { period: '2026-02' } },
  handler: ExportTeamXlsx,
});

export const exportTeamZip = operation({
  ...shared,
  id: 'exportStatementsZip',
  summary:
    "Export every rep's statement as PDF in one ZIP archive. With more than 50 statements, the response is the job",
  path: '/v1/statements/export.zip',
  files: ['application/zip', 'application/json'],
  example: { query: { ...{ period: '2026-02' }, async: 'true' }, answer: exportJobExample },
  handler: ExportTeamZip,
});
