import { z } from 'zod';
import { type CrmDeal, type CrmField, type CrmFieldType, type CrmValue } from '../port.js';
import { type CanonicalValues, toBoolean, toDay, toInstant, toNumber, toText, withFieldCurrencies } from '../values.js';

export const crmbDealRecord = z.object({
  id: z.string(),
  properties: z.record(z.string(), z.string().nullish()),
  updatedAt: z.string().nullish(),
  archived: z.boolean().nullish(),
});
type CrmbDealRecord = z.infer<typeof crmbDealRecord>;

export const crmbProperty = z.object({
  name: z.string(),
  label: z.string().nullish(),
  type: z.string(),
  fieldType: z.string().nullish(),
  options: z.array(z.object({ label: z.string(), value: z.string(), hidden: z.boolean().nullish() })).nullish(),
  hidden: z.boolean().nullish(),
  archived: z.boolean().nullish(),
  externalOptions: z.boolean().nullish(),
  showCurrencySymbol: z.boolean().nullish(),
  hubspotDefined: z.boolean().nullish(),
  /** The property that holds the currency of the values. */
  currencyPropertyName: z.string().nullish(),
  numberDisplayHint: z.string().nullish(),
  calculated: z.boolean().nullish(),
  modificationMetadata: z.object({ readOnlyValue: z.boolean().nullish() }).nullish(),
});
export type CrmbProperty = z.infer<typeof crmbProperty>;

const modifiedSlug = 'hs_lastmodifieddate';
/** Requested even if an account hides them. */
const neededProperties: readonly CrmbProperty[] = [
  { name: 'dealname', type: 'string' },
  { name: 'amount', type: 'number' },
  { name: 'dealstage', type: 'enumeration' },
  { name: 'pipeline', type: 'enumeration' },
  { name: 'closedate', type: 'datetime' },
  { name: 'createdate', type: 'datetime' },
  { name: 'hubspot_owner_id', type: 'enumeration', externalOptions: true },
  { name: 'deal_currency_code', type: 'enumeration' },
  { name: modifiedSlug, type: 'datetime' },
  { name: 'hs_is_closed', type: 'bool' },
  { name: 'hs_is_closed_won', type: 'bool' },
];

/** The properties to request with a deal, by name. */
export type CrmbProperties = ReadonlyMap<string, CrmbProperty>;

export function readProperties(defined: readonly CrmbProperty[]): CrmbProperties {
  const listed = defined.filter(({ hidden, archived }) => hidden !== true && archived !== true);
  const needed = neededProperties.map((property) => defined.find(({ name }) => name === property.name) ?? property);
  return new Map([...needed, ...listed].map((property) => [property.name, property]));
}

/** Properties that the CRM changes with every write. */
export const changedByWrites: readonly string[] = [modifiedSlug, 'hs_updated_by_user_id'];

/** What the definitions and settings of an account add to a deal. */
export interface CrmbReading {
  readonly properties: CrmbProperties;
  /** Properties that deals do not have here; default: none. */
  readonly omitted?: ReadonlySet<string>;
  readonly stages: ReadonlyMap<string, CrmbStage>;
  readonly timeZone: string;
  /** Deals without a currency have this one. */
  readonly currency: string | null;
}

export function crmbDeal(record: CrmbDealRecord, reading: CrmbReading): CrmDeal {
  const values = Object.entries(record.properties)
    .filter(([name]) => reading.omitted?.has(name) !== true)
    .map(([name, raw]) => [name, crmbValue(raw, reading.properties.get(name))] as const);
  const modifiedAt = toInstant(record.properties[modifiedSlug]) ?? toInstant(record.updatedAt);
  return {
    id: record.id,
    // An account defines hundreds of properties, most of them empty on a deal. Absent properties read as empty.
    fields: withCanonical(Object.fromEntries(values.filter(([, value]) => value !== null)), reading),
    modifiedAt: modifiedAt === null ? null : new Date(modifiedAt),
    deleted: record.archived === true,
  };
}

function withCanonical(
  fields: Readonly<Record<string, CrmValue>>,
  { properties, stages, timeZone, currency }: CrmbReading,
): Record<string, CrmValue> {
  const stage = stages.get(String(fields['dealstage'] ?? ''));
  const canonical: CanonicalValues = {
    amount: fields['amount'] ?? null,
    stage: fields['dealstage'] ?? null,
    close_date: toDay(fields['closedate'], timeZone),
    owner_id: fields['hubspot_owner_id'] ?? null,
    name: fields['dealname'] ?? null,
    currency: fields['deal_currency_code'] ?? currency,
    // The calculated properties follow a change of the stage with a delay.
    is_won: stage?.isWon ?? fields['hs_is_closed_won'] ?? null,
    is_closed: stage?.isClosed ?? fields['hs_is_closed'] ?? null,
    stage_label: stage?.label ?? null,
    pipeline: fields['pipeline'] ?? null,
    pipeline_label: stage?.pipeline ?? null,
  };
  const money = Object.keys(fields).flatMap((slug) => properties.get(slug) ?? []);
  const currencies = money.map((property) => [property.name, findCurrency(property, fields, currency)] as const);
  return withFieldCurrencies({ ...canonical, ...fields }, Object.fromEntries(currencies));
}

/** Currency of a property whose values are not in the currency of the deal; null for all others. */
function findCurrency(
  { name, currencyPropertyName, showCurrencySymbol, hubspotDefined }: CrmbProperty,
  fields: Readonly<Record<string, CrmValue>>,
  company: string | null,
): string | null {
  if (name === 'amount') return null;
  if (toText(currencyPropertyName) !== null) return toText(fields[currencyPropertyName as string]) ?? company;
  const isOfCompany = name.endsWith('_in_home_currency') || (showCurrencySymbol === true && hubspotDefined === false);
  return isOfCompany ? company : null;
}

const canonicalSlugs: Readonly<Record<string, keyof CanonicalValues>> = {
  dealstage: 'stage',
  closedate: 'close_date',
  hubspot_owner_id: 'owner_id',
  dealname: 'name',
  deal_currency_code: 'currency',
};

/** One property from a webhook, under its own slug and the canonical one. The close date is an instant. */
export function crmbChange(name: string, raw: string | null): Record<string, CrmValue> {
  const value = crmbValue(
    raw,
    neededProperties.find((property) => property.name === name),
  );
  const canonical = canonicalSlugs[name];
  // What the CRM said about the former stage does not apply to the new one.
  if (canonical === 'stage') return { [name]: value, stage: value, is_won: null, is_closed: null, stage_label: null };
  return canonical === undefined ? { [name]: value } : { [name]: value, [canonical]: value };
}

/** All values arrive as text; the definition gives the type. Multiple choices are joined by `;`. */
export function crmbValue(raw: string | null | undefined, property: CrmbProperty | undefined): CrmValue {
  if (raw === null || raw === undefined || raw === '') return null;
  if (property === undefined) return raw;
  if (isCheckbox(property)) return toBoolean(raw);
  if (property.type === 'number') return toNumber(raw);
  if (property.type === 'date') return toInstant(raw)?.slice(0, 10) ?? null;
  return property.type === 'datetime' ? toInstant(raw) : raw;
}

function isCheckbox({ type, fieldType }: CrmbProperty): boolean {
  return type === 'bool' || (type === 'enumeration' && fieldType === 'booleancheckbox');
}

export const crmbPipeline = z.object({
  label: z.string(),
  stages: z.array(
    z.object({
      id: z.string(),
      label: z.string(),
      archived: z.boolean().nullish(),
      metadata: z.looseObject({ isClosed: z.string().nullish(), probability: z.string().nullish() }).nullish(),
    }),
  ),
});
export type CrmbPipeline = z.infer<typeof crmbPipeline>;

/** A stage as its pipeline defines it. */
interface CrmbStage {
  readonly label: string;
  readonly pipeline: string;
  readonly isWon: boolean;
  readonly isClosed: boolean;
}

/** The stages of all pipelines by id. A closed stage with a probability of 1 wins the deal. */
export function crmbStages(pipelines: readonly CrmbPipeline[]): ReadonlyMap<string, CrmbStage> {
  return new Map(
    pipelines.flatMap((pipeline) =>
      pipeline.stages.map(({ id, label, metadata }): [string, CrmbStage] => {
        const isClosed = metadata?.isClosed === 'true';
        const isWon = isClosed && toNumber(metadata?.probability) === 1;
        return [id, { label, pipeline: pipeline.label, isWon, isClosed }];
      }),
    ),
  );
}

export function crmbField(property: CrmbProperty, pipelines: readonly CrmbPipeline[]): CrmField {
  const type = crmbFieldType(property);
  const field = { slug: property.name, label: toText(property.label) ?? property.name, type, native: property.name };
  if (type !== 'select' && type !== 'status') return field;
  return { ...field, options: property.name === 'dealstage' ? stageOptions(pipelines) : toOptions(property) };
}

export function crmbFieldType(property: CrmbProperty): CrmFieldType {
  if (isCheckbox(property)) return 'checkbox';
  switch (property.type) {
    case 'number':
      return isMoney(property) ? 'currency' : 'number';
    case 'date':
      return 'date';
    case 'datetime':
      return 'timestamp';
    case 'enumeration':
      if (property.name === 'dealstage' || property.name === 'pipeline') return 'status';
      // The choices are records of the CRM, such as owners: there is no list of options.
      return property.externalOptions === true ? 'text' : 'select';
    default:
      return 'text';
  }
}

function isMoney({ name, showCurrencySymbol }: CrmbProperty): boolean {
  return name === 'amount' || showCurrencySymbol === true || name.endsWith('_in_home_currency');
}

/** Deals contain the id of a stage. Several pipelines can have a stage with the same label. */
function stageOptions(pipelines: readonly CrmbPipeline[]): { label: string; value: string }[] {
  return pipelines.flatMap((pipeline) =>
    pipeline.stages
      .filter((stage) => stage.archived !== true)
      .map(({ id, label }) => ({ label: pipelines.length > 1 ? `${pipeline.label}: ${label}` : label, value: id })),
  );
}

function toOptions({ options }: CrmbProperty): { label: string; value: string }[] {
  return (options ?? []).filter(({ hidden }) => hidden !== true).map(({ label, value }) => ({ label, value }));
}
