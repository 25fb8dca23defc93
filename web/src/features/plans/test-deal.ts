import { readNumber, writeNumber } from '../../shared/format/entered-numbers.js';
import { type Field } from './fields.js';

/** A deal of a plan test as it is sent. */
export type TestDeal = Readonly<Record<string, unknown>>;

/** What every deal of the dialog shows in its own column. */
const columns = new Set(['dealId', 'amount', 'stage', 'closeDate', 'fields']);

/** Values of a deal beside its fields, by their names in a test. */
export const dealProperties = [
  ['rep', 'Person'],
  ['currency', 'Currency'],
  ['name', 'Deal name'],
  ['createdDate', 'Created date'],
] as const;

const properties = new Set<string>(dealProperties.map(([key]) => key));

function toFields(deal: TestDeal): TestDeal {
  return (deal['fields'] ?? {}) as TestDeal;
}

/** The values of a deal that have no column, in their order: its properties and its fields. */
export function moreValues(deal: TestDeal): readonly (readonly [key: string, value: unknown])[] {
  return [...Object.entries(deal).filter(([key]) => !columns.has(key)), ...Object.entries(toFields(deal))];
}

/** The deal with another value, or without it for undefined. */
export function withValue(deal: TestDeal, key: string, value: unknown): TestDeal {
  const changed = (testDeal: TestDeal) =>
    Object.fromEntries(Object.entries({ ...testDeal, [key]: value }).filter(([, value]) => value !== undefined));
  if (properties.has(key)) return changed(deal);
  const { fields: _, ...rest } = deal;
  const fields = changed(toFields(deal));
  return Object.keys(fields).length === 0 ? rest : { ...rest, fields };
}

/** The deal with the value under another name. Its place stays. */
export function renamedValue(deal: TestDeal, from: string, to: string): TestDeal {
  if (properties.has(from) || properties.has(to)) {
    const value = properties.has(from) ? deal[from] : toFields(deal)[from];
    return withValue(withValue(deal, from, undefined), to, value);
  }
  const fields = Object.fromEntries(
    Object.entries(toFields(deal)).map(([key, value]) => [key === from ? to : key, value]),
  );
  return { ...deal, fields };
}

/** A typed value as the type of the field has it; text that is no number stays text. */
export function typedValue(text: string, type: Field['type'] | undefined): unknown {
  if (type === 'checkbox') return text === 'yes' ? true : text === 'no' ? false : text;
  if (type === 'number' || type === 'currency') return readNumber(text) ?? text;
  return text;
}

export function shownValue(value: unknown): string {
  if (typeof value === 'number') return writeNumber(value);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return Array.isArray(value) ? value.join(', ') : String(value ?? '');
}
