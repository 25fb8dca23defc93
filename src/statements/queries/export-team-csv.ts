import { inject, injectable } from 'tsyringe';
import { z } from 'zod';
import { type Caller } from '../../kernel/caller.js';
import { type Clock } from '../../kernel/clock.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { Download, type Input, operation } from '../../platform/operation.js';
import { period } from '../../platform/schemas.js';
import { CLOCK } from '../../platform/tokens.js';
import { askedPeriod } from '../asked-period.js';
import { csvFile, own, plainAmount, text } from '../payroll-csv.js';
import { summed } from '../snapshot.js';
import { readTeamStatements, type TeamMemberStatement } from '../team-statements.js';

const query = z.strictObject({ period: period.optional(), delimiter: z.enum([',', ';']).default(',') });

const header = ['Name', 'Email', 'Commissions', 'Bonuses', 'Adjustments', 'Net Payout', 'Statement Status'];

@injectable()
export class ExportTeamCsv {
  constructor(
    @inject(UnitOfWork) private readonly unitOfWork: UnitOfWork,
    @inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ query: asked }: Input<unknown, z.infer<typeof query>>, caller: Caller): Promise<Download> {
    const { of, members } = await this.unitOfWork.run(caller, 'reads', async (trx) => {
      const { period: of, currency } = await askedPeriod(trx, caller.workspaceId, asked.period, this.clock);
      return { of, members: await readTeamStatements(trx, caller.workspaceId, of, currency) };
    });
    const rows = members.flatMap((member) => [member.main, ...member.others].map((amounts) => ({ member, amounts })));
    const currencies = [...new Set(rows.map(({ amounts }) => amounts.currency))];
    const mixed = currencies.length > 1;
    const [currency] = currencies;
    const total = summed(rows.map(({ amounts }) => amounts.summary)).netPayout;
    return new Download(
      'text/csv; charset=utf-8',
      `statements-${of}.csv`,
      csvFile(
        mixed ? [...header, 'Currency'] : header,
        rows.map((row) => cellsOf(row, mixed)),
        asked.delimiter,
      ),
      {
        'X-Row-Count': String(rows.length),
        // Amounts of two currencies have no total.
        ...(mixed || currency === undefined ? {} : { 'X-Net-Total': plainAmount(total, currency) }),
      },
    );
  }
}

interface Row {
  readonly member: TeamMemberStatement;
  readonly amounts: TeamMemberStatement['main'];
}

function cellsOf({ member, amounts: { currency, summary } }: Row, mixed: boolean) {
  const amount = (exact: string) => own(plainAmount(exact, currency));
  return [
    text(member.name),
    text(member.email),
    amount(summary.totalCommission),
    amount(summary.totalBonuses),
    amount(summary.totalAdjustments),
    amount(summary.netPayout),
    text(member.status),
    ...(mixed ? [text(currency)] : []),
  ];
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
