import { type Day } from '../kernel/day.js';
import { Decimal } from '../kernel/decimal.js';
import { type FieldValue } from './field-value.js';
import { foldedSlug } from './folded-slug.js';
import { isPersonField } from './person-facts.js';
import { findRow, type LookedUp } from './rate-lookup.js';
import { payInColumn, type RatePay, type RateTable, type RateTableColumn, type RateTableRow } from './rate-table.js';
import { type Deal, type ReadField } from './slug.js';

/** The column of a rate table that a tier or an override names. */
export interface TableReference {
  readonly table: string;
  /** Absent where the table has one column. */
  readonly column?: string | undefined;
}

/** What keys read besides the deal and its line. */
export interface KeyFacts {
  readonly day: Day;
  readPerson(field: string): FieldValue | undefined;
  /** The attainment of the period under the key of the rule; of the own rule without a name. */
  readAttainment(ruleName: string | null): Decimal | null;
}

const zeroRate: RatePay = { kind: 'rate', value: Decimal.zero };

export type ReadKey = (source: Deal | null, facts: KeyFacts) => FieldValue | undefined;

/** A column of a table as a rule reads it. */
export interface RuleTable {
  readonly table: RateTable;
  readonly column: RateTableColumn;
  readonly readKeys: readonly ReadKey[];
}

/** What was looked up in a table, and the row that was found. */
export interface TableLookup {
  readonly table: string;
  readonly column: string;
  readonly keys: readonly (FieldValue | undefined)[];
  readonly row: RateTableRow | null;
  /** Null without a row, unless it then pays 0. */
  readonly pay: RatePay | null;
}

export function findTable(tables: readonly RateTable[], name: string): RateTable | undefined {
  return tables.find((table) => foldedSlug(table.name) === foldedSlug(name));
}

export function findColumn({ columns }: RateTable, name: string | undefined): RateTableColumn | undefined {
  if (name === undefined) return columns.length === 1 ? columns[0] : undefined;
  return columns.find((column) => column.name === name);
}

/** Null for a table or a column that does not exist. */
export function compileTable(
  { table: name, column: columnName }: TableReference,
  tables: readonly RateTable[],
  readerOf: (slug: string) => ReadField,
): RuleTable | null {
  const table = findTable(tables, name);
  const column = table === undefined ? undefined : findColumn(table, columnName);
  if (table === undefined || column === undefined) return null;
  return { table, column, readKeys: compileKeys(table, readerOf) };
}

/** Readers of the keys of the table, in their order. */
export function compileKeys({ keys }: Pick<RateTable, 'keys'>, readerOf: (slug: string) => ReadField): ReadKey[] {
  return keys.map(({ field }) => keyReader(field, readerOf));
}

const attainment = 'attainment';

/** Whether the field of a key is the attainment of a rule. */
export function isAttainmentField(field: string): boolean {
  return field === attainment || field.startsWith(`${attainment}.`);
}

function keyReader(field: string, readerOf: (slug: string) => ReadField): ReadKey {
  if (isPersonField(field)) return (_, facts) => facts.readPerson(field);
  if (isAttainmentField(field)) {
    const ruleName = field === attainment ? null : field.slice(attainment.length + 1);
    return (_, facts) => facts.readAttainment(ruleName)?.toString();
  }
  const read = readerOf(field);
  return (source) => (source === null ? undefined : read(source));
}

export function lookUp({ table, column, readKeys }: RuleTable, source: Deal | null, facts: KeyFacts): TableLookup {
  const keys: LookedUp = readKeys.map((read) => read(source, facts));
  const row = findRow(table, keys, facts.day);
  const pay = row === null ? unmatchedPay(table) : payInColumn(row, column);
  return { table: table.name, column: column.name, keys, row, pay };
}

function unmatchedPay({ noMatch }: RateTable): RatePay | null {
  return noMatch === 'zero' ? zeroRate : null;
}
