import { inject, injectable } from 'tsyringe';
import { z } from 'zod';
import { type Caller } from '../../kernel/caller.js';
import { type Clock } from '../../kernel/clock.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { Download, type Input, operation } from '../../platform/operation.js';
import { period } from '../../platform/schemas.js';
import { CLOCK } from '../../platform/tokens.js';
import { csvFile, own, text } from '../payroll-csv.js';
import { loadTeamExport, teamCells, teamHeaders } from '../team-export.js';

const query = z.strictObject({ period: period.optional(), delimiter: z.enum([',', ';']).default(',') });

@injectable()
export class ExportTeamCsv {
  constructor(
    @inject(UnitOfWork) private readonly unitOfWork: UnitOfWork,
    @inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ query: asked }: Input<unknown, z.infer<typeof query>>, caller: Caller): Promise<Download> {
    const team = await this.unitOfWork.run(caller, 'reads', (trx) =>
      loadTeamExport(trx, caller.workspaceId, asked.period, this.clock),
    );
    const lines = team.rows.map((row) =>
      teamCells(row, team).map((cell) => ('text' in cell ? text(cell.text) : own(cell.amount))),
    );
    return new Download(
      'text/csv; charset=utf-8',
      `statements-${team.period}.csv`,
      csvFile(team.columns, lines, asked.delimiter),
      teamHeaders(team),
    );
  }
}

export const exportTeamCsv = operation({
  id: 'exportStatementsCsv',
  summary: 'One row a rep for payroll, as CSV; several currencies get a row and a column of their own',
  method: 'get',
  path: '/v1/statements/export.csv',
  access: 'manager',
  query,
  response: z.string(),
  files: ['text/csv'],
  failures: {},
  handler: ExportTeamCsv,
});
