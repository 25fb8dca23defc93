import { inject, injectable } from 'tsyringe';
import { z } from 'zod';
import { type Caller, maySee } from '../../kernel/caller.js';
import { type Clock } from '../../kernel/clock.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { Download, type Input, operation } from '../../platform/operation.js';
import { pathId, period } from '../../platform/schemas.js';
import { CLOCK } from '../../platform/tokens.js';
import { notYours, repNotFound } from '../../reps/rep.js';
import { findRepName } from '../../reps/rep-views.js';
import { askedPeriod } from '../asked-period.js';
import { type Cell, csvFile, own, plainAmount, text } from '../payroll-csv.js';
import { type StatementLine } from '../snapshot.js';
import { type StatementContent, type StatementKey, statement, statementAnswer } from '../statement.js';
import { readStatement } from '../statement-views.js';

const params = z.strictObject({ repId: pathId });
const query = z.strictObject({
  period: period.optional(),
  format: z.enum(['csv', 'json']).default('csv'),
  delimiter: z.enum([',', ';']).default(','),
});
type Query = z.infer<typeof query>;

const columns: readonly (readonly [title: string, cell: (line: StatementLine) => Cell])[] = [
  ['Deal ID', (line) => text(line.dealId)],
  ['Deal', (line) => text(line.dealName)],
  ['Close Date', (line) => own(line.closeDate)],
  ['Plan', (line) => text(line.planName)],
  ['Plan Version', (line) => own(line.planVersion)],
  ['Rule', (line) => text(line.ruleName)],
  ['Tier', (line) => text(line.tierName)],
  ['Attainment', (line) => own(line.attainment)],
  ['Base', (line) => own(line.base === null ? null : plainAmount(line.base, line.currency))],
  ['Rate', (line) => own(line.rate)],
  ['Commission', (line) => own(plainAmount(line.amount, line.currency))],
  ['Type', (line) => text(line.kind === 'commission_earned' ? line.category : line.kind)],
  ['Status', (line) => text(line.status)],
  ['Note', (line) => text(line.reason)],
];

@injectable()
export class ExportStatement {
  constructor(
    @inject(UnitOfWork) private readonly unitOfWork: UnitOfWork,
    @inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute(
    { params: { repId }, query: asked }: Input<{ repId: string }, Query>,
    caller: Caller,
  ): Promise<Download> {
    if (!maySee(caller, repId)) throw notYours();
    const { key, repName, head, content } = await this.unitOfWork.run(caller, 'reads', async (trx) => {
      const name = await findRepName(trx, caller.workspaceId, repId);
      if (name === null) throw repNotFound();
      const { period: of, currency } = await askedPeriod(trx, caller.workspaceId, asked.period, this.clock);
      const ofRep = { workspaceId: caller.workspaceId, repId, period: of };
      return { key: ofRep, repName: name, ...(await readStatement(trx, ofRep, currency)) };
    });
    const headers = controlTotals(content, head?.status ?? 'none');
    if (asked.format === 'csv')
      return new Download(
        'text/csv; charset=utf-8',
        filenameOf(key, repName, 'csv'),
        csvOf(content, asked.delimiter),
        headers,
      );
    const answer = statement.parse(statementAnswer(key, repName, head, content, caller));
    return new Download(
      'application/json; charset=utf-8',
      filenameOf(key, repName, 'json'),
      JSON.stringify(answer),
      headers,
    );
  }
}

function csvOf({ lines, currency, otherCurrencies }: StatementContent, delimiter: string): string {
  const mixed = otherCurrencies.length > 0 || lines.some((line) => line.currency !== currency);
  const used: typeof columns = mixed ? [...columns, ['Currency', (line) => text(line.currency)]] : columns;
  return csvFile(
    used.map(([title]) => title),
    lines.map((line) => used.map(([, cell]) => cell(line))),
    delimiter,
  );
}

/** What payroll ticks the file off by. Amounts of two currencies have no total. */
function controlTotals(content: StatementContent, status: string): Record<string, string> {
  return {
    'X-Row-Count': String(content.lines.length),
    ...(content.otherCurrencies.length > 0
      ? {}
      : { 'X-Net-Total': plainAmount(content.summary.netPayout, content.currency) }),
    'X-Statement-Version': String(content.version),
    'X-Statement-Status': status,
  };
}

function filenameOf({ period: of }: StatementKey, repName: string, ending: string): string {
  const name = repName
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 60);
  return `statement-${of}-${name === '' ? 'rep' : name}.${ending}`;
}

export const exportStatement = operation({
  id: 'exportStatement',
  summary: "A rep's line items for payroll, as CSV or JSON: the latest version, or what has been earned so far",
  method: 'get',
  path: '/v1/statements/:repId/export',
  access: 'rep',
  params,
  query,
  response: statement,
  files: ['text/csv', 'application/json'],
  failures: { rep_not_found: 404 },
  handler: ExportStatement,
});
