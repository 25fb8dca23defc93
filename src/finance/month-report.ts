import { findDealHeads } from '../deals/deal-heads.js';
import { chunk } from '../kernel/chunk.js';
import { compareNames } from '../kernel/compare-names.js';
import { groupBy } from '../kernel/group-by.js';
import { EventLoopSlice } from '../kernel/waiting.js';
import { findRepNames } from '../people/reps/rep-views.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type BookMonths } from './book-months.js';
import { type BookFindings, findInBooks } from './checklist.js';
import { hashOf } from './close-month.js';
import { type BookTotal } from './closing.js';
import {
  type CostGrouping,
  type CostRow,
  type NamedCostRow,
  nameCostRows,
  rollCostsForward,
} from './contract-costs.js';
import { linesOfMonth, toListedLine } from './journal-line.js';
import { addByCurrency, listByPerson, nameRows, toLiabilityRow } from './liability.js';
import { type MissingRate, type MonthBooks } from './load-books.js';
import { toStoredFuture } from './lots-of-rep.js';
import { totalLines } from './preparation.js';

/** The deals of people of so many names are named together. */
const peopleOfPart = 50;

/** What the reports of a month say about the whole. */
export interface ReportHead {
  readonly month: string;
  readonly status: 'open' | 'closed';
  /** The hash with which the month would be closed. */
  readonly hash: string;
  readonly totals: readonly BookTotal[];
  readonly findings: BookFindings;
  readonly missingRates: readonly MissingRate[];
  /** What is amortised after the month, by entity and month, as exact decimal texts. */
  readonly future: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly currencies: Readonly<Record<string, string>>;
}

/** The reports of a month: their rows by list, in the order in which pages have them. */
export interface MonthReport {
  readonly head: ReportHead;
  readonly lists: ReadonlyMap<string, readonly unknown[]>;
}

/** The lists that are stored together, when the first of them is read: the journal is most of the books. */
export type ReportPart = 'sums' | 'journal';

export const journalList = 'journal';

export function partOf(list: string): ReportPart {
  return list === journalList ? 'journal' : 'sums';
}

/** The name of a list of the liability; of all entities with null. */
export function liabilityList(groupBy: 'currency' | 'person', entity: string | null): string {
  return `liability ${groupBy} ${entity ?? ''}`;
}

export function costList(groupBy: CostGrouping, entity: string): string {
  return `costs ${groupBy} ${entity}`;
}

export async function makeReport(
  tx: Transaction,
  months: BookMonths,
  books: MonthBooks,
  part: ReportPart,
): Promise<MonthReport> {
  const { month, entities, closing, missingRates, future } = books;
  const lines = books.lines.filter((line) => line.month === month);
  const codes = entities.map(({ code }) => code);
  const slice = new EventLoopSlice();
  const hash = await hashOf({ months, month, lines });
  await slice.pause();
  const totals = totalLines(lines);
  await slice.pause();
  const findings = findInBooks(books);
  await slice.pause();
  const lists = part === 'journal' ? await listJournal(books) : await listSums(tx, books, codes);
  const head = {
    month,
    status: closing === null ? 'open' : 'closed',
    hash,
    totals,
    findings,
    missingRates,
    future: Object.fromEntries(codes.map((code) => [code, toStoredFuture(future.get(code) ?? new Map())])),
    currencies: Object.fromEntries(entities.map(({ code, currency }) => [code, currency])),
  } as const;
  return { head, lists };
}

async function listJournal(books: MonthBooks): Promise<Map<string, readonly unknown[]>> {
  return new Map([[journalList, (await linesOfMonth(books)).map(toListedLine)]]);
}

async function listSums(
  tx: Transaction,
  books: MonthBooks,
  codes: readonly string[],
): Promise<Map<string, readonly unknown[]>> {
  const lists = await listLiability(tx, books, codes);
  for (const code of codes) for (const [name, rows] of await listCosts(tx, books, code)) lists.set(name, rows);
  return lists;
}

async function listLiability(
  tx: Transaction,
  books: MonthBooks,
  codes: readonly string[],
): Promise<Map<string, readonly unknown[]>> {
  const people = await nameRows(tx, listByPerson(books));
  const sums = await nameRows(tx, addByCurrency(people));
  const lists = new Map<string, readonly unknown[]>();
  for (const [groupBy, rows] of [
    ['person', people],
    ['currency', sums],
  ] as const)
    for (const code of [null, ...codes])
      lists.set(
        liabilityList(groupBy, code),
        rows.filter(({ entity }) => code === null || entity === code).map(toLiabilityRow),
      );
  return lists;
}

async function listCosts(tx: Transaction, books: MonthBooks, code: string): Promise<Map<string, readonly unknown[]>> {
  const { month } = books;
  const lines = books.lines.filter(({ entity, account }) => entity === code && account === 'contract_cost');
  const byRep = groupBy(lines, ({ repId }) => repId);
  const names = await findRepNames(tx, [...byRep.keys()]);
  const byName = groupBy(byRep, ([repId]) => names.get(repId) ?? '');
  const noDeals = new Map();
  const people: NamedCostRow[] = [];
  const deals: NamedCostRow[] = [];
  const slice = new EventLoopSlice();
  for (const some of chunk([...byName.keys()].sort(compareNames), peopleOfPart)) {
    const rows: CostRow[] = [];
    for (const [, own] of some.flatMap((name) => byName.get(name) ?? [])) {
      await slice.pause();
      rows.push(...rollCostsForward({ lines: own, month }, 'deal'));
      people.push(...nameCostRows(rollCostsForward({ lines: own, month }, 'person'), names, noDeals));
    }
    const heads = await findDealHeads(
      tx,
      rows.flatMap(({ dealId }) => dealId ?? []),
    );
    deals.push(...nameCostRows(rows, names, heads));
  }
  return new Map([
    [costList('total', code), nameCostRows(rollCostsForward({ lines, month }, 'total'), names, noDeals)],
    [costList('person', code), people],
    [costList('deal', code), deals],
  ]);
}
