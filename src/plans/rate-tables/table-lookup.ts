import { fieldReaders } from '../../engine/field-readers.js';
import { type FieldValue } from '../../engine/field-value.js';
import { type PersonFacts, readPerson } from '../../engine/person-facts.js';
import { findRow } from '../../engine/rate-lookup.js';
import { cellOf, isAnyValue, type RateTable, type RateTableRow } from '../../engine/rate-table.js';
import { namesLines } from '../../engine/rule-lines.js';
import { compileKeys } from '../../engine/rule-table.js';
import { type Deal, type SlugMapping } from '../../engine/slug.js';
import { type Day } from '../../kernel/day.js';

/** The values of the keys of a table, in their order. */
export type KeyValues = readonly (FieldValue | undefined)[];

/** Reads the keys of a deal, or of the line at which it looks, and of a person on a day. */
export type ReadKeys = (deal: Deal, person: PersonFacts | undefined, day: Day) => KeyValues;

/** Readers of the keys outside of a plan: with the measures of the workspace. No deal has an attainment. */
export function keysReader(table: RateTable, measures: SlugMapping): ReadKeys {
  const keys = compileKeys(table, fieldReaders({}, measures).ofLine);
  return (deal, person, day) => {
    const facts = {
      day,
      readPerson: (field: string) => (person === undefined ? undefined : readPerson(person, field, day)),
      readAttainment: () => null,
    };
    return keys.map((read) => read(deal, facts));
  };
}

/** Whether lines of deals are looked up in the table, and not deals as a whole. */
export function looksUpLines({ keys }: RateTable): boolean {
  return keys.some(({ field }) => namesLines(field));
}

/** How the cell of a key matched what was looked up. */
export const cellMatches = ['exact', 'prefix', 'range', 'any'] as const;

/** A key as it was looked up, and how the row matched it; null without a row. */
interface LookedUpKey {
  readonly name: string;
  readonly value: FieldValue;
  readonly matched: (typeof cellMatches)[number] | null;
}

/** The row that counts for the values, and why: the first key in which rows differ decides. */
export function lookUpRow(
  table: RateTable,
  values: KeyValues,
  day: Day,
): { readonly row: RateTableRow | null; readonly keys: readonly LookedUpKey[] } {
  const row = findRow(table, values, day);
  const keys = table.keys.map((key, index) => ({
    name: key.name,
    value: values[index] ?? null,
    matched: row === null ? null : isAnyValue(cellOf(row, key)) ? ('any' as const) : key.match,
  }));
  return { row, keys };
}
