import { z } from 'zod';
import { isLostName, isWonName } from '../../../kernel/stage-names.js';
import { type CrmDeal, type CrmFieldType, type CrmValue } from '../port.js';
import { type CanonicalValues, toBoolean, toDay, toInstant, toNumber, toText, withFieldCurrencies } from '../values.js';

const versionedValue = z.looseObject({ attribute_type: z.string(), active_until: z.string().nullish() });
type VersionedValue = z.infer<typeof versionedValue>;

export const crmaRecord = z.object({
  id: z.object({ record_id: z.string() }),
  created_at: z.string(),
  web_url: z.string().nullish(),
  values: z.record(z.string(), z.array(versionedValue)),
});
export type CrmaRecord = z.infer<typeof crmaRecord>;

export const crmaAttribute = z.object({
  id: z.object({ attribute_id: z.string() }).nullish(),
  api_slug: z.string(),
  title: z.string(),
  type: z.string(),
  is_archived: z.boolean().nullish(),
  is_writable: z.boolean().nullish(),
  is_system_attribute: z.boolean().nullish(),
  is_multiselect: z.boolean().nullish(),
  config: z
    .looseObject({
      currency: z.looseObject({ default_currency_code: z.string().nullish() }).nullish(),
      record_reference: z.looseObject({ allowed_object_ids: z.array(z.string()).nullish() }).nullish(),
    })
    .nullish(),
});
export type CrmaAttribute = z.infer<typeof crmaAttribute>;

const fieldTypes: Readonly<Record<string, CrmFieldType>> = {
  number: 'number',
  rating: 'number',
  currency: 'currency',
  date: 'date',
  select: 'select',
  status: 'status',
  checkbox: 'checkbox',
  timestamp: 'timestamp',
  interaction: 'timestamp',
};

/** Names, addresses, references and unknown types are text. */
export function crmaFieldType(attributeType: string): CrmFieldType {
  return fieldTypes[attributeType] ?? 'text';
}

/** What the attribute definitions add to a record. */
export interface CrmaReading {
  readonly timeZone: string;
  readonly defaultCurrency: string | null;
  /** Default currencies of the attributes that hold amounts, by slug. */
  readonly currencies: ReadonlyMap<string, string | null>;
  /** The CRM has no built-in close date. Workspaces create an attribute for it. */
  readonly closeDateSlug: string | null;
  /** Titles of the stages that win a deal. */
  readonly wonStages: ReadonlySet<string>;
  /** Slugs that deals do not have here; default: none. */
  readonly written?: ReadonlySet<string>;
}

export const crmaStatus = z.object({
  title: z.string(),
  is_archived: z.boolean().nullish(),
  celebration_enabled: z.boolean().nullish(),
});
export type CrmaStatus = z.infer<typeof crmaStatus>;

/**
 * The CRM marks no stage as won. The stages named so win a deal; if there is none, those whose arrival the CRM
 * celebrates.
 */
function wonStages(statuses: readonly CrmaStatus[]): ReadonlySet<string> {
  const named = statuses.filter(({ title }) => isWonName(title));
  const won = named.length > 0 ? named : statuses.filter((status) => status.celebration_enabled === true);
  return new Set(won.map(({ title }) => title));
}

export function crmaReading(
  attributes: readonly CrmaAttribute[],
  statuses: readonly CrmaStatus[],
  timeZone: string,
): CrmaReading {
  const amount = attributes.find((attribute) => attribute.api_slug === amountSlug);
  return {
    timeZone,
    defaultCurrency: toCurrency(amount?.config?.currency?.default_currency_code),
    currencies: new Map(
      attributes
        .filter(({ type }) => type === 'currency')
        .map((attribute) => [attribute.api_slug, toCurrency(attribute.config?.currency?.default_currency_code)]),
    ),
    closeDateSlug: findCloseDateSlug(attributes),
    wonStages: wonStages(statuses),
  };
}

const amountSlug = 'value';

/** The CRM has its own code for the Taiwan dollar. Its other codes are those of ISO 4217. */
export function toCurrency(code: unknown): string | null {
  const text = toText(code);
  return text === 'NTD' ? 'TWD' : text;
}

/**
 * The attribute with that name, otherwise the only date attribute whose name contains "close". If there are several,
 * the field mapping decides.
 */
function findCloseDateSlug(attributes: readonly CrmaAttribute[]): string | null {
  const days = attributes
    .filter(({ type }) => type === 'date' || type === 'timestamp')
    .map((attribute) => attribute.api_slug);
  const named = days.find((slug) => /^close_?date$/.test(slug));
  const closing = days.filter((slug) => slug.includes('close'));
  return named ?? (closing.length === 1 ? (closing[0] as string) : null);
}

/** The present values of a record by slug. */
export function readValues(record: CrmaRecord): Record<string, CrmValue> {
  return Object.fromEntries(liveValues(record).map(([slug, values]) => [slug, joined(values)]));
}

function liveValues(record: CrmaRecord) {
  return Object.entries(record.values).map(
    ([slug, values]) => [slug, values.filter((value) => (value.active_until ?? null) === null)] as const,
  );
}

export function crmaDeal(whole: CrmaRecord, reading: CrmaReading): CrmDeal {
  const record = withoutWritten(whole, reading);
  const fields = readValues(record);
  const amount = liveValues(record).find(([slug]) => slug === amountSlug)?.[1][0];
  const canonical: CanonicalValues = {
    amount: own(fields, amountSlug),
    stage: own(fields, 'stage'),
    close_date: reading.closeDateSlug === null ? null : toDay(own(fields, reading.closeDateSlug), reading.timeZone),
    owner_id: own(fields, 'owner'),
    name: own(fields, 'name'),
    currency: toCurrency(amount?.['currency_code']) ?? reading.defaultCurrency,
    ...closing(own(fields, 'stage'), reading),
  };
  // The timestamps of the values do not show that a value was cleared, so they cannot order two versions of a
  // record.
  const all = withFieldCurrencies({ ...canonical, ...fields }, readCurrencies(record, reading));
  return { id: record.id.record_id, fields: all, modifiedAt: null, deleted: false };
}

/** The currency of the amount that the record has under the slug; null without one. */
export function readCurrency(record: CrmaRecord, slug: string): string | null {
  const amount = liveValues(record).find(([name]) => name === slug)?.[1][0];
  return toCurrency(amount?.['currency_code']);
}

function withoutWritten(record: CrmaRecord, { written }: CrmaReading): CrmaRecord {
  if (written === undefined || written.size === 0) return record;
  const values = Object.entries(record.values).filter(([slug]) => !written.has(slug));
  return { ...record, values: Object.fromEntries(values) };
}

/** Every amount of the CRM has its own currency, by default that of its attribute. */
function readCurrencies(record: CrmaRecord, { currencies }: CrmaReading): Record<string, string | null> {
  const money = liveValues(record).filter(([slug]) => slug !== amountSlug && currencies.has(slug));
  return Object.fromEntries(
    money.map(([slug, values]) => [slug, toCurrency(values[0]?.['currency_code']) ?? currencies.get(slug) ?? null]),
  );
}

function closing(stage: CrmValue, { wonStages: won }: CrmaReading) {
  if (typeof stage !== 'string') return { is_won: null, is_closed: null, stage_label: null };
  const isWon = won.has(stage);
  return { is_won: isWon, is_closed: isWon || isLostName(stage), stage_label: stage };
}

function own(fields: Readonly<Record<string, CrmValue>>, slug: string): CrmValue {
  return fields[slug] ?? null;
}

function joined(values: readonly VersionedValue[]): CrmValue {
  const [first, ...others] = values;
  if (first === undefined) return null;
  if (others.length === 0) return crmaValue(first);
  return toText(values.map((value) => crmaValue(value) ?? '').join(';'));
}

export function crmaValue(value: VersionedValue): CrmValue {
  switch (value.attribute_type) {
    case 'number':
    case 'rating':
      return toNumber(value['value']);
    case 'currency':
      return toNumber(value['currency_value']);
    case 'checkbox':
      return toBoolean(value['value']);
    case 'date':
      return toText(value['value'])?.slice(0, 10) ?? null;
    case 'timestamp':
      return toInstant(value['value']);
    case 'interaction':
      return toInstant(value['interacted_at']);
    case 'status':
      return toTitle(value['status']);
    case 'select':
      return toTitle(value['option']);
    case 'actor-reference':
      return toText(value['referenced_actor_id']);
    case 'record-reference':
      return toText(value['target_record_id']);
    case 'email-address':
      return toText(value['email_address']);
    case 'domain':
      return toText(value['domain']);
    case 'phone-number':
      return toText(value['phone_number']) ?? toText(value['original_phone_number']);
    case 'personal-name':
      return toText(value['full_name']);
    case 'location':
      return toText([value['locality'], value['region'], value['country_code']].filter(toText).join(', '));
    default:
      return toScalar(value['value']);
  }
}

/** A choice arrives as its title or as an object with a title. The CRM filters by title. */
function toTitle(choice: unknown): string | null {
  return typeof choice === 'object' && choice !== null && 'title' in choice ? toText(choice.title) : toText(choice);
}

function toScalar(value: unknown): CrmValue {
  return typeof value === 'number' || typeof value === 'boolean' ? value : toText(value);
}
