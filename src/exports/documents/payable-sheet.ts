import { describeRate } from '../../pay/payables/rate-words.js';
import { type Sheet, type WorkbookCell, type WorkbookColumn } from '../../platform/documents/workbook.js';
import { type PayslipLine, type PayslipRow } from '../../statements/payslip.js';
import { lineTitles, rowNote, rowTitle } from '../../statements/payslip-words.js';
import { type LoadedPayslip } from '../../statements/read-payslip.js';

export const payableColumns: readonly WorkbookColumn[] = [
  { title: 'Name', width: 28 },
  { title: 'Line', width: 28 },
  { title: 'What', width: 34 },
  { title: 'Note', width: 50 },
  { title: 'Deal ID', width: 18 },
  { title: 'Earned', width: 16, align: 'right' },
  { title: 'Released', width: 16, align: 'right' },
  { title: 'Amount', width: 16, align: 'right' },
  { title: 'Sum', width: 16, align: 'right' },
  { title: 'Currency', width: 10 },
  { title: 'Paid', width: 16, align: 'right' },
  { title: 'Paid Currency', width: 14 },
];

/** The payslip: the rows of each line, with amounts that add up, followed by its sum in a separate column. */
export function writePayable(sheet: Sheet, name: string, { headline, parts }: LoadedPayslip): void {
  for (const { currency, lines, conversion } of parts) {
    for (const line of lines) {
      for (const row of line.rows) sheet.row(rowCells(name, line, row, currency));
      const paid: WorkbookCell[] =
        line.converted === null
          ? [blank, blank]
          : [{ money: String(line.converted), currency: headline.currency }, { text: headline.currency }];
      sheet.row(
        [
          ...[name, lineTitles[line.kind], null, null, null].map((text) => ({ text })),
          ...[blank, blank, blank],
          { money: String(line.amount), currency },
          { text: currency },
          ...paid,
        ],
        'bold',
      );
    }
    if (conversion !== null)
      sheet.row([{ text: name }, { text: 'Exchange rate' }, { text: describeRate(conversion, headline.currency) }]);
  }
}

function rowCells(name: string, { kind }: PayslipLine, row: PayslipRow, currency: string): WorkbookCell[] {
  const [earned, released]: WorkbookCell[] =
    row.kind === 'deal'
      ? [
          { money: row.line.earned, currency },
          { money: row.line.released, currency },
        ]
      : [blank, blank];
  return [
    { text: name },
    { text: lineTitles[kind] },
    { text: rowTitle(row) },
    { text: rowNote(row) },
    { text: row.kind === 'deal' ? row.line.dealId : null },
    earned as WorkbookCell,
    released as WorkbookCell,
    { money: String(row.amount), currency },
    blank,
    { text: currency },
  ];
}

const blank: WorkbookCell = { text: null };
