import { expect } from 'chai';
import { parse } from 'csv-parse/sync';
import { money } from '#src/kernel/money-text.js';
import { moneyFormat } from '#src/platform/documents/workbook.js';
import { download, readRows, readWorkbook } from '#test/support/downloads.js';
import { pdfText } from '#test/support/pdf-tools.js';
import { type WorkedExample } from '#test/support/worked-example.js';

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
type Loose = any;

export const squeezed = (text: string) => text.replace(/\s+/g, ' ');

export const exportPath = (workspace: WorkedExample, period: string, format: string) =>
  `/v1/statements/${workspace.ben}/export?period=${period}&format=${format}`;

/** Every figure of the statement, read back from each of the files. */
export async function expectSameFigures(
  workspace: WorkedExample,
  period: string,
): Promise<{ text: string | null; statement: Loose; pdfSize: number }> {
  const { api } = workspace;
  const statement = JSON.parse((await download(api, exportPath(workspace, period, 'json'))).bytes.toString());
  const { currency, summary, lineItems } = statement;
  const csv = await download(api, exportPath(workspace, period, 'csv'));
  const pdf = await download(api, exportPath(workspace, period, 'pdf'));
  const xlsx = await download(api, exportPath(workspace, period, 'xlsx'));
  for (const file of [pdf, xlsx])
    for (const name of ['x-row-count', 'x-net-total', 'x-statement-version', 'x-statement-status'])
      expect(file.headers.get(name), name).to.equal(csv.headers.get(name));
  const inCsv = parse(csv.bytes, { columns: true, bom: true }) as Record<string, string>[];
  expect(inCsv.map((row) => Number(row['Commission']))).to.deep.equal(lineItems.map((line: Loose) => line.amount));

  const workbook = await readWorkbook(xlsx.bytes);
  expect(workbook.worksheets.map(({ name }) => name)).to.deep.equal(['Summary', 'Line items', 'Adjustments', 'About']);
  const [own, ...totals] = readRows(workbook.getWorksheet('Summary'));
  const names = ['Commissions', 'Bonuses', 'Adjustments', 'Net Payout'];
  const reported = [summary.totalCommission, summary.totalBonuses, summary.totalAdjustments, summary.netPayout];
  expect(names.map((name) => own?.[name]?.value)).to.deep.equal(reported);
  expect(names.map((name) => totals[0]?.[name]?.value)).to.deep.equal(reported);
  // A sum of zero is stored without a cached value; the spreadsheet program calculates it.
  expect(names.map((name) => totals[1]?.[name]?.result ?? 0)).to.deep.equal(reported);
  expect(own?.['Net Payout']?.numFmt).to.equal(moneyFormat(currency));
  const isEngine = (line: Loose) => line.kind === 'commission_earned';
  const lines = readRows(workbook.getWorksheet('Line items'));
  expect(lines.map((row) => [row['Commission']?.value, row['Base']?.value ?? null])).to.deep.equal(
    lineItems.filter(isEngine).map((line: Loose) => [line.amount, line.base]),
  );
  const added = readRows(workbook.getWorksheet('Adjustments'));
  expect(added.map((row) => row['Amount']?.value)).to.deep.equal(
    lineItems.filter((line: Loose) => !isEngine(line)).map((line: Loose) => line.amount),
  );

  const text = pdfText(pdf.bytes, '-layout');
  const pdfSize = pdf.bytes.length;
  if (text === null) return { text, statement, pdfSize };
  const whole = squeezed(text);
  expect(whole).to.contain(`${currency} ${money(String(summary.netPayout), currency)}`);
  for (const [index, name] of ['Commissions', 'Bonuses', 'Adjustments', 'Net payout'].entries())
    expect(whole).to.contain(`${name} ${money(String(reported[index]), currency)}`);
  const amountsAtEnds = text.split('\n').flatMap((line) => /(-?[\d,]+(?:\.\d+)?)\s*$/.exec(line)?.[1] ?? []);
  for (const { amount } of lineItems) expect(amountsAtEnds).to.include(money(String(amount), currency));
  return { text, statement, pdfSize };
}
