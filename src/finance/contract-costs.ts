import { z } from 'zod';
import { fields } from '../api/resource-fields.js';
import { compareNames } from '../kernel/compare-names.js';
import { type Decimal, sum } from '../kernel/decimal.js';
import { groupBy } from '../kernel/group-by.js';
import { type EntryKind } from './accounts.js';
import { type JournalLine } from './journal-line.js';
import { type MonthBooks } from './load-books.js';
import { type Future } from './lot.js';
import { type Month, moveMonth } from './month.js';
import { kindOfSource } from './movement.js';
import { toNumbers } from './to-numbers.js';

const columns = {
  opening: z.number().describe('Carrying amount at the end of the month before'),
  imported: z.number().describe('What other systems have left to amortise of lots that enter in the month'),
  additions: z.number().describe('Cost of rows that are earned in the month'),
  corrections: z.number().describe('Changes of the cost of rows of closed months'),
  amortised: z.number().describe('Amortisation of the month, with the catch-up of closed months; negative'),
  clawedBack: z.number().describe('What ended and was taken back; negative'),
  impaired: z.number().describe('What ended and was not taken back; negative'),
  closing: z.number().describe('Carrying amount at the end of the month: the sum of all before'),
};

export const contractCostRow = z
  .object({
    repId: fields.repId.nullable().describe('Id of the rep (UUID); null for the sum of all'),
    repName: fields.repName.nullable().describe('Name of the rep; null for the sum of all'),
    dealId: fields.dealId.nullable().describe('Id of the deal in the CRM; null for sums'),
    dealName: fields.dealName.nullable().describe('Name of the deal; null for sums'),
    ...columns,
  })
  .describe('Capitalised cost from the beginning to the end of the month, in the currency of the entity');

export type NamedCostRow = z.input<typeof contractCostRow>;

export const costGroupings = ['total', 'person', 'deal'] as const;
export type CostGrouping = (typeof costGroupings)[number];

type Column = 'imported' | 'additions' | 'corrections' | 'amortised' | 'clawedBack' | 'impaired';
const columnOfKind: Readonly<Partial<Record<EntryKind, Column>>> = {
  opening: 'imported',
  earned: 'additions',
  correction: 'corrections',
  amortisation: 'amortised',
  catch_up: 'amortised',
  clawback: 'clawedBack',
  contract_end: 'impaired',
  impairment: 'impaired',
};
const movedColumns: readonly Column[] = ['imported', 'additions', 'corrections', 'amortised', 'clawedBack', 'impaired'];

/**
 * Capitalised payroll tax is an addition, or a correction if it is about a closed month. What was taken back in a closed month
 * ends its share of the asset as any clawback.
 */
function columnOf({ kind, late, source }: JournalLine): Column | undefined {
  if (kind === 'payroll_tax') return late ? 'corrections' : 'additions';
  if (kind === 'correction' && kindOfSource(source) === 'clawback') return 'clawedBack';
  return columnOfKind[kind];
}

export interface CostRow {
  readonly repId: string | null;
  readonly dealId: string | null;
  readonly amounts: Readonly<Record<keyof typeof columns, Decimal>>;
}

/** The roll-forward of the asset. Rows whose amounts are all 0 are left out. */
export function rollCostsForward({ lines, month }: Pick<MonthBooks, 'lines' | 'month'>, by: CostGrouping): CostRow[] {
  const ofAsset = lines.filter(({ account }) => account === 'contract_cost');
  const keyOf = ({ repId, dealId }: JournalLine) => ({ total: '', person: repId, deal: `${repId}|${dealId}` })[by];
  return [...groupBy(ofAsset, keyOf).values()].flatMap((ofKey) => {
    const [{ repId, dealId }] = ofKey as [JournalLine];
    const amounts = rollForward(ofKey, month);
    if (Object.values(amounts).every((amount) => amount.isZero())) return [];
    return [{ repId: by === 'total' ? null : repId, dealId: by === 'deal' ? dealId : null, amounts }];
  });
}

function rollForward(lines: readonly JournalLine[], month: Month): CostRow['amounts'] {
  const total = (some: readonly JournalLine[]) => sum(some.map(({ value }) => value));
  const opening = total(lines.filter((line) => line.month < month));
  const inMonth = lines.filter((line) => line.month === month);
  const moved = movedColumns.map(
    (column) => [column, total(inMonth.filter((line) => columnOf(line) === column))] as const,
  );
  const closing = opening.plus(sum(moved.map(([, amount]) => amount)));
  return { opening, ...(Object.fromEntries(moved) as Record<Column, Decimal>), closing };
}

/** The rows with names, by name of the person and the deal. */
export function nameCostRows(
  rows: readonly CostRow[],
  names: ReadonlyMap<string, string>,
  deals: ReadonlyMap<string, { readonly dealName: string | null }>,
): NamedCostRow[] {
  return rows
    .map(({ repId, dealId, amounts }) => ({
      repId,
      repName: repId === null ? null : (names.get(repId) ?? ''),
      dealId,
      dealName: dealId === null ? null : (deals.get(dealId)?.dealName ?? null),
      ...toNumbers(amounts),
    }))
    .sort((a, b) => compareNames(a.repName ?? '', b.repName ?? '') || ((a.dealId ?? '') < (b.dealId ?? '') ? -1 : 1));
}

/** What is amortised within twelve months after the month, and what after them. */
export function splitByTerm(future: Future, month: Month): { current: number; nonCurrent: number } {
  const last = moveMonth(month, 12);
  const total = (isPart: (name: Month) => boolean) =>
    sum([...future].filter(([name]) => isPart(name)).map(([, amount]) => amount)).toNumber();
  return { current: total((name) => name <= last), nonCurrent: total((name) => name > last) };
}
