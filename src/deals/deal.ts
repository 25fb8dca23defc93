import { z } from 'zod';
import { fields } from '../api/resource-fields.js';
import { isRefundKey } from '../engine/clawback.js';
import {
  absenceReason,
  asDay,
  asNumber,
  type Fields,
  type FieldValue,
  isAbsent,
  type StandardField,
  standardFields,
} from '../engine/field-value.js';
import { type Deal as EngineDeal, own } from '../engine/slug.js';
import { usualSlugs } from '../engine/standard-slugs.js';
import { visibleText } from '../kernel/comparable-text.js';
import { type Day, readDay } from '../kernel/day.js';
import { deriveId } from '../kernel/ids.js';
import { sampleIds } from '../kernel/sample-ids.js';
import { isLostName, isWonName } from '../kernel/stage-names.js';
import { isStorable } from '../platform/database/columns.js';
import { currency, instant, text, uuid } from '../platform/operations/schemas.js';

export const maxFields = 500;
export const maxSlugLength = 500;
const maxTextLength = 10_000;
const maxListLength = 200;
/** Characters of all slugs and texts of a deal: pages and calculations hold hundreds of deals in memory. */
export const maxFieldsLength = 64 * 1024;
export const maxOwnerIdLength = 500;

/** Standard values that were sent by name, and the explicit owner. */
interface DealInput {
  readonly name?: string;
  readonly amount?: number | string;
  readonly currency?: string;
  readonly stage?: string;
  readonly closeDate?: string;
  readonly createdDate?: string;
  readonly ownerId?: string;
  readonly ownerEmail?: string;
  readonly repId?: string;
}

/** The content of a deal as sent. Everything else about the deal is derived from it. */
export interface DealContent {
  readonly fields: Fields;
  readonly given: DealInput;
}

/** The settings with which a workspace reads its deals. */
export interface DealTerms {
  readonly timeZone: string;
  readonly standard: Readonly<Partial<Record<StandardField, string>>>;
}

/** The standard values of a deal. The owner is looked up by the three owner values. */
export interface Projection {
  readonly name: string | null;
  readonly amount: string | null;
  readonly currency: string | null;
  readonly stage: string | null;
  readonly closeDate: Day | null;
  readonly createdDate: Day | null;
  readonly ownerId: string | null;
  readonly ownerEmail: string | null;
  readonly givenRepId: string | null;
  readonly isClosed: boolean;
  readonly isWon: boolean;
}

export const givenNames = {
  dealAmount: 'amount',
  dealStage: 'stage',
  closeDate: 'closeDate',
  dealName: 'name',
  ownerId: 'ownerId',
  currency: 'currency',
  createdDate: 'createdDate',
} as const satisfies Record<StandardField, keyof DealInput>;

/**
 * The raw standard value: sent by name, otherwise the mapped field, otherwise, without a mapping, one of the usual
 * fields.
 */
export function standardValue(
  { fields, given }: DealContent,
  name: StandardField,
  terms: DealTerms,
): FieldValue | undefined {
  const named = given[givenNames[name]];
  if (named !== undefined) return named;
  const slug = standardSlug(fields, name, terms);
  return slug === undefined ? undefined : own(fields, slug);
}

/** The field that the standard value is read from, unless it is sent by name. */
export function standardSlug(fields: Fields, name: StandardField, { standard }: DealTerms): string | undefined {
  return standard[name] ?? usualSlugs[name].find((candidate) => !isAbsent(own(fields, candidate)));
}

/** The standard values of the content under the workspace's settings; values that cannot be read are null. */
export function projectDeal(content: DealContent, terms: DealTerms): Projection {
  const value = (name: StandardField) => standardValue(content, name, terms);
  const stage = asText(value('dealStage'));
  const ownerId = asText(value('ownerId'));
  return {
    name: asText(value('dealName')),
    amount: asNumber(value('dealAmount'))?.toString() ?? null,
    currency: asCurrency(value('currency')),
    stage,
    closeDate: asDay(value('closeDate'), terms.timeZone),
    createdDate: asDay(value('createdDate'), terms.timeZone),
    // A longer value is not an id and would not fit the index.
    ownerId: ownerId !== null && ownerId.length <= maxOwnerIdLength ? ownerId : null,
    ownerEmail: content.given.ownerEmail?.toLowerCase() ?? null,
    givenRepId: content.given.repId ?? null,
    ...closing(content.fields, stage, terms),
  };
}

/** A deal that is not stored, as the engine reads it; null without a close date. */
export function toEngineDeal(dealId: string, content: DealContent, terms: DealTerms): EngineDeal | null {
  const { amount, stage, name, ownerId, currency, createdDate, closeDate } = projectDeal(content, terms);
  if (closeDate === null) return null;
  const standard = { dealAmount: amount, dealStage: stage, dealName: name, ownerId, currency, createdDate, closeDate };
  return { dealId, closeDate, fields: content.fields, standard };
}

/**
 * Whether the stage closes the deal, and whether it wins it: as the CRM says with `is_won` and `is_closed`, otherwise by
 * the name of the stage. The CRM says it about its own stage, so a mapped stage is read by its name.
 */
function closing(fields: Fields, stage: string | null, terms: DealTerms): { isClosed: boolean; isWon: boolean } {
  const mapped = terms.standard.dealStage;
  const isOwn = mapped === undefined || usualSlugs.dealStage.includes(mapped);
  const said = (slug: string) => (isOwn ? asBoolean(own(fields, slug)) : null);
  const name = stage === null ? null : visibleText(stage);
  const isWon = said('is_won') ?? (name !== null && isWonName(name));
  const isClosed = said('is_closed') ?? (name !== null && isLostName(name));
  return { isWon, isClosed: isWon || isClosed };
}

function asBoolean(value: FieldValue | undefined): boolean | null {
  if (typeof value === 'boolean') return value;
  return value === 'true' || value === 'false' ? value === 'true' : null;
}

/** A slug of the amount whose value is a number beyond ±10^15; null when there is none. */
export function findAmountOutOfRange({ fields }: DealContent, terms: DealTerms): string | null {
  const slugs = [terms.standard.dealAmount, ...usualSlugs.dealAmount];
  const isBeyond = (value: FieldValue | undefined) =>
    asNumber(value) === null && absenceReason(value) === 'value_out_of_range';
  return slugs.find((slug) => slug !== undefined && isBeyond(own(fields, slug))) ?? null;
}

export const amountBound = 'must be a number from -1,000,000,000,000,000 to 1,000,000,000,000,000';

function asText(value: FieldValue | undefined): string | null {
  if (isAbsent(value)) return null;
  const text = (Array.isArray(value) ? value.join(', ') : String(value)).trim();
  return text === '' ? null : text;
}

/** A value that is not three letters stays unchanged: it equals no plan's currency, so it pays nothing. */
function asCurrency(value: FieldValue | undefined): string | null {
  const text = asText(value);
  return text !== null && /^[a-z]{3}$/i.test(text) ? text.toUpperCase() : text;
}

/**
 * Merges the content of a file into the stored content: absent values stay, and a value in the file is not hidden by
 * a stored one.
 */
export function mergedContent(stored: DealContent, update: DealContent, terms: DealTerms): DealContent {
  const fields: Record<string, FieldValue> = { ...stored.fields };
  const given: Record<string, unknown> = { ...stored.given };
  const ownership = namesOwner(update, terms);
  if (ownership) for (const name of ['repId', 'ownerId', 'ownerEmail']) delete given[name];
  for (const name of standardFields) {
    const isPresent = !isAbsent(standardValue(update, name, terms));
    if (!isPresent && !(name === 'ownerId' && ownership)) continue;
    delete given[givenNames[name]];
    for (const slug of hidingSlugs(name, terms)) if (!Object.hasOwn(update.fields, slug)) delete fields[slug];
  }
  return { fields: { ...fields, ...update.fields }, given: { ...given, ...update.given } };
}

/** The slugs whose stored values would hide a standard value of the file. */
function hidingSlugs(name: StandardField, { standard }: DealTerms): readonly string[] {
  const mapped = standard[name];
  if (mapped === undefined) return usualSlugs[name];
  return name === 'ownerId' ? [mapped] : [];
}

function namesOwner({ fields, given }: DealContent, terms: DealTerms): boolean {
  const { repId, ownerEmail } = given;
  return (
    repId !== undefined || ownerEmail !== undefined || !isAbsent(standardValue({ fields, given }, 'ownerId', terms))
  );
}

/** Content in its canonical form, in which it is stored and compared. */
export interface StoredContent {
  readonly fields: string;
  readonly given: string;
  readonly hash: string;
}

export function storedContent(content: DealContent): StoredContent {
  const fields = JSON.stringify(sorted(content.fields));
  const given = JSON.stringify(sorted({ ...content.given }));
  return { fields, given, hash: deriveId(`${fields}\n${given}`) };
}

/** Canonical content with its standard values under the workspace's settings. */
export interface ReadContent {
  readonly content: StoredContent;
  readonly projection: Projection;
}

export function readContent(content: DealContent, terms: DealTerms): ReadContent {
  return { content: storedContent(content), projection: projectDeal(content, terms) };
}

/** The hash of every deal that a CRM has deleted. No content has this hash, so any later content is a change. */
export const tombstoneHash = deriveId('deleted');

function sorted<T>(record: Readonly<Record<string, T>>): Record<string, T> {
  const keys = Object.keys(record);
  const ordered = keys.every((key, index) => index === 0 || (keys[index - 1] as string) < key);
  return ordered ? record : Object.fromEntries(keys.sort().map((key) => [key, record[key] as T]));
}

/** The problem of the fields as a whole, or of a slug or text that cannot be stored; null if there is none. */
export function checkFields(fields: Fields): { readonly slug: string; readonly message: string } | null {
  const entries = Object.entries(fields);
  if (entries.length > maxFields) return { slug: '', message: `holds more than ${maxFields} fields` };
  let length = 0;
  for (const [slug, value] of entries) {
    const message = checkSlug(slug) ?? checkValue(value);
    if (message !== null) return { slug: slug.slice(0, 100), message };
    length += fieldLength(slug, value);
  }
  return length > maxFieldsLength
    ? { slug: '', message: `holds more than ${maxFieldsLength} characters in all fields` }
    : null;
}

/** Characters of the slug and its texts. */
export function fieldLength(slug: string, value: FieldValue): number {
  if (typeof value === 'string') return slug.length + value.length;
  return Array.isArray(value) ? value.reduce((sum, text) => sum + text.length, slug.length) : slug.length;
}

export function checkSlug(slug: string): string | null {
  if (slug === '') return 'is an empty field slug';
  if (slug.length > maxSlugLength) return `is a field slug of more than ${maxSlugLength} characters`;
  if (slug === '__proto__' || slug === 'constructor' || slug === 'prototype') return 'cannot be a field slug';
  return isStorable(slug) ? null : 'contains characters that cannot be stored';
}

function checkValue(value: FieldValue): string | null {
  if (Array.isArray(value)) {
    if (value.length > maxListLength) return `holds more than ${maxListLength} texts`;
    return (value as string[]).map(checkValue).find((problem) => problem !== null) ?? null;
  }
  if (typeof value !== 'string') return null;
  if (value.length > maxTextLength) return `is longer than ${maxTextLength} characters`;
  return isStorable(value) ? null : 'contains characters that cannot be stored';
}

const fieldValue = z
  .union(
    [z.string(), z.number(), z.boolean(), z.null(), z.array(z.string())],
    'must be a text, a number, true, false, null or a list of texts',
  )
  .describe('A text, a number, true, false, null or a list of texts');

const dealFields = z
  .record(z.string(), fieldValue)
  .superRefine((fields, context) => {
    const problem = checkFields(fields);
    if (problem !== null)
      context.addIssue({ code: 'custom', path: problem.slug === '' ? [] : [problem.slug], message: problem.message });
  })
  .describe('Fields of the deal in the CRM, by slug');

const dayOrInstant = z
  .string()
  .trim()
  .refine((value) => readDay(value, 'UTC') !== null, 'must be a day, YYYY-MM-DD, or an ISO 8601 instant');

/** The commission of refunds has keys of this form, which no deal may have. */
export const dealId = text(200).refine((id) => !isRefundKey(id), 'must not begin with refund:');

/** A source that states a later time is wrong: it would make everything that follows stale. */
export function latestSourceTime(now: number): Date {
  return new Date(now + 86_400_000);
}

export const dealBody = z.strictObject({
  fields: dealFields.optional(),
  name: text(500).nullish().describe('Name of the deal'),
  amount: z
    .union([z.number(), z.string()])
    .refine((value) => asNumber(value) !== null, amountBound)
    .nullish()
    .describe('Amount of the deal in `currency`, as a number or a decimal text'),
  currency: currency
    .nullish()
    .describe('Currency of the amount, ISO 4217 code; the currency of the workspace by default'),
  stage: text(500).nullish().describe('Stage of the deal, as the CRM names it'),
  closeDate: dayOrInstant.nullish().describe('Close date, YYYY-MM-DD or an instant; it decides the period'),
  createdDate: dayOrInstant.nullish().describe('When the deal was created in the CRM, YYYY-MM-DD or an instant'),
  ownerId: text(maxOwnerIdLength).nullish().describe('Id of the owner in the CRM (crmMemberId of the rep)'),
  ownerEmail: text(254).nullish().describe('E-mail address of the owner, in any case'),
  repId: uuid.nullish().describe('The owner as a rep (UUID), in place of ownerId and ownerEmail'),
  sourceUpdatedAt: instant
    .refine((at) => Date.parse(at) < latestSourceTime(Date.now()).getTime(), 'must be at most one day in the future')
    .nullish()
    .describe(
      'When the CRM last changed the deal, at most one day in the future. An older snapshot does not replace a newer one',
    ),
});

/** The content of a deal as sent; null is the same as absent. */
export function toContent({ fields = {}, sourceUpdatedAt: _, ...named }: z.infer<typeof dealBody>): DealContent {
  return {
    fields,
    given: Object.fromEntries(Object.entries(named).filter(([, value]) => value !== null && value !== undefined)),
  };
}

export const dealRecord = z
  .object({
    deal_id: fields.dealId,
    name: fields.dealName.nullable(),
    amount: z.number().nullable().describe('Amount of the deal in `currency`; null if it has none'),
    currency: z.string().nullable().describe('Currency of the amount, ISO 4217 code; null if it has none'),
    stage: fields.stage.nullable(),
    stageLabel: z.string().nullable().describe('Name of the stage for people; null if the deal has none'),
    closeDate: fields.closeDate.nullable(),
    repId: z.string().nullable().describe('Id of the rep who owns the deal (UUID); null for none'),
    repName: z.string().nullable().describe('Name of the rep who owns the deal; null for none'),
    ownerId: fields.ownerId.nullable(),
    ownerEmail: z
      .string()
      .nullable()
      .describe("E-mail address of the deal's owner as the deal states it; null for none"),
    provider: z.string().nullable().describe('CRM that the deal is from; null for deals of the API and of files'),
    crmUrl: z
      .string()
      .nullable()
      .describe('Address of the deal in its CRM, https; null for other deals, and until a sync has read it'),
    isClosed: z.boolean().describe('Whether the deal is in a closed stage'),
    isWon: z.boolean().describe('Whether the deal is in a won stage'),
    fields: z.record(z.string(), z.unknown()).describe('Fields of the deal in the CRM, by slug'),
    sourceUpdatedAt: z
      .string()
      .nullable()
      .describe('When the CRM last changed the deal, instant in ISO 8601; null if unknown'),
    snapshotAt: z.string().describe('When this snapshot was stored, instant in ISO 8601'),
    deleted_at: z.string().nullable().describe('When the deal was deleted, instant in ISO 8601; null if it was not'),
  })
  .describe('A deal: its latest snapshot');
export type DealRecord = z.input<typeof dealRecord>;

export const dealBodyExample = { amount: 120000, stage: 'Won', closeDate: '2026-02-10', ownerId: 'ben' };

export const dealExample = {
  deal_id: sampleIds.dealId,
  name: null,
  amount: 120000,
  currency: 'USD',
  stage: 'Won',
  stageLabel: 'Won',
  closeDate: '2026-02-10',
  repId: sampleIds.repId,
  repName: 'Ben',
  ownerId: 'ben',
  ownerEmail: null,
  provider: null,
  crmUrl: null,
  isClosed: true,
  isWon: true,
  fields: {},
  sourceUpdatedAt: null,
  snapshotAt: '2026-02-11T08:30:00.000Z',
  deleted_at: null,
};
