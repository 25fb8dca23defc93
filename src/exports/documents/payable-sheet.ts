import { drawNames } from '../../payables/draw-words.js';
import { describeRate } from '../../payables/rate-words.js';
import { type StoredPay, type StoredPayable } from '../../payables/stored-payable.js';
import { type Sheet, type WorkbookCell, type WorkbookColumn } from '../../platform/documents/workbook.js';

export const payableColumns: readonly WorkbookColumn[] = [
  { title: 'Name', width: 28 },
  { title: 'What', width: 24 },
  { title: 'Deal ID', width: 18 },
  { title: 'Deal', width: 30 },
  { title: 'Rule', width: 22 },
  { title: 'Earned', width: 16, align: 'right' },
  { title: 'Released', width: 16, align: 'right' },
  { title: 'Amount', width: 16, align: 'right' },
  { title: 'Currency', width: 10 },
];

/** What the statement pays, by deal, followed by the balance and the sum of each currency. */
export function writePayable(sheet: Sheet, name: string, { lines, totals, pay, draws = [] }: StoredPayable): void {
  for (const { kind, late, sourcePeriod, dealId, dealName, ruleName, earned, released, amount, currency } of lines) {
    const what = kind === 'correction' ? `Correction of ${sourcePeriod ?? ''}` : late === true ? 'Late' : 'Released';
    sheet.row([
      { text: name },
      { text: what },
      { text: dealId },
      { text: dealName ?? null },
      { text: ruleName },
      { money: earned, currency },
      { money: released, currency },
      { money: amount, currency },
      { text: currency },
    ]);
  }
  for (const { kind, drawKind, amount, currency, formula } of draws)
    sheet.row([
      { text: name },
      { text: `${drawNames[kind]} (${drawKind})` },
      { text: null },
      { text: formula },
      ...blanks.slice(3),
      { text: null },
      { money: amount, currency },
      { text: currency },
    ]);
  for (const { currency, opening, recovered, closing, payable } of totals) {
    const amounts = [
      ['Owed before', opening],
      ['Kept of this statement', recovered],
      ['Owed afterwards', closing],
      ['Payable', payable],
    ] as const;
    for (const [what, money] of amounts)
      sheet.row([{ text: name }, { text: what }, ...blanks, { money, currency }, { text: currency }]);
  }
  if (pay !== undefined) writePay(sheet, name, pay);
}

/** What is paid in the currency of the person, with the rate of each earned currency. */
function writePay(sheet: Sheet, name: string, { currency, amount, parts }: StoredPay): void {
  const rows = [
    ...parts.map((part) => [describeRate(part, currency), part.amount] as const),
    [`Paid in ${currency}`, amount] as const,
  ];
  for (const [what, paid] of rows) {
    const cell = paid === null ? { text: null } : { money: paid, currency };
    sheet.row([{ text: name }, { text: what }, ...blanks, cell, { text: currency }]);
  }
}

const blanks: readonly WorkbookCell[] = Array.from({ length: 5 }, () => ({ text: null }));
