import { type Day } from '../kernel/day.js';
import { Decimal } from '../kernel/decimal.js';
import { type Fields, type FieldValue, isAbsent } from './field-value.js';
import { foldedSlug } from './folded-slug.js';

/** A number, or its exact decimal text. */
type LineNumber = number | string;

/** One product of a deal. Plain data, which is stored and sent between threads. */
export interface DealLine {
  /** Unique in the deal. */
  readonly lineId: string;
  readonly productCode?: string | null;
  readonly name?: string | null;
  readonly family?: string | null;
  /** Negative for a return. */
  readonly quantity?: LineNumber | null;
  readonly unitPrice?: LineNumber | null;
  readonly listPrice?: LineNumber | null;
  readonly cost?: LineNumber | null;
  /** A fraction: 0.25 is 25 %. */
  readonly discount?: LineNumber | null;
  /** The net amount, after discount and for the whole quantity; null if a CRM has none. */
  readonly amount: LineNumber | null;
  /** Absent: that of the deal. */
  readonly currency?: string | null;
  readonly startDate?: Day | null;
  readonly months?: LineNumber | null;
  readonly recurring?: string | null;
  /** Further values, by their slugs without `line.`. */
  readonly fields?: Fields;
}

type LineField = Exclude<keyof DealLine, 'fields'>;

/** The fields of every line, by their slugs without `line.`. */
export const lineFields: Readonly<Record<string, LineField>> = {
  id: 'lineId',
  product_code: 'productCode',
  name: 'name',
  family: 'family',
  quantity: 'quantity',
  unit_price: 'unitPrice',
  list_price: 'listPrice',
  cost: 'cost',
  discount: 'discount',
  amount: 'amount',
  currency: 'currency',
  start_date: 'startDate',
  months: 'months',
  recurring: 'recurring',
};

/** The fields of every line that hold money in the currency of the line. */
export const lineMoneySlugs: readonly string[] = ['unit_price', 'list_price', 'amount', 'cost'];

const numericFields: ReadonlySet<LineField> = new Set([
  'quantity',
  'unitPrice',
  'listPrice',
  'cost',
  'discount',
  'amount',
  'months',
]);

const linePrefix = 'line.';

/** Whether a slug names a field of a line, in any case. */
export function isLineSlug(slug: string): boolean {
  return foldedSlug(slug.slice(0, linePrefix.length)) === linePrefix;
}

/** The name after `line.`. */
export function nameInLine(slug: string): string {
  return slug.slice(linePrefix.length);
}

/** Reads a field of lines by its name after `line.`, in any case. A field of every line comes before one of its own. */
export function lineReader(name: string): (line: DealLine) => FieldValue | undefined {
  const folded = foldedSlug(name);
  const field = Object.hasOwn(lineFields, folded) ? lineFields[folded] : undefined;
  if (field === undefined) return (line) => readOwn(line.fields ?? {}, name, folded);
  if (numericFields.has(field)) return (line) => shortestForm(line[field]);
  return (line) => line[field];
}

const isShortest = /^-?[1-9]\d{0,14}(?:\.\d{0,14}[1-9])?$/;

/** A number has one form, however it is stored. */
function shortestForm(value: string | number | null | undefined): FieldValue | undefined {
  if (typeof value !== 'string' || isShortest.test(value)) return value;
  return Decimal.parse(value.trim())?.toString() ?? value;
}

function readOwn(fields: Fields, name: string, folded: string): FieldValue | undefined {
  const key = findOwnKey(fields, name, folded);
  return key === undefined ? undefined : fields[key];
}

/** The name itself, otherwise the first one in code point order that is it in another case and has a value. */
function findOwnKey(fields: Fields, name: string, folded: string): string | undefined {
  if (Object.hasOwn(fields, name) && !isAbsent(fields[name])) return name;
  return Object.keys(fields)
    .filter((key) => foldedSlug(key) === folded && !isAbsent(fields[key]))
    .sort()[0];
}
