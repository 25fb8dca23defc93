import { type Day } from '../kernel/day.js';
import { type Refund } from './clawback.js';
import { type CreditLine } from './credit-lines.js';
import { type DealLine } from './deal-line.js';
import { asNumber, type Fields, type FieldValue, isAbsent, type StandardField } from './field-value.js';
import { foldedSlug } from './folded-slug.js';
import { formulaReader, isFormula } from './formula.js';
import { lineSummarySlugs, readLineSummary } from './line-summary.js';
import { standardNamedBy } from './standard-slugs.js';

/** A deal in the engine's input: its raw fields and the standard values read from them. */
export interface Deal {
  readonly dealId: string;
  readonly closeDate: Day;
  readonly fields: Fields;
  readonly standard: Readonly<Partial<Record<StandardField, FieldValue>>>;
  /** Who has which part of the deal, its owner included; absent if the whole deal is the owner's. */
  readonly credits?: readonly CreditLine[];
  /** What its customer got back; absent if nothing. */
  readonly refunds?: readonly Refund[];
  /** Its products; absent if it has none, or if nothing reads them. */
  readonly lines?: readonly DealLine[];
  /** The line at which a rule with lines looks. */
  readonly line?: DealLine;
  /** The deal in its own currency, if its money was converted. */
  readonly unconverted?: Deal;
}

export type ReadField = (deal: Deal) => FieldValue | undefined;

/** Slug to slug: with `{"amount": "acv"}` a plan's `amount` reads the CRM's `acv`. */
export type SlugMapping = Readonly<Record<string, string>>;

const aliases: ReadonlyMap<string, string> = new Map([
  ['stage', 'dealstage'],
  ['dealstage', 'stage'],
  ['amount', 'value'],
  ['value', 'amount'],
]);

/** The measure of rules that count deals: each deal is 1, one with a negative amount is -1. */
export const dealCount = '_deals';
/** The measure of rules that count lines: each counted line is 1, of a deal with a negative amount -1. */
export const lineCount = '_lines';
/** The measure of cascade rules that count what the people below earned on the deal. */
export const teamEarnings = '_earned';

/** The slug of the amount, as plans name it. */
export const dealAmount = 'amount';

/** The sign of the amount of a deal; 0 without an amount. */
export function signOfAmount(readAmount: ReadField, deal: Deal): number {
  return asNumber(readAmount(deal.unconverted ?? deal))?.sign() ?? 0;
}

/** The other name of a field in plans: `stage` and `dealstage`, `amount` and `value`. */
export function findAlias(slug: string): string | undefined {
  return aliases.get(slug);
}

/**
 * Reads a slug from a deal. Order: the plan's mapping, the workspace's measures, the deal's own field, its alias,
 * the standard value that the slug names, the deal's own field whose name differs only in case. A formula is computed
 * from the fields that it names.
 */
export function fieldReader(slug: string, planMapping: SlugMapping, measures: SlugMapping): ReadField {
  if (isFormula(slug)) return formulaReader(slug, (field) => fieldReader(field, planMapping, measures));
  const { keys, standard, folded } = fieldSources(slug, planMapping, measures);
  const isSummary = folded !== null && lineSummarySlugs.includes(folded);
  return (deal) => {
    for (const key of keys) {
      const value = own(deal.fields, key);
      if (!isAbsent(value)) return value;
    }
    if (standard !== null) return deal.standard[standard];
    const key = folded === null ? null : keyInAnyCase(deal.fields, folded);
    if (key !== null) return deal.fields[key];
    return isSummary && deal.lines !== undefined ? readLineSummary(deal.lines, folded) : undefined;
  };
}

/** The first name in code point order that is the slug in another case and has a value. */
function keyInAnyCase(fields: Fields, folded: string): string | null {
  let found: string | null = null;
  for (const key of Object.keys(fields))
    if (key.length === folded.length && (found === null || key < found) && foldedSlug(key) === folded)
      if (!isAbsent(fields[key])) found = key;
  return found;
}

export function own<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

/** The sources of {@link fieldReader} in its order: keys of the deal's fields, a standard value, a name in any case. */
export interface FieldSources {
  readonly keys: readonly string[];
  readonly standard: StandardField | null;
  /** The slug in small letters; null if it is mapped or names a standard value. */
  readonly folded: string | null;
}

export function fieldSources(slug: string, planMapping: SlugMapping, measures: SlugMapping): FieldSources {
  const mapped = own(planMapping, slug) ?? own(measures, slug);
  if (mapped !== undefined) return { keys: [mapped], standard: null, folded: null };
  const alias = aliases.get(slug);
  const standard = standardNamedBy(slug);
  const remapped = standard === undefined ? undefined : own(planMapping, standard);
  const keys = [slug, alias, remapped].filter((key) => key !== undefined);
  const folded = standard === undefined ? foldedSlug(slug) : null;
  return { keys, standard: remapped === undefined ? (standard ?? null) : null, folded };
}

/**
 * Reads the currency of a field: its own, which a CRM reports as `<slug>_currency` if it differs from the deal's,
 * otherwise that of the deal.
 */
export function currencyReader(slug: string, planMapping: SlugMapping, measures: SlugMapping): ReadField {
  const { keys, folded } = fieldSources(slug, planMapping, measures);
  const sources = keys.map((key) => [key, currencySlug(key)] as const);
  return (deal) => {
    for (const [key, currencyKey] of sources)
      if (!isAbsent(own(deal.fields, key))) return codeIn(deal, currencyKey) ?? deal.standard.currency;
    const key = folded === null ? null : keyInAnyCase(deal.fields, folded);
    return (key === null ? null : codeIn(deal, currencySlug(key))) ?? deal.standard.currency;
  };
}

/** The field of the deal in which the value is found; null for a standard value, and if there is none. */
export function findKey(deal: Deal, { keys, folded }: FieldSources): string | null {
  for (const key of keys) if (!isAbsent(own(deal.fields, key))) return key;
  return folded === null ? null : keyInAnyCase(deal.fields, folded);
}

/** The currency that a CRM reports beside the field; null if it reports none. */
export function codeBeside(deal: Deal, key: string): string | null {
  return codeIn(deal, currencySlug(key));
}

function codeIn({ fields }: Deal, currencyKey: string): string | null {
  const code = own(fields, currencyKey);
  return typeof code === 'string' && isoCode.test(code) ? code : null;
}

function currencySlug(key: string): string {
  return `${key}${currencySuffix}`;
}

/** Ends the slug of a field that holds the currency of another field. */
export const currencySuffix = '_currency';
const isoCode = /^[A-Za-z]{3}$/;
