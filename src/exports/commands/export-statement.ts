import { z } from 'zod';
import { pathIds } from '../../api/resource-fields.js';
import { type Caller, maySee } from '../../kernel/caller.js';
import { type Clock } from '../../kernel/clock.js';
import { plainAmount } from '../../kernel/money-text.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { notYours, repNotFound } from '../../people/reps/rep.js';
import { findPerson } from '../../people/reps/rep-views.js';
import { type Transaction, UnitOfWork } from '../../platform/database/unit-of-work.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { jsonChunks, parseInSlices } from '../../platform/long-response.js';
import { Download, operation } from '../../platform/operations/operation.js';
import { asOfQuery, flag, optionalPeriod } from '../../platform/operations/schemas.js';
import { type PayslipLine, type PayslipRow } from '../../statements/payslip.js';
import { lineTitles, rowNote, rowTitle } from '../../statements/payslip-words.js';
import { type LoadedPayslip, loadPayslip, readPayslip } from '../../statements/read-payslip.js';
import { type StatementLine } from '../../statements/snapshot.js';
import {
  type StatementContent,
  type StatementKey,
  statement,
  statementExample,
  toStatementResponse,
} from '../../statements/statement.js';
import { readStatement, resolvePeriod } from '../../statements/statement-views.js';
import { exportFailures, exportJob, workbookType } from '../export-job.js';
import { ExportRequests, type ExportResponse } from '../export-requests.js';
import { type LineConversion, lineConversions } from '../line-conversions.js';
import { type Cell, csvFile, lineType, text, trusted } from '../payroll-csv.js';
import { statementFilename, statementTotals } from '../statement-file.js';

const params = z.strictObject({ repId: pathIds.repId });
const query = z.strictObject({
  period: optionalPeriod,
  format: z.enum(['csv', 'json', 'pdf', 'xlsx']).default('csv').describe('Format of the file'),
  delimiter: z.enum([',', ';']).default(',').describe('Delimiter of a CSV file'),
  async: flag.default(false).describe('true: respond with the export job at once; false: wait for the file'),
  asOf: asOfQuery,
});

const columns: readonly (readonly [title: string, cell: (line: StatementLine) => Cell])[] = [
  ['Deal ID', (line) => text(line.dealId)],
  ['Deal', (line) => text(line.dealName)],
  ['Close Date', (line) => trusted(line.closeDate)],
  ['Plan', (line) => text(line.planName)],
  ['Plan Version', (line) => trusted(line.planVersion)],
  ['Rule', (line) => text(line.ruleName)],
  ['Tier', (line) => text(line.tierName)],
  ['Attainment', (line) => trusted(line.attainment)],
  ['Base', (line) => trusted(line.base === null ? null : plainAmount(line.base, line.currency))],
  ['Rate', (line) => trusted(line.rate)],
  ['Commission', (line) => trusted(plainAmount(line.amount, line.currency))],
  ['Type', (line) => text(lineType(line))],
  ['Status', (line) => text(line.status)],
  ['Note', (line) => text(line.reason)],
];
const rowColumns = ['Rep', 'Email', 'Period', 'Currency'];

/** In files with a converted line. A line of which several values were converted has all of them. */
const conversionColumns: readonly (readonly [title: string, cell: (one: LineConversion) => string])[] = [
  ['Original Currency', ({ from }) => from],
  ['Original Amount', ({ from, original }) => plainAmount(original, from)],
  ['Exchange Rate', ({ rate }) => String(rate)],
  ['Rate Day', ({ day }) => day],
  ['Converted Field', ({ field }) => field ?? 'team'],
];

/** CSV and JSON are written in the request, because they need no worker. */
async function writeText(
  find: (tx: Transaction) => Promise<{ key: StatementKey; repName: string; email: string; currency: string }>,
  { format, delimiter, asOf }: { format: 'csv' | 'json'; delimiter: string; asOf: Date | undefined },
  caller: Caller,
  { unitOfWork, clock }: { readonly unitOfWork: UnitOfWork; readonly clock: Clock },
): Promise<Download> {
  const { key, repName, email, head, content, paid, pay } = await unitOfWork.run(
    caller,
    { lock: 'none', access: 'read', asOf },
    async (tx) => {
      const { currency, ...found } = await find(tx);
      const read = await readStatement(tx, found.key, currency);
      const paid = format === 'json' ? await readPayslip(tx, found.key, read.head, read.content, clock) : {};
      const pay = format === 'csv' ? await loadPayslip(tx, found.key, read.head, read.content) : null;
      return { ...found, ...read, paid, pay };
    },
  );
  const filename = statementFilename(key.period, repName, format);
  if (format === 'json') {
    const body = await jsonChunks(
      await parseInSlices(statement, await toStatementResponse(key, repName, head, content, caller, paid)),
    );
    return new Download(
      'application/json; charset=utf-8',
      filename,
      Buffer.concat(body),
      statementTotals(content, head),
    );
  }
  const lines = csvLines(content);
  const csv = await buildCsv(lines, pay, { name: repName, email, period: key.period }, delimiter);
  return new Download('text/csv; charset=utf-8', filename, csv, {
    ...statementTotals(content, head),
    'X-Row-Count': String(lines.length + countRows(pay)),
  });
}

/** The lines of a statement as rows of the CSV file, each true-up split into its lines. */
function csvLines({ lines }: StatementContent): StatementLine[] {
  const planNames = new Map(lines.map(({ planId, planName }) => [planId, planName]));
  return lines.flatMap((line) => splitTrueUp(line, planNames));
}

/** Splits a true-up into one row per line; the amounts of the rows add up to it. Without lines it is one row. */
function splitTrueUp(line: StatementLine, planNames: ReadonlyMap<string | null, string | null>): StatementLine[] {
  if (line.lines === undefined || line.lines.length === 0) return [line];
  return line.lines.map(({ dealId, dealName, planId, ruleName, approved, live, delta }) => ({
    ...line,
    dealId,
    dealName,
    planId,
    planName: planNames.get(planId) ?? null,
    ruleName,
    amount: delta,
    reason: `approved ${plainAmount(approved, line.currency)}, now ${plainAmount(live, line.currency)}`,
  }));
}

/** In pay periods, rows of what is paid follow those of what is earned. Each has its own column, whose sum is what is paid. */
const payslipColumns = ['Payslip Line', 'Pays'];

function countRows(pay: LoadedPayslip | null): number {
  return (pay?.parts ?? []).reduce((count, { lines }) => count + lines.flatMap(({ rows }) => rows).length, 0);
}

/** The cells of a row of a payslip below the columns of lines. */
function payslipCells(row: PayslipRow): Cell[] {
  const { dealId = null, dealName = null, ruleName = null } = row.kind === 'deal' ? row.line : {};
  const cells: Readonly<Record<string, string | null>> = {
    'Deal ID': dealId,
    Deal: dealName,
    Rule: ruleName,
    Type: row.kind === 'deal' ? row.line.category : rowTitle(row),
    Note: rowNote(row),
  };
  return columns.map(([title]) => text(cells[title] ?? null));
}

function paidCells({ kind }: PayslipLine, { amount }: PayslipRow, currency: string): Cell[] {
  return [text(lineTitles[kind]), trusted(plainAmount(String(amount), currency))];
}

/** Every row contains its rep, period and currency, so that rows of several files can be combined. */
function buildCsv(
  lines: readonly StatementLine[],
  pay: LoadedPayslip | null,
  { name, email, period: requestedPeriod }: { readonly name: string; readonly email: string; readonly period: string },
  delimiter: string,
): Promise<string> {
  const conversions = new Map(lines.map((line) => [line, lineConversions(line)]));
  const added = [...conversions.values()].some((ofLine) => ofLine.length > 0) ? conversionColumns : [];
  const refunds = lines.some(({ refundId }) => refundId !== undefined) ? ['Refund ID'] : [];
  const paid = pay === null ? [] : payslipColumns;
  const person = [text(name), text(email), trusted(requestedPeriod)];
  const blanks = [...added, ...refunds].map(() => trusted(null));
  const header = [...columns.map(([title]) => title), ...rowColumns, ...added.map(([title]) => title), ...refunds];
  const rows = (pay?.parts ?? []).flatMap(({ currency, lines: ofPart }) =>
    ofPart.flatMap((line) =>
      line.rows.map((row) => [
        ...payslipCells(row),
        ...person,
        text(currency),
        ...blanks,
        ...paidCells(line, row, currency),
      ]),
    ),
  );
  return csvFile(
    [...header, ...paid],
    [
      ...lines.map((line) => [
        ...columns.map(([, cell]) => cell(line)),
        ...person,
        text(line.currency),
        ...added.map(([, cell]) => trusted((conversions.get(line) ?? []).map(cell).join('; ') || null)),
        ...refunds.map(() => text(line.refundId ?? null)),
        ...paid.map(() => trusted(null)),
      ]),
      ...rows,
    ],
    delimiter,
  );
}

export const exportStatement = operation({
  id: 'exportStatement',
  summary:
    "Export a rep's statement as CSV, JSON, PDF or Excel workbook: the latest version, or the earnings so far if none was generated",
  method: 'get',
  path: '/v1/statements/:repId/export',
  access: 'rep',
  payroll: true,
  params,
  query,
  response: z.union([statement, exportJob]),
  otherStatus: 202,
  startsWork: true,
  files: ['text/csv', 'application/json', 'application/pdf', workbookType],
  failures: exportFailures,
  example: {
    params: { repId: sampleIds.repId },
    query: { period: '2026-02', format: 'json' },
    response: statementExample,
  },
  uses: { unitOfWork: UnitOfWork, requests: ExportRequests, clock: CLOCK },
  async execute(
    { params: { repId }, query: request },
    caller,
    { unitOfWork, requests, clock },
  ): Promise<ExportResponse> {
    if (!maySee(caller, repId)) throw notYours();
    const find = async (tx: Transaction) => {
      const person = await findPerson(tx, repId);
      if (person === null) throw repNotFound();
      const { period: requestedPeriod, currency } = await resolvePeriod(tx, request.period, clock);
      return {
        key: { repId, period: requestedPeriod },
        repName: person.name,
        email: person.email,
        currency,
      };
    };
    const { format, delimiter, asOf } = request;
    if (format === 'csv' || format === 'json')
      return writeText(find, { format, delimiter, asOf }, caller, { unitOfWork, clock });
    return requests.submit(
      caller,
      async (tx) => {
        const { key } = await find(tx);
        return { kind: `statement.${format}`, repId, managerId: null, period: key.period };
      },
      request,
    );
  },
});
