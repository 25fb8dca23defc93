import { createHash } from 'node:crypto';
import { type Day, type DayRange } from '../kernel/day.js';
import { type Decimal, sum } from '../kernel/decimal.js';
import { groupBy } from '../kernel/group-by.js';
import { type Account, type EntryKind } from './accounts.js';
import { type JournalLine } from './journal-line.js';
import { type Labels, type PersonLabel } from './labels.js';
import { type Month } from './month.js';

export const details = ['line', 'person', 'summary'] as const;
type Detail = (typeof details)[number];

/** A line as files show it. `value` is in the currency of the company. */
export interface FileLine {
  readonly journalId: string;
  readonly lineId: string;
  /** Lines of one entry add up to zero. */
  readonly entry: string;
  readonly day: Day;
  readonly kind: EntryKind;
  readonly account: Account;
  readonly value: Decimal;
  readonly currency: string;
  readonly amount: Decimal;
  /** Null in the lines of a summary. */
  readonly person: PersonLabel | null;
  readonly dealId: string | null;
  readonly deal: string | null;
  readonly plan: string | null;
  readonly rule: string | null;
  readonly memo: string;
}

/** What a file needs besides its lines. */
export interface FileHead {
  readonly month: Month;
  readonly days: DayRange;
  /** Name of the company. */
  readonly entity: string;
  readonly entityCode: string;
  readonly currency: string;
  readonly taxRate: string;
  /** The numbers of the tax consultant and of the client, and the clearing account, of DATEV. */
  readonly datev: { readonly consultant: number; readonly client: number; readonly clearing: string };
}

interface FileTerms {
  readonly month: Month;
  readonly days: DayRange;
  /** Of the closing; null for a draft. */
  readonly version: number | null;
  readonly labels: Labels;
  readonly detail: Detail;
}

const words: Readonly<Record<EntryKind, string>> = {
  opening: 'Opening balance',
  earned: 'Commission earned',
  adjusted: 'Adjustment',
  correction: 'Correction of an earlier month',
  clawback: 'Commission taken back',
  amortisation: 'Amortisation',
  catch_up: 'Amortisation of earlier months',
  contract_end: 'End of a contract',
  impairment: 'Impairment',
  topUp: 'Guarantee or advance',
  payment: 'Payment',
  draw_recovery: 'Recovery of a draw',
  draw_forgiven: 'Draw forgiven',
  write_off: 'Debt written off',
  receivable: 'Receivable',
  exchange: 'Exchange difference',
  payroll_tax: 'Payroll tax',
  estimate: 'Estimate',
  estimate_reversal: 'Reversal of an estimate',
};

/** The lines of a file, by journal and entry: equal lines in the same order, whenever it is made. */
export function toFileLines(lines: readonly JournalLine[], terms: FileTerms): FileLine[] {
  const keyed = groupBy(lines, (line) => keyOf(line, terms.detail));
  return [...keyed]
    .map(([key, ofKey]) => toFileLine(key, ofKey, terms))
    .filter(({ value, amount }) => !value.isZero() || !amount.isZero())
    .sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
}

function sortKey({ journalId, entry, account, lineId }: FileLine): string {
  return `${journalId}|${entry}|${account.number}|${lineId}`;
}

function keyOf({ lineId, day, kind, account, currency, repId }: JournalLine, detail: Detail): string {
  if (detail === 'line') return lineId;
  return [day, kind, account, currency, ...(detail === 'person' ? [repId] : [])].join('|');
}

function toFileLine(key: string, lines: readonly JournalLine[], terms: FileTerms): FileLine {
  const [line] = lines as readonly [JournalLine, ...JournalLine[]];
  const { entity, day, kind, account, currency, lineId } = line;
  const { month, labels, detail } = terms;
  const person = detail === 'summary' ? null : (labels.people[line.repId] ?? null);
  const deal = detail === 'line' ? describeDeal(line, labels) : noDeal;
  const ownId = createHash('sha256').update(`${entity}|${month}|${key}`).digest('hex').slice(0, 32);
  return {
    journalId: nameJournal(line, terms),
    lineId: detail === 'line' ? lineId : ownId,
    entry: { line: `${line.repId}|${line.ref}`, person: line.repId, summary: '' }[detail],
    day,
    kind,
    account: labels.entities[entity]?.accounts[account] ?? { number: '', name: account },
    value: sum(lines.map((each) => each.value)),
    currency,
    amount: sum(lines.map((each) => each.amount)),
    person,
    ...deal,
    memo: [words[kind], person?.name, deal.deal ?? deal.dealId].filter((part) => part).join(', '),
  };
}

/** Entries of one kind and day are one journal. */
function nameJournal({ entity, kind, day }: JournalLine, { month, days, version }: FileTerms): string {
  const suffix = day === days.to ? '' : `-${day.slice(5).replace('-', '')}`;
  return `${entity}-${month}-${kind}${suffix}-${version === null ? 'draft' : `v${version}`}`;
}

const noDeal = { dealId: null, deal: null, plan: null, rule: null };

function describeDeal(
  { dealId, planId, ruleName }: JournalLine,
  { deals, plans }: Labels,
): Pick<FileLine, keyof typeof noDeal> {
  return {
    dealId,
    deal: dealId === null ? null : (deals[dealId] ?? null),
    plan: planId === null ? null : (plans[planId] ?? null),
    rule: ruleName,
  };
}

export const debitOf = ({ value }: FileLine): Decimal | null => (value.sign() > 0 ? value : null);
export const creditOf = ({ value }: FileLine): Decimal | null => (value.sign() < 0 ? value.negated() : null);
