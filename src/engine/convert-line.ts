import { type FieldConversion, toFieldValue } from './convert-deal.js';
import { type DealLine, lineFields, lineMoneySlugs, lineReader } from './deal-line.js';
import { convertAmount, type ExchangeRate, type RateDay } from './exchange-rates.js';
import { asNumber, comparable, type FieldValue, isAbsent } from './field-value.js';
import { foldedSlug } from './folded-slug.js';
import { currencySuffix, type Deal } from './slug.js';

/** A line with its money in the currency of the plan. */
export interface ConvertedLine {
  readonly line: DealLine;
  readonly conversions: readonly FieldConversion[];
  /** The names of the values that have no rate. */
  readonly missing: readonly string[];
}

/** The currency of a line; null if neither it nor its deal has one. */
export function currencyOfLine({ currency }: DealLine, deal: Deal): string | null {
  const code = isAbsent(currency) ? deal.standard.currency : currency;
  return isAbsent(code) ? null : comparable(String(code)).toUpperCase();
}

/** Converts the money of a line that a rule names. `names` come after `line.` and are in small letters. */
export function convertLine(
  line: DealLine,
  names: Iterable<string>,
  {
    from,
    to,
    on,
    rate,
  }: { readonly from: string; readonly to: string; readonly on: RateDay; readonly rate: ExchangeRate | null },
): ConvertedLine {
  if (from === to) return { line, conversions: [], missing: [] };
  const conversions: FieldConversion[] = [];
  const missing: string[] = [];
  let converted = line;
  for (const name of names) {
    const value = isMoney(line, name) ? asNumber(lineReader(name)(line)) : null;
    if (value === null) continue;
    if (rate === null) {
      missing.push(name);
      continue;
    }
    const amount = convertAmount(value, rate);
    conversions.push({ field: `line.${name}`, value, converted: amount, rate, on });
    converted = withValue(converted, name, toFieldValue(amount));
  }
  return { line: converted, conversions, missing };
}

function isMoney({ fields = {} }: DealLine, name: string): boolean {
  if (Object.hasOwn(lineFields, name)) return lineMoneySlugs.includes(name);
  return Object.keys(fields).some((key) => foldedSlug(key) === `${name}${currencySuffix}`);
}

function withValue(line: DealLine, name: string, value: FieldValue): DealLine {
  const field = lineFields[name];
  if (field !== undefined) return { ...line, [field]: value };
  const key = Object.keys(line.fields ?? {}).find((own) => foldedSlug(own) === name) ?? name;
  return { ...line, fields: { ...line.fields, [key]: value } };
}
