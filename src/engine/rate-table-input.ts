import { z } from 'zod';
import { isDay } from '../kernel/day.js';
import { type Issue } from '../kernel/failure.js';
import { formulaProblem } from './formula.js';
import { findOverlap, type RowOverlap } from './rate-overlap.js';
import {
  cellOf,
  compareBounds,
  isAnyValue,
  isRange,
  keyMatches,
  type RangeCell,
  type RateCell,
  type RateTable,
  type RateTableKey,
  rateKinds,
  toBound,
} from './rate-table.js';

const name = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .regex(/^[^\p{Cc}]*$/u, 'must not hold control characters');
const day = z.string().refine(isDay, 'must be a day, YYYY-MM-DD');
const rate = z.number().min(0).max(10);
const money = z.number().min(0).max(1e12);

const key = z
  .strictObject({
    name: name.describe('Name of the key, unique in the table'),
    field: z
      .string()
      .trim()
      .min(1)
      .max(500)
      .superRefine((slug, context) => {
        const message = formulaProblem(slug);
        if (message !== null) context.addIssue({ code: 'custom', message });
      })
      .describe(
        'What is looked up: a slug of lines such as line.family, a slug of the deal, a formula, rep.tenure_months or another dated field of people such as rep.title, or in periodic rules attainment or attainment.<rule>',
      ),
    match: z
      .enum(keyMatches)
      .describe('exact: the same text; prefix: the value begins with the cell; range: numbers or days from, to'),
  })
  .describe('A key');

const column = z
  .strictObject({
    name: name.describe('Name of the column, unique in the table'),
    kind: z
      .enum(rateKinds)
      .default('rate')
      .describe('What its numbers are: rate: a share of the base; amount: paid once; perUnit: for each unit'),
  })
  .describe('A column of values');

const bound = z.union([z.number(), day]);
const cell = z
  .union([
    z.string().trim().min(1).max(500),
    z.number(),
    z
      .strictObject({
        from: bound.optional().describe('First value'),
        to: bound.optional().describe('End, not included'),
      })
      .describe('A range'),
  ])
  .describe('A text or a number, a range {from, to}, or * for every value');

const value = z
  .union([
    z.number().min(0).max(1e12),
    z.strictObject({ rate: rate.describe('Share of the base: 0.1 is 10 %') }).describe('A rate'),
    z.strictObject({ amount: money.describe('Fixed amount of money') }).describe('An amount'),
    z.strictObject({ perUnit: money.describe('Amount for each unit of the line') }).describe('An amount per unit'),
  ])
  .describe('A number of the kind of the column, or of its own: {rate}, {amount} or {perUnit}');

const row = z
  .strictObject({
    keys: z.record(z.string(), cell).default({}).describe('A cell for each key; an absent one is *'),
    values: z.record(z.string(), value).describe('A value in each column'),
    effectiveStart: day.nullish().describe('First day, YYYY-MM-DD; open when absent'),
    effectiveEnd: day.nullish().describe('Last day, YYYY-MM-DD; open when absent'),
  })
  .describe('A row');

export const maxTableRows = 10_000;

/** The content of a rate table, without its name. */
export const rateTableContent = {
  keys: z.array(key).max(6).describe('What decides the row, in this order'),
  columns: z.array(column).min(1).max(20).describe('What the rows say'),
  rows: z.array(row).min(1).max(maxTableRows).describe('The rows, in any order'),
  noMatch: z
    .enum(['exception', 'zero'])
    .default('exception')
    .describe('Values without a row pay 0 and are listed in the exceptions; with zero they are not listed'),
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/)
    .nullish()
    .describe('Currency of the amounts, ISO 4217; a plan in another currency cannot use them'),
};

export const rateTableName = name.describe('Name of the table, in any case');

/** A table of a request. */
export const rateTableInput = z.strictObject({ name: rateTableName, ...rateTableContent }).describe('A rate table');

type RateTableProblem = Issue & { readonly code?: 'value_missing' | 'rows_overlap' };

/** Why a table has no meaning, each with the field of it. */
export function* rateTableProblems(table: RateTable): Generator<RateTableProblem> {
  yield* repeated(
    table.keys.map((one) => one.name),
    'keys',
  );
  yield* repeated(
    table.columns.map((one) => one.name),
    'columns',
  );
  let isSound = true;
  for (const index of table.rows.keys()) {
    const problems = problemsOfRow(table, index);
    isSound &&= problems.length === 0;
    yield* problems;
  }
  const overlap = isSound ? findOverlap(table) : null;
  if (overlap === null) return;
  yield {
    path: `rows.${overlap.rows[1]}`,
    message: `overlaps row ${overlap.rows[0]}: both match ${describeCommon(overlap)}`,
    code: 'rows_overlap',
  };
}

/** What both rows match, in words. */
export function describeCommon({ common }: Pick<RowOverlap, 'common'>): string {
  return (
    Object.entries(common)
      .map(([one, found]) => `${one} ${found}`)
      .join(', ') || 'everything'
  );
}

/** Why a row has no meaning, other than beside the other rows. */
export function problemsOfRow(table: RateTable, index: number): RateTableProblem[] {
  const { keys, values, effectiveStart, effectiveEnd } = table.rows[index] as RateTable['rows'][number];
  const keyNames = table.keys.map((one) => one.name);
  const columnNames = table.columns.map((one) => one.name);
  const path = `rows.${index}`;
  const problems = [
    ...unknown(Object.keys(keys), keyNames, `${path}.keys`),
    ...unknown(Object.keys(values), columnNames, `${path}.values`),
    ...cellProblems(table, index),
    ...columnNames
      .filter((one) => values[one] === undefined)
      .map((one) => ({ path: `${path}.values.${one}`, message: 'is required', code: 'value_missing' as const })),
    ...valueProblems(table, index),
  ];
  if (effectiveStart != null && effectiveEnd != null && effectiveEnd < effectiveStart)
    problems.push({ path: `${path}.effectiveEnd`, message: 'must not be before effectiveStart' });
  return problems;
}

function* repeated(names: readonly string[], path: string): Generator<Issue> {
  for (const [index, one] of names.entries())
    if (names.indexOf(one) < index) yield { path: `${path}.${index}.name`, message: 'is the name of an earlier one' };
}

function unknown(names: readonly string[], known: readonly string[], path: string): RateTableProblem[] {
  return names
    .filter((one) => !known.includes(one))
    .map((one) => ({ path: `${path}.${one}`, message: 'is not known' }));
}

function cellProblems(table: RateTable, index: number): RateTableProblem[] {
  return table.keys.flatMap((one) => {
    const message = cellProblem(one, cellOf(table.rows[index] as RateTable['rows'][number], one));
    return message === null ? [] : [{ path: `rows.${index}.keys.${one.name}`, message }];
  });
}

function cellProblem({ match }: RateTableKey, found: RateCell): string | null {
  if (isAnyValue(found)) return null;
  if (isRange(found) !== (match === 'range'))
    return match === 'range' ? 'must be a range or *' : 'must be a text, a number or *';
  return isRange(found) ? rangeProblem(found) : null;
}

function rangeProblem({ from, to }: RangeCell): string | null {
  if (from === undefined && to === undefined) return 'needs from or to';
  if (from === undefined || to === undefined) return null;
  if (typeof from !== typeof to) return 'must have two numbers or two days';
  return compareBounds(toBound(from), toBound(to)) < 0 ? null : 'must end after its beginning';
}

/** A number in a column of rates is a rate. */
function valueProblems({ columns, rows }: RateTable, index: number): RateTableProblem[] {
  return columns.flatMap(({ name: one, kind }) => {
    const found = rows[index]?.values[one];
    const isTooLarge = kind === 'rate' && typeof found === 'number' && found > 10;
    return isTooLarge ? [{ path: `rows.${index}.values.${one}`, message: 'must be a rate from 0 to 10' }] : [];
  });
}
