import { type Day } from '../kernel/day.js';
import { type Fields, type FieldValue, isAbsent, type StandardField } from './field-value.js';

/** A deal in the engine's input: its raw fields and the standard values read from them. */
export interface Deal {
  readonly dealId: string;
  readonly closeDate: Day;
  readonly fields: Fields;
  readonly standard: Readonly<Partial<Record<StandardField, FieldValue>>>;
}

export type ReadField = (deal: Deal) => FieldValue | undefined;

/** Slug to slug: with `{"amount": "acv"}` a plan's `amount` reads the CRM's `acv`. */
export type SlugMapping = Readonly<Record<string, string>>;

const standardBySlug: ReadonlyMap<string, StandardField> = new Map<string, StandardField>([
  ['stage', 'dealStage'],
  ['dealstage', 'dealStage'],
  ['dealStage', 'dealStage'],
  ['amount', 'dealAmount'],
  ['value', 'dealAmount'],
  ['dealAmount', 'dealAmount'],
  ['close_date', 'closeDate'],
  ['closedate', 'closeDate'],
  ['closeDate', 'closeDate'],
  ['name', 'dealName'],
  ['dealname', 'dealName'],
  ['dealName', 'dealName'],
  ['owner_id', 'ownerId'],
  ['ownerId', 'ownerId'],
  ['currency', 'currency'],
  ['created_date', 'createdDate'],
  ['createdDate', 'createdDate'],
]);

const aliases: ReadonlyMap<string, string> = new Map([
  ['stage', 'dealstage'],
  ['dealstage', 'stage'],
  ['amount', 'value'],
  ['value', 'amount'],
]);

/** The standard value that a slug names, if it names one: `amount` names dealAmount. */
export function standardNamedBy(slug: string): StandardField | undefined {
  return standardBySlug.get(slug);
}

/** The other name of a field in plans: `stage` and `dealstage`, `amount` and `value`. */
export function aliasOf(slug: string): string | undefined {
  return aliases.get(slug);
}

/**
 * Reads a slug from a deal. Order: the plan's mapping, the workspace's measures, the deal's own field, its alias,
 * the standard value that the slug names.
 */
export function fieldReader(slug: string, planMapping: SlugMapping, measures: SlugMapping): ReadField {
  const { keys, standard } = fieldSources(slug, planMapping, measures);
  return (deal) => {
    for (const key of keys) {
      const value = own(deal.fields, key);
      if (!isAbsent(value)) return value;
    }
    return standard === null ? undefined : deal.standard[standard];
  };
}

export function own<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

/** The sources of {@link fieldReader} in its order: keys of the deal's fields, then a standard value. */
export interface FieldSources {
  readonly keys: readonly string[];
  readonly standard: StandardField | null;
}

export function fieldSources(slug: string, planMapping: SlugMapping, measures: SlugMapping): FieldSources {
  const mapped = own(planMapping, slug) ?? own(measures, slug);
  if (mapped !== undefined) return { keys: [mapped], standard: null };
  const alias = aliases.get(slug);
  const standard = standardBySlug.get(slug);
  const remapped = standard === undefined ? undefined : own(planMapping, standard);
  const keys = [slug, alias, remapped].filter((key) => key !== undefined);
  return { keys, standard: remapped === undefined ? (standard ?? null) : null };
}

/**
 * Reads the currency of a field: its own, which a CRM reports as `<slug>_currency` if it differs from the deal's,
 * otherwise that of the deal.
 */
export function currencyReader(slug: string, planMapping: SlugMapping, measures: SlugMapping): ReadField {
  const sources = fieldSources(slug, planMapping, measures).keys.map(
    (key) => [key, `${key}${currencySuffix}`] as const,
  );
  return (deal) => {
    for (const [key, currencyKey] of sources) {
      if (isAbsent(own(deal.fields, key))) continue;
      const ownCurrency = own(deal.fields, currencyKey);
      return typeof ownCurrency === 'string' && isoCode.test(ownCurrency) ? ownCurrency : deal.standard.currency;
    }
    return deal.standard.currency;
  };
}

/** Ends the slug of a field that holds the currency of another field. */
export const currencySuffix = '_currency';
const isoCode = /^[A-Za-z]{3}$/;

/** The slugs that name standard values in every plan. */
export const standardSlugs: readonly string[] = [...standardBySlug.keys()];
