import { inject, injectable } from 'tsyringe';
import { z } from 'zod';
import { type Caller } from '../../kernel/caller.js';
import { type Clock } from '../../kernel/clock.js';
import { invalid } from '../../kernel/failure.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { PdfPrinter } from '../../platform/documents/browser.js';
import { Download, type Input, operation } from '../../platform/operation.js';
import { period } from '../../platform/schemas.js';
import { CLOCK } from '../../platform/tokens.js';
import { findWorkspace } from '../../workspaces/workspace-views.js';
import { teamDocument } from '../team-document.js';
import { loadTeamExport, teamHeaders } from '../team-export.js';

const query = z.strictObject({ period: period.optional() });

const mostRows = 2000;

@injectable()
export class ExportTeamPdf {
  constructor(
    @inject(UnitOfWork) private readonly unitOfWork: UnitOfWork,
    @inject(CLOCK) private readonly clock: Clock,
    @inject(PdfPrinter) private readonly printer: PdfPrinter,
  ) {}

  async execute({ query: asked }: Input<unknown, z.infer<typeof query>>, caller: Caller): Promise<Download> {
    const { workspace, team } = await this.unitOfWork.run(caller, 'reads', async (trx) => ({
      workspace: await findWorkspace(trx, caller.workspaceId),
      team: await loadTeamExport(trx, caller.workspaceId, asked.period, this.clock),
    }));
    if (team.rows.length > mostRows)
      throw invalid({
        path: 'period',
        message: `has ${team.rows.length} rows and a PDF holds ${mostRows}; take export.csv`,
      });
    const page = teamDocument(team, workspace, this.clock.now());
    return new Download(
      'application/pdf',
      `statements-${team.period}.pdf`,
      await this.printer.print(page),
      teamHeaders(team),
    );
  }
}

export const exportTeamPdf = operation({
  id: 'exportStatementsPdf',
  summary: 'The team roll-up as PDF: totals and one row a rep, with the columns and figures of the CSV',
  method: 'get',
  path: '/v1/statements/export.pdf',
  access: 'manager',
  query,
  response: z.string(),
  files: ['application/pdf'],
  failures: { pdf_unavailable: 503 },
  handler: ExportTeamPdf,
});
