import { z } from 'zod';
import { id18 } from '../../../kernel/opportunity-id.js';
import { type CrmDeal, type CrmField, type CrmFieldType, type CrmValue } from '../port.js';
import { canonicalFields, toInstant, toNumber } from '../values.js';
import { assignSlugs, type CrmcName } from './names.js';

/** The parts of an object description that are needed. */
export const describeResponse = z.object({
  /** Whether the connected user may change deals. */
  updateable: z.boolean().optional(),
  fields: z.array(
    z.object({
      name: z.string().regex(/^\w+$/),
      label: z.string(),
      type: z.string(),
      length: z.number().default(0),
      updateable: z.boolean().optional(),
      calculated: z.boolean().optional(),
      picklistValues: z
        .array(z.object({ active: z.boolean(), label: z.string().nullable(), value: z.string() }))
        .nullable()
        .default(null),
    }),
  ),
  recordTypeInfos: z
    .array(z.object({ recordTypeId: z.string(), name: z.string(), master: z.boolean().default(false) }))
    .default([]),
});
export type DescribedDeal = z.infer<typeof describeResponse>;
type DescribedField = DescribedDeal['fields'][number];

export const dealRecord = z.looseObject({ Id: z.string(), SystemModstamp: z.string(), IsDeleted: z.boolean() });
export type DealRecord = z.infer<typeof dealRecord>;

/** The fields to request for deals of an organisation, and their slugs. */
export interface DealShape {
  readonly fields: readonly (CrmField & { readonly crmType: string })[];
  /** Names in the select list, including those that are not stored as fields. */
  readonly selected: readonly string[];
  /** Whether each deal has a currency; otherwise all use the organisation's. */
  readonly hasCurrency: boolean;
  /** Labels of the stages, which deals contain by value. */
  readonly stageLabels: ReadonlyMap<string, string>;
  /** Names of the record types by id: a record type decides which stages a deal goes through. */
  readonly recordTypes: ReadonlyMap<string, string>;
}

/** Requested for every deal in addition to its fields. */
const systemFields = ['Id', 'SystemModstamp', 'IsDeleted'];
/** Times of views: not changes of the deal, and different for every user. */
const viewTimes = ['LastViewedDate', 'LastReferencedDate'];
const unreadableTypes = ['address', 'location', 'complexvalue', 'base64', 'anyType'];
/** Longer text fields hold up to 131,072 characters: a page of 2,000 deals would exceed the response limit. */
const maxTextLength = 255;
/** A deal has at most 500 fields, some of which are not the CRM's. */
const maxFields = 450;

/** Fields that the CRM changes with every write. */
const changedByWrites: readonly string[] = ['LastModifiedDate', 'LastModifiedById'];

/** `writtenFields`: fields that this service writes, by the CRM's names. Deals do not have them here. */
export function dealShape(
  { fields: described, recordTypeInfos }: DescribedDeal,
  writtenFields: readonly string[] = [],
): DealShape {
  const omitted = new Set(writtenFields.length === 0 ? [] : [...writtenFields, ...changedByWrites]);
  // Slugs are assigned before fields are left out, so that the others keep theirs.
  const readable = described.filter(isUsable).slice(0, maxFields);
  const slugs = new Map(assignSlugs(readable.map(({ name }) => name)).map((name) => [name.native, name]));
  const usable = readable.filter(({ name }) => !omitted.has(name));
  const fields = usable.map((field) => ({
    ...(slugs.get(field.name) as CrmcName),
    label: field.label,
    type: toFieldType(field),
    crmType: field.type,
    ...toOptions(field),
  }));
  return {
    fields,
    selected: [...systemFields, ...usable.map((field) => field.name)],
    hasCurrency: usable.some((field) => field.name === 'CurrencyIsoCode'),
    stageLabels: stageLabels(described),
    // Deals of an organisation without record types have the master type.
    recordTypes: new Map(
      recordTypeInfos.filter(({ master }) => !master).map(({ recordTypeId, name }) => [id18(recordTypeId), name]),
    ),
  };
}

function stageLabels(described: readonly DescribedField[]): ReadonlyMap<string, string> {
  const stage = described.find(({ name }) => name === 'StageName');
  return new Map((stage?.picklistValues ?? []).map(({ label, value }) => [value, label ?? value]));
}

/** The fields of deals with the canonical ones that the CRM does not describe. */
export function describedFields({ fields, stageLabels: labels, recordTypes }: DealShape): CrmField[] {
  const native = fields.map(({ crmType: _, ...field }) => field);
  return [
    ...native,
    ...canonicalFields(native, { stages: [...labels.values()], pipelines: [...recordTypes.values()] }),
  ];
}

/** Converts a record to a deal. */
export function readDeal(record: DealRecord, shape: DealShape, orgCurrency: string | null): CrmDeal {
  const fields: Record<string, CrmValue> = {};
  for (const { native, slug, crmType } of shape.fields) {
    // A page requested before a field was added does not contain it.
    if (record[native] !== undefined) fields[slug] = readValue(record[native], crmType);
  }
  if (!shape.hasCurrency) fields['currency'] = orgCurrency;
  return {
    id: id18(record.Id),
    // A custom field with the slug of a canonical one takes precedence.
    fields: { ...stageAndPipeline(record, shape), ...fields },
    modifiedAt: new Date(record.SystemModstamp),
    deleted: record.IsDeleted,
  };
}

function stageAndPipeline({ StageName, RecordTypeId }: DealRecord, shape: DealShape): Record<string, CrmValue> {
  const pipeline = typeof RecordTypeId === 'string' ? id18(RecordTypeId) : '';
  const name = shape.recordTypes.get(pipeline);
  return {
    stage_label: typeof StageName === 'string' ? (shape.stageLabels.get(StageName) ?? StageName) : null,
    ...(name === undefined ? {} : { pipeline, pipeline_label: name }),
  };
}

/** Converts a JSON value of the CRM. Compound values are dropped, because their parts are separate fields. */
export function readValue(value: unknown, crmType: string): CrmValue {
  if (typeof value === 'number') return toNumber(value);
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'string' || value === '') return null;
  if (crmType === 'date') return value.slice(0, 10);
  return crmType === 'datetime' ? toInstant(value) : value;
}

function isUsable({ name, type, length }: DescribedField): boolean {
  if (systemFields.includes(name) || viewTimes.includes(name) || unreadableTypes.includes(type)) return false;
  return type !== 'textarea' || length <= maxTextLength;
}

function toFieldType({ name, type }: DescribedField): CrmFieldType {
  if (name === 'StageName') return 'status';
  switch (type) {
    case 'int':
    case 'long':
    case 'double':
    case 'percent':
      return 'number';
    case 'currency':
    case 'date':
      return type;
    case 'picklist':
    case 'multipicklist':
      return 'select';
    case 'boolean':
      return 'checkbox';
    case 'datetime':
      return 'timestamp';
    default:
      return 'text';
  }
}

function toOptions({ type, picklistValues }: DescribedField): Pick<CrmField, 'options'> {
  if (picklistValues === null || (type !== 'picklist' && type !== 'multipicklist')) return {};
  const active = picklistValues.filter((option) => option.active);
  return { options: active.map(({ label, value }) => ({ label: label ?? value, value })) };
}
