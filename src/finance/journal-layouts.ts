import { type Cell, csvFile, text, trusted } from '../exports/payroll-csv.js';
import { type Day } from '../kernel/day.js';
import { type Decimal } from '../kernel/decimal.js';
import { writeDatev } from './datev.js';
import { creditOf, debitOf, type FileHead, type FileLine } from './journal-entries.js';
import { fixed } from './liability.js';
import { isFiscal, type Month } from './month.js';

export const journalLayouts = ['generic', 'netsuite', 'quickbooks', 'xero', 'intacct', 'datev'] as const;
export type JournalLayout = (typeof journalLayouts)[number];

interface Column {
  readonly title: string;
  readonly cell: (line: FileLine, head: FileHead, isFirst: boolean) => Cell;
}

const column = (title: string, cell: Column['cell']): Column => ({ title, cell });
const money = (amount: Decimal | null, currency: string) => trusted(amount === null ? null : fixed(amount, currency));
const american = (day: Day) => trusted(`${day.slice(5, 7)}/${day.slice(8)}/${day.slice(0, 4)}`);
const none = trusted(null);

/** The memo names what was earned in another currency: the receiver does not revalue these accounts again. */
function memo({ memo: words, currency, amount }: FileLine, head: FileHead): Cell {
  return text(currency === head.currency ? words : `${words} (${currency} ${fixed(amount, currency)})`);
}

const lineColumn = (name: string, cell: Column['cell']) => column(`Journal Entry - Line: ${name}`, cell);

const columns: Readonly<Record<Exclude<JournalLayout, 'datev'>, readonly Column[]>> = {
  generic: [
    column('Journal ID', ({ journalId }) => trusted(journalId)),
    column('Line ID', ({ lineId }) => trusted(lineId)),
    column('Entity', (_, { entityCode }) => text(entityCode)),
    column('Month', (_, { month }) => trusted(month)),
    column('Date', ({ day }) => trusted(day)),
    column('Kind', ({ kind }) => trusted(kind)),
    column('Account', ({ account }) => text(account.number)),
    column('Account Name', ({ account }) => text(account.name)),
    column('Debit', (line, { currency }) => money(debitOf(line), currency)),
    column('Credit', (line, { currency }) => money(creditOf(line), currency)),
    column('Currency', (_, { currency }) => trusted(currency)),
    column('Earned Currency', ({ currency }) => trusted(currency)),
    column('Earned Amount', ({ amount, currency }) => money(amount, currency)),
    column('Employee ID', ({ person }) => text(person?.payrollId ?? null)),
    column('Person', ({ person }) => text(person?.name ?? null)),
    column('Deal ID', ({ dealId }) => text(dealId)),
    column('Deal', ({ deal }) => text(deal)),
    column('Plan', ({ plan }) => text(plan)),
    column('Rule', ({ rule }) => text(rule)),
    column('Team', ({ person }) => text(person?.team ?? null)),
    column('Location', ({ person }) => text(person?.location ?? null)),
    column('Memo', memo),
  ],
  netsuite: [
    column('External ID', ({ journalId }) => trusted(journalId)),
    column('Date', ({ day }) => american(day)),
    column('Posting Period', (_, { month }) => trusted(postingPeriod(month))),
    column('Subsidiary', (_, { entity }) => text(entity)),
    column('Currency', (_, { currency }) => trusted(currency)),
    column('Memo', ({ journalId }) => trusted(journalId)),
    column('Reversal Date', () => none),
    lineColumn('Account', ({ account }) => text(account.number)),
    lineColumn('Debit', (line, { currency }) => money(debitOf(line), currency)),
    lineColumn('Credit', (line, { currency }) => money(creditOf(line), currency)),
    lineColumn('Memo', memo),
    lineColumn('Department', ({ person }) => text(person?.team ?? null)),
    lineColumn('Class', ({ plan }) => text(plan)),
    lineColumn('Location', ({ person }) => text(person?.location ?? null)),
  ],
  quickbooks: [
    column('*JournalNo', ({ journalId }) => trusted(journalId)),
    column('*JournalDate', ({ day }) => american(day)),
    column('*AccountName', ({ account }) => text(account.name)),
    column('*Debits', (line, { currency }) => money(debitOf(line), currency)),
    column('*Credits', (line, { currency }) => money(creditOf(line), currency)),
    column('Description', memo),
    column('Name', ({ person }) => text(person?.name ?? null)),
    column('Location', ({ person }) => text(person?.location ?? null)),
    column('Class', ({ plan }) => text(plan)),
  ],
  xero: [
    column('*Narration', ({ journalId }) => trusted(journalId)),
    column('*Date', ({ day }) => trusted(day)),
    column('Description', memo),
    column('*AccountCode', ({ account }) => text(account.number)),
    column('*TaxRate', (_, { taxRate }) => text(taxRate)),
    column('*Amount', ({ value }, { currency }) => money(value, currency)),
    column('TrackingName1', ({ person }) => text(person?.team ? 'Team' : null)),
    column('TrackingOption1', ({ person }) => text(person?.team ?? null)),
    column('TrackingName2', ({ person }) => text(person?.location ? 'Location' : null)),
    column('TrackingOption2', ({ person }) => text(person?.location ?? null)),
  ],
  intacct: [
    column('JOURNAL', (_, __, isFirst) => trusted(isFirst ? 'GJ' : null)),
    column('DATE', ({ day }, _, isFirst) => (isFirst ? american(day) : none)),
    column('REVERSEDATE', () => none),
    column('DESCRIPTION', ({ journalId }, _, isFirst) => trusted(isFirst ? journalId : null)),
    column('REFERENCE_NO', ({ journalId }, _, isFirst) => trusted(isFirst ? journalId : null)),
    column('LINE_NO', () => none),
    column('ACCT_NO', ({ account }) => text(account.number)),
    column('LOCATION_ID', ({ person }) => text(person?.location ?? null)),
    column('DEPT_ID', ({ person }) => text(person?.team ?? null)),
    column('DOCUMENT', ({ lineId }) => trusted(lineId)),
    column('MEMO', memo),
    column('DEBIT', (line, { currency }) => money(debitOf(line), currency)),
    column('CREDIT', (line, { currency }) => money(creditOf(line), currency)),
  ],
};

const monthNames = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

function postingPeriod(month: Month): string {
  if (isFiscal(month)) return month;
  return `${monthNames[Number(month.slice(5)) - 1]} ${month.slice(0, 4)}`;
}

/** The journals of a month in the layout of an accounting system. */
export async function writeJournals(
  layout: JournalLayout,
  lines: readonly FileLine[],
  head: FileHead,
): Promise<Buffer> {
  if (layout === 'datev') return writeDatev(lines, head);
  const own = columns[layout];
  let journal = '';
  let number = 0;
  const rows = lines.map((line) => {
    const isFirst = line.journalId !== journal;
    journal = line.journalId;
    number = isFirst ? 1 : number + 1;
    const position = number;
    return own.map(({ title, cell }) => (title === 'LINE_NO' ? trusted(position) : cell(line, head, isFirst)));
  });
  return Buffer.from(
    await csvFile(
      own.map(({ title }) => title),
      rows,
      ',',
    ),
  );
}
