import { dayInZone } from '../../kernel/day.js';
import { canonicalZone, isTimeZone } from '../../kernel/time-zone.js';
import { unreachable } from '../../kernel/unreachable.js';
import { type CrmDeal, type CrmField, type CrmFieldType, type CrmValue } from './port.js';

/** The text; null if it is empty or not a string. */
export function toText(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/**
 * A number, also from numeric text; null for anything else, never 0. A number beyond the range of a double becomes the
 * largest double, because JSON cannot express it. The engine accepts neither.
 */
export function toNumber(value: unknown): number | null {
  if (typeof value !== 'number' && (typeof value !== 'string' || value.trim() === '')) return null;
  const number = Number(value);
  if (Number.isNaN(number) || !/\d/.test(String(value))) return null;
  return Math.min(Math.max(number, -Number.MAX_VALUE), Number.MAX_VALUE);
}

/** Accepts a boolean and its text. */
export function toBoolean(value: unknown): boolean | null {
  if (value === true || value === 'true') return true;
  return value === false || value === 'false' ? false : null;
}

/** An instant in UTC with milliseconds, from ISO text or from milliseconds since 1970. */
export function toInstant(value: unknown): string | null {
  const text = String(value ?? '');
  const instant = new Date(/^-?\d{10,16}$/.test(text) ? Number(text) : text);
  return Number.isNaN(instant.getTime()) ? null : instant.toISOString();
}

/** The value of a field of the type, from the text that a delivery contains. */
export function toTyped(text: string, type: CrmFieldType): CrmValue {
  switch (type) {
    case 'number':
    case 'currency':
      return toNumber(text);
    case 'date':
      return toInstant(text)?.slice(0, 10) ?? null;
    case 'timestamp':
      return toInstant(text);
    case 'checkbox':
      return toBoolean(text);
    case 'text':
    case 'select':
    case 'status':
      return text;
    default:
      return unreachable(type);
  }
}

/** A day; an instant is converted in the time zone. */
export function toDay(value: CrmValue | undefined, timeZone: string): string | null {
  if (typeof value !== 'string') return null;
  if (/^\d{4}-\d{2}-\d{2}$/.test(value)) return value;
  const instant = toInstant(value);
  return instant === null ? null : dayInZone(new Date(instant), timeZone);
}

/**
 * Adds the currencies of fields that are in another one than the deal, as `<slug>_currency`. A field of the CRM with
 * such a slug takes precedence.
 */
export function withFieldCurrencies(
  fields: Readonly<Record<string, CrmValue>>,
  currencies: Readonly<Record<string, string | null>>,
): Record<string, CrmValue> {
  const found: Record<string, CrmValue> = {};
  for (const [slug, currency] of Object.entries(currencies))
    if (currency !== null && currency !== fields['currency'] && (fields[slug] ?? null) !== null)
      found[`${slug}_currency`] = currency;
  return { ...found, ...fields };
}

/** The time zone in its usual name; null if it is unknown. */
export function toTimeZone(value: unknown): string | null {
  const zone = toText(value);
  return zone === null || !isTimeZone(zone) ? null : canonicalZone(zone);
}

/** Values that every CRM provides under the same slugs. A native field with such a slug takes precedence. */
export interface CanonicalValues {
  readonly amount: CrmValue;
  readonly stage: CrmValue;
  readonly close_date: CrmValue;
  readonly owner_id: CrmValue;
  readonly name: CrmValue;
  readonly currency: CrmValue;
  /** Whether the CRM says that the stage wins the deal, and that it closes it; null if it says neither. */
  readonly is_won: CrmValue;
  readonly is_closed: CrmValue;
  /** People see this name of the stage. */
  readonly stage_label: CrmValue;
  /** Pipeline of the deal and its name for people; absent in a CRM without pipelines. */
  readonly pipeline?: CrmValue;
  readonly pipeline_label?: CrmValue;
}

/** The definitions of the canonical values that no CRM describes by itself, without those that a native field hides. */
export function canonicalFields(
  native: readonly CrmField[],
  { stages, pipelines }: { readonly stages: readonly string[]; readonly pipelines: readonly string[] | null },
): CrmField[] {
  const options = (names: readonly string[]) => [...new Set(names)].map((name) => ({ label: name, value: name }));
  const field = (slug: string, label: string, type: CrmFieldType, names?: readonly string[]): CrmField => ({
    slug,
    label,
    type,
    native: slug,
    ...(names === undefined ? {} : { options: options(names) }),
  });
  const described = [
    field('is_won', 'Is won', 'checkbox'),
    field('is_closed', 'Is closed', 'checkbox'),
    field('stage_label', 'Stage name', 'select', stages),
    ...(pipelines === null ? [] : [field('pipeline_label', 'Pipeline name', 'select', pipelines)]),
  ];
  const usedSlugs = new Set(native.map(({ slug }) => slug));
  return described.filter(({ slug }) => !usedSlugs.has(slug));
}

/** A deal that no longer exists in the CRM. */
export function goneDeal(id: string): CrmDeal {
  return { id, fields: {}, modifiedAt: null, deleted: true };
}
