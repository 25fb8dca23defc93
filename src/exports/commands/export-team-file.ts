import { inject, injectable } from 'tsyringe';
import { z } from 'zod';
import { type Caller, visibleReps } from '../../kernel/caller.js';
import { type Clock } from '../../kernel/clock.js';
import { type Input, operation } from '../../platform/operation.js';
import { flag, period } from '../../platform/schemas.js';
import { CLOCK } from '../../platform/tokens.js';
import { resolvePeriod } from '../../statements/statement-views.js';
import { exportFailures, exportJob, managerOf, workbookType } from '../export-job.js';
import { type ExportAnswer, ExportRequests } from '../export-requests.js';
import { archivedMembers, loadTeamExport } from '../team-export.js';

const query = z.strictObject({ period: period.optional(), async: flag.default(false) });
type Asked = Input<unknown, z.infer<typeof query>>;

/** Files of the whole team: ordered here, made by a worker. */
class TeamExports {
  constructor(
    private readonly requests: ExportRequests,
    private readonly clock: Clock,
  ) {}

  answer(kind: 'team.pdf' | 'team.xlsx' | 'team.zip', { query: asked }: Asked, caller: Caller) {
    const { workspaceId } = caller;
    return this.requests.submit(
      caller,
      async (trx) => {
        const { period: of } = await resolvePeriod(trx, workspaceId, asked.period, this.clock);
        const order = { kind, repId: null, managerId: managerOf(caller), period: of };
        if (kind !== 'team.zip') return order;
        const selection = { repIds: visibleReps(caller), everyone: false };
        const team = await loadTeamExport(trx, workspaceId, of, this.clock, selection);
        return { ...order, total: archivedMembers(team).length };
      },
      asked,
    );
  }
}

@injectable()
export class ExportTeamPdf {
  private readonly documents: TeamExports;

  constructor(@inject(ExportRequests) requests: ExportRequests, @inject(CLOCK) clock: Clock) {
    this.documents = new TeamExports(requests, clock);
  }

  execute(asked: Asked, caller: Caller): Promise<ExportAnswer> {
    return this.documents.answer('team.pdf', asked, caller);
  }
}

@injectable()
export class ExportTeamXlsx {
  private readonly documents: TeamExports;

  constructor(@inject(ExportRequests) requests: ExportRequests, @inject(CLOCK) clock: Clock) {
    this.documents = new TeamExports(requests, clock);
  }

  execute(asked: Asked, caller: Caller): Promise<ExportAnswer> {
    return this.documents.answer('team.xlsx', asked, caller);
  }
}

@injectable()
export class ExportTeamZip {
  private readonly documents: TeamExports;

  constructor(@inject(ExportRequests) requests: ExportRequests, @inject(CLOCK) clock: Clock) {
    this.documents = new TeamExports(requests, clock);
  }

  execute(asked: Asked, caller: Caller): Promise<ExportAnswer> {
    return this.documents.answer('team.zip', asked, caller);
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
  summary: 'The team roll-up as PDF: totals and one row a rep, with the columns and figures of the CSV',
  path: '/v1/statements/export.pdf',
  files: ['application/pdf', 'application/json'],
  handler: ExportTeamPdf,
});

export const exportTeamXlsx = operation({
  ...shared,
  id: 'exportStatementsXlsx',
  summary: "The team's statements as a workbook: summary, line items, adjustments, and what it was made of",
  path: '/v1/statements/export.xlsx',
  files: [workbookType, 'application/json'],
  handler: ExportTeamXlsx,
});

export const exportTeamZip = operation({
  ...shared,
  id: 'exportStatementsZip',
  summary: "Every rep's statement as PDF in one archive; of more than 50 the job that makes it",
  path: '/v1/statements/export.zip',
  files: ['application/zip', 'application/json'],
  handler: ExportTeamZip,
});
