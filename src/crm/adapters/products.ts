import { isCurrency } from '../../kernel/currency.js';
import { isDay } from '../../kernel/day.js';
import { Decimal } from '../../kernel/decimal.js';
import { type CrmProduct, type CrmValue, type LineMapping } from './port.js';
import { toText } from './values.js';

const texts = ['productCode', 'name', 'family', 'recurring'] as const;
const numbers = ['quantity', 'unitPrice', 'listPrice', 'cost', 'discount', 'months'] as const;
type ProductValue = Exclude<keyof CrmProduct, 'lineId' | 'fields'>;

/** Reads a field of the record by the CRM's name. */
type FieldReader = (name: string) => unknown;

/** How a CRM has the values of products where the mapping names no other field. */
export type UsualValues = Readonly<Partial<Record<ProductValue, (read: FieldReader) => unknown>>>;

const maxTextLength = 500;

/** The CRM's names of all fields that are read. */
export function productFields(usual: readonly string[], { standard, own }: LineMapping): string[] {
  return [...new Set([...usual, ...Object.values(standard), ...Object.values(own)])];
}

/** A record as a product; null for a heading, which has no product and no amount. */
export function toProduct(
  id: string,
  read: FieldReader,
  usual: UsualValues,
  { standard, own }: LineMapping,
): CrmProduct | null {
  const stated = (name: ProductValue) => {
    const mapped = standard[name];
    return mapped === undefined ? usual[name]?.(read) : read(mapped);
  };
  const named = pick(texts, (name) => toText(stated(name))?.slice(0, maxTextLength));
  const amount = toDecimal(stated('amount'));
  if (named.productCode === undefined && named.name === undefined && (amount?.isZero() ?? true)) return null;
  const currency = toText(stated('currency'))?.toUpperCase() ?? '';
  const startDate = toText(stated('startDate'))?.slice(0, 10) ?? '';
  const further = Object.entries(own).flatMap(([slug, field]) => {
    const value = (read(field) ?? null) as CrmValue;
    return value === null || value === '' ? [] : [[slug, value] as const];
  });
  return {
    lineId: id,
    ...named,
    ...pick(numbers, (name) => toDecimal(stated(name))?.toString()),
    amount: amount?.toString() ?? null,
    ...(isCurrency(currency) ? { currency } : {}),
    ...(isDay(startDate) ? { startDate } : {}),
    ...(further.length === 0 ? {} : { fields: Object.fromEntries(further) }),
  };
}

/** The number that a field states; null for none. */
export function toDecimal(value: unknown): Decimal | null {
  if (value instanceof Decimal) return value;
  return typeof value === 'number' || typeof value === 'string' ? Decimal.parse(String(value).trim()) : null;
}

/** A percentage as a fraction. */
export function toFraction(percent: unknown): Decimal | null {
  return toDecimal(percent)?.dividedBy(Decimal.of(100)) ?? null;
}

function pick<Name extends string>(
  names: readonly Name[],
  read: (name: Name) => string | null | undefined,
): Partial<Record<Name, string>> {
  const found = names.flatMap((name) => {
    const value = read(name);
    return value == null ? [] : [[name, value] as const];
  });
  return Object.fromEntries(found) as Partial<Record<Name, string>>;
}
