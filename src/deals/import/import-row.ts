import { type z } from 'zod';
import { type Fields, type FieldValue, isAbsent } from '../../engine/field-value.js';
import { type Day, dayOf, isDay } from '../../kernel/day.js';
import {
  amountBound,
  amountOutOfRange,
  contentOf,
  type DealContent,
  type DealTerms,
  dealBody,
  dealId,
  type Projection,
  problemOfFields,
  readContent,
  standardValue,
} from '../deal.js';
import { type IncomingDeal } from '../record-deals.js';

export const dateFormats = ['ISO', 'MDY', 'DMY'] as const;
/** How the file writes its days. It is declared and never guessed: 3/4/2026 is two different days. */
export type DateFormat = (typeof dateFormats)[number];

/** A data row of the file, counted from 1: a deal, or why it is none. */
export type ImportRow = { readonly row: number } & ({ readonly deal: IncomingDeal } | { readonly reason: string });

export interface RowReader {
  readonly terms: DealTerms;
  readonly dateFormat: DateFormat;
}

const writtenDay = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/;

/** The day in the declared format; null when the text is no real day in it. */
function declaredDay(value: string, dateFormat: DateFormat): Day | null {
  const match = writtenDay.exec(value);
  if (match === null || dateFormat === 'ISO') return null;
  const [first, second, year] = [Number(match[1]), Number(match[2]), Number(match[3])];
  const day = dateFormat === 'MDY' ? dayOf(year, first, second) : dayOf(year, second, first);
  return isDay(day) ? day : null;
}

/** What a deal is paid by must be readable: better a row that is named than a deal that silently earns nothing. */
function problemOfStandardValues(content: DealContent, read: Projection, reader: RowReader): string | null {
  for (const name of ['closeDate', 'createdDate'] as const) {
    if (read[name] !== null) continue;
    const value = standardValue(content, name, reader.terms);
    if (!isAbsent(value)) return `${name}: ${shown(value)} is not a date in the format ${reader.dateFormat}`;
  }
  if (read.amount !== null) return null;
  const amount = standardValue(content, 'dealAmount', reader.terms);
  return isAbsent(amount) ? null : `dealAmount: ${shown(amount)} is not a number`;
}

/** In a file of another format a day that only ISO would read is a slip, and not to be taken for what it may not mean. */
function problemOfFormat(content: DealContent, { terms, dateFormat }: RowReader): string | null {
  for (const name of ['closeDate', 'createdDate'] as const) {
    if (content.given[name] !== undefined) continue;
    const value = standardValue(content, name, terms);
    if (isAbsent(value) || (typeof value === 'string' && declaredDay(value.trim(), dateFormat) !== null)) continue;
    return `${name}: ${shown(value)} is not a date in the format ${dateFormat}`;
  }
  return null;
}

function shown(value: unknown): string {
  return JSON.stringify(value).slice(0, 60);
}

/** Days of the declared format in the form in which everything else reads them. */
function withIsoDays(fields: Fields, dateFormat: DateFormat): Fields {
  const dated: Record<string, FieldValue> = {};
  for (const slug of Object.keys(fields)) {
    const value = fields[slug] as FieldValue;
    dated[slug] = typeof value === 'string' ? (declaredDay(value.trim(), dateFormat) ?? value) : value;
  }
  return dated;
}

function rowOf(
  row: number,
  dealId: string,
  content: DealContent,
  sourceUpdatedAt: string | null | undefined,
  reader: RowReader,
): ImportRow {
  const isIso = reader.dateFormat === 'ISO';
  const misdated = isIso ? null : problemOfFormat(content, reader);
  if (misdated !== null) return { row, reason: misdated };
  const dated = isIso ? content : { ...content, fields: withIsoDays(content.fields, reader.dateFormat) };
  const slug = amountOutOfRange(dated, reader.terms);
  if (slug !== null) return { row, reason: `fields.${slug}: ${amountBound}` };
  const read = readContent(dated, reader.terms);
  const reason = problemOfStandardValues(dated, read.projection, reader);
  if (reason !== null) return { row, reason };
  return {
    row,
    deal: { dealId, ...read, sourceUpdatedAt: sourceUpdatedAt ? new Date(sourceUpdatedAt) : null, provider: null },
  };
}

const jsonDeal = dealBody.extend({ dealId });

/** One deal of a JSON file, written as PUT takes it, its days as the file declares them. */
export function readJsonRow(row: number, value: unknown, reader: RowReader): ImportRow {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { row, reason: 'is not an object' };
  const named: Record<string, unknown> = { ...value };
  for (const name of ['closeDate', 'createdDate']) {
    const written = named[name];
    if (reader.dateFormat === 'ISO' || typeof written !== 'string') continue;
    const day = declaredDay(written.trim(), reader.dateFormat);
    if (day === null)
      return { row, reason: `${name}: ${shown(written)} is not a date in the format ${reader.dateFormat}` };
    named[name] = day;
  }
  const parsed = jsonDeal.safeParse(named);
  if (!parsed.success) return { row, reason: reasonOf(parsed.error) };
  const { dealId: id, ...body } = parsed.data;
  return rowOf(row, id, contentOf(body), body.sourceUpdatedAt, reader);
}

/** Columns that mean the deal itself and not one of its fields, in both spellings that files have. */
export const namedColumns: ReadonlyMap<string, string> = new Map([
  ['repId', 'repId'],
  ['rep_id', 'repId'],
  ['ownerEmail', 'ownerEmail'],
  ['owner_email', 'ownerEmail'],
  ['sourceUpdatedAt', 'sourceUpdatedAt'],
  ['source_updated_at', 'sourceUpdatedAt'],
]);
const csvNamed = dealBody.pick({ repId: true, ownerEmail: true, sourceUpdatedAt: true });

/** One line of a CSV file: its id, its fields, and what stands in the named columns. */
export function readCsvRow(
  row: number,
  id: string,
  fields: Fields,
  named: Readonly<Record<string, string>>,
  reader: RowReader,
): ImportRow {
  const parsedId = dealId.safeParse(id);
  if (!parsedId.success) return { row, reason: `id: ${parsedId.error.issues[0]?.message}` };
  const problem = problemOfFields(fields);
  if (problem !== null) return { row, reason: `${problem.slug}: ${problem.message}` };
  if (Object.keys(named).length === 0) return rowOf(row, parsedId.data, { fields, given: {} }, null, reader);
  const parsed = csvNamed.safeParse(named);
  if (!parsed.success) return { row, reason: reasonOf(parsed.error) };
  return rowOf(row, parsedId.data, { ...contentOf(parsed.data), fields }, parsed.data.sourceUpdatedAt, reader);
}

function reasonOf(error: z.ZodError): string {
  const [issue] = error.issues;
  const path = issue?.code === 'unrecognized_keys' ? [...issue.path, issue.keys[0] ?? ''] : (issue?.path ?? []);
  const message = issue?.code === 'unrecognized_keys' ? 'is not known here' : issue?.message;
  return `${path.map(String).join('.').slice(0, 200)}: ${message}`;
}
