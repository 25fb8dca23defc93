import { type Fields, type FieldValue, isAbsent, type StandardField } from '../../engine/field-value.js';
import { type DateFormat, readDateText } from '../../kernel/date-text.js';
import { type Day, isDay, readDay, toDay } from '../../kernel/day.js';
import { type Issue } from '../../kernel/failure.js';
import { readValue } from '../../kernel/invalid-values.js';
import { type NumberFormat, readNumber } from '../../kernel/number-text.js';
import { unreachable } from '../../kernel/unreachable.js';
import {
  checkFields,
  type DealContent,
  type DealTerms,
  dealBody,
  dealId,
  givenNames,
  type Projection,
  readContent,
  standardSlug,
  standardValue,
  toContent,
} from '../deal.js';
import { type IncomingDeal } from '../incoming-deal.js';
import { type ImportColumns } from './import-columns.js';

/** A deal in a row, with the content of the row. */
export interface ImportedDeal extends IncomingDeal {
  readonly sent: DealContent;
  /** How the file names the id of the rep. */
  readonly repIdName: string;
}

export interface RowProblem {
  readonly reason: string;
  readonly code?: 'ambiguous_number';
}

/** A data row of the file, counted from 1: a deal, or the reason why it is rejected. */
export type ImportRow = { readonly row: number; readonly dealId?: string } & (
  | { readonly deal: ImportedDeal }
  | RowProblem
);

export interface RowReader {
  readonly terms: DealTerms;
  readonly columns: ImportColumns;
  readonly dateFormat: DateFormat;
  /** Null if the file neither states nor proves a format. */
  readonly numberFormat: NumberFormat | null;
  /** How the file names a field or a named column, for messages. */
  readonly toSentName: (name: string) => string;
}

export type CellKind = 'amount' | 'number' | 'closeDate' | 'createdDate' | 'text';

export function findCellKind(slug: string, { amounts, numeric, closeDates, createdDates }: ImportColumns): CellKind {
  if (amounts.has(slug)) return 'amount';
  if (closeDates.has(slug)) return 'closeDate';
  if (createdDates.has(slug)) return 'createdDate';
  return numeric.has(slug) ? 'number' : 'text';
}

/** The cell's text in its stored form, or the reason why it cannot be read. */
export function readCell(slug: string, text: string, kind: CellKind, reader: RowReader): string | RowProblem {
  switch (kind) {
    case 'amount':
    case 'number':
      return numberCell(reader.toSentName(slug), text, kind, reader.numberFormat);
    case 'closeDate':
    case 'createdDate':
      return dateCell(reader.toSentName(slug), text, reader);
    case 'text':
      return reader.dateFormat === 'ISO' ? text : (slashedDay(text.trim(), reader.dateFormat) ?? text);
    default:
      return unreachable(kind);
  }
}

function numberCell(
  name: string,
  text: string,
  kind: 'amount' | 'number',
  format: NumberFormat | null,
): string | RowProblem {
  const read = readNumber(text, format);
  if (read === 'ambiguous')
    return {
      code: 'ambiguous_number',
      reason: `${name}: ${shown(text)} can be read with a thousands separator and with a decimal separator; give numberFormat=en (1,234.50) or numberFormat=eu (1.234,50)`,
    };
  if (read !== null) return read;
  // A measure that is not a number is stored unchanged and ignored in calculations. An unreadable amount rejects the
  // row.
  if (kind === 'number' && format === null) return text;
  const expected = format === null ? 'a number' : `a number in the format ${format}`;
  return { reason: `${name}: ${shown(text)} is not ${expected}` };
}

function dateCell(name: string, text: string, reader: RowReader): string | RowProblem {
  const trimmed = text.trim();
  const { timeZone } = reader.terms;
  const day = readDateText(trimmed, reader.dateFormat, timeZone);
  if (day === null) return { reason: `${name}: ${shown(text)} is not a date in the format ${reader.dateFormat}` };
  // A timestamp is stored unchanged: its day depends on the workspace's time zone.
  return zoned.test(trimmed) && readDay(trimmed, timeZone) !== null ? trimmed : day;
}

const zoned = /\d(?:Z|[+-]\d{2}:?\d{2})$/;
const slashed = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/;

/** In a column that may hold other text, only a full date with slashes is a date. */
function slashedDay(value: string, dateFormat: DateFormat): Day | null {
  const match = slashed.exec(value);
  if (match === null) return null;
  const [first, second, year] = [Number(match[1]), Number(match[2]), Number(match[3])];
  const day = dateFormat === 'MDY' ? toDay(year, first, second) : toDay(year, second, first);
  return isDay(day) ? day : null;
}

/**
 * Standard values that commission depends on must be readable; otherwise the deal would earn nothing without notice.
 */
function checkStandardValues(content: DealContent, read: Projection, reader: RowReader): string | null {
  const problem = (name: StandardField, expected: string): string | null => {
    const value = standardValue(content, name, reader.terms);
    return isAbsent(value) ? null : `${sentName(content, name, reader)}: ${shown(value)} is not ${expected}`;
  };
  for (const name of ['closeDate', 'createdDate'] as const) {
    const found = read[name] === null ? problem(name, `a date in the format ${reader.dateFormat}`) : null;
    if (found !== null) return found;
  }
  return read.amount === null ? problem('dealAmount', 'a number') : null;
}

/** How the file names the standard value. */
function sentName({ fields, given }: DealContent, name: StandardField, reader: RowReader): string {
  const named = givenNames[name];
  const slug = given[named] === undefined ? standardSlug(fields, name, reader.terms) : undefined;
  return slug === undefined ? named : reader.toSentName(slug);
}

function shown(value: unknown): string {
  return JSON.stringify(value).slice(0, 60);
}

function toImportRow(
  row: number,
  dealId: string,
  sent: DealContent,
  sourceUpdatedAt: string | null | undefined,
  reader: RowReader,
): ImportRow {
  const read = readContent(sent, reader.terms);
  const reason = checkStandardValues(sent, read.projection, reader);
  if (reason !== null) return { row, dealId, reason };
  return {
    row,
    dealId,
    deal: {
      dealId,
      ...read,
      sent,
      repIdName: reader.toSentName('repId'),
      sourceUpdatedAt: sourceUpdatedAt ? new Date(sourceUpdatedAt) : null,
      provider: null,
    },
  };
}

const jsonDeal = dealBody.extend({ dealId });

/** One deal of a JSON file, in the format of PUT. Texts are read as in a CSV file. */
export function readJsonRow(row: number, value: unknown, reader: RowReader): ImportRow {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { row, reason: 'is not an object' };
  const named: Record<string, unknown> = { ...value };
  for (const name of ['closeDate', 'createdDate'] as const) {
    const written = named[name];
    if (typeof written !== 'string') continue;
    const read = dateCell(name, written, reader);
    if (typeof read !== 'string') return { row, ...read };
    named[name] = read;
  }
  if (typeof named['amount'] === 'string' && reader.numberFormat !== null) {
    const read = numberCell('amount', named['amount'], 'amount', reader.numberFormat);
    if (typeof read !== 'string') return { row, ...read };
    named['amount'] = read;
  }
  const parsed = readValue(jsonDeal, named);
  if ('issues' in parsed) return { row, reason: formatReason(parsed.issues, reader) };
  const { dealId: id, ...body } = parsed.value;
  const content = toContent(body);
  const fields = readFields(content.fields, reader);
  return 'reason' in fields
    ? { row, dealId: id, ...(fields as RowProblem) }
    : toImportRow(row, id, { ...content, fields: fields.read }, body.sourceUpdatedAt, reader);
}

function readFields(fields: Fields, reader: RowReader): RowProblem | { readonly read: Fields } {
  const read: Record<string, FieldValue> = {};
  for (const slug of Object.keys(fields)) {
    const value = fields[slug] as FieldValue;
    const kind = findCellKind(slug, reader.columns);
    const isNumber = kind === 'amount' || kind === 'number';
    if (typeof value !== 'string' || value === '' || (isNumber && reader.numberFormat === null)) {
      read[slug] = value;
      continue;
    }
    const cell = readCell(slug, value, kind, reader);
    if (typeof cell !== 'string') return cell;
    read[slug] = cell;
  }
  return { read };
}

const csvNamed = dealBody.pick({ repId: true, ownerEmail: true, sourceUpdatedAt: true });

/** One line of a CSV file: its id, its fields as {@link readCell} returns them, and the values of the named columns. */
export function readCsvRow(
  row: number,
  id: { readonly title: string; readonly text: string },
  fields: Fields,
  named: Readonly<Record<string, string>>,
  reader: RowReader,
): ImportRow {
  const parsedId = readValue(dealId, id.text);
  if ('issues' in parsedId) return { row, reason: `${id.title}: ${parsedId.issues[0].message}` };
  const problem = checkFields(fields);
  if (problem !== null) {
    const name = problem.slug === '' ? '' : `${reader.toSentName(problem.slug)}: `;
    return { row, dealId: parsedId.value, reason: `${name}${problem.message}` };
  }
  if (Object.keys(named).length === 0) return toImportRow(row, parsedId.value, { fields, given: {} }, null, reader);
  const parsed = readValue(csvNamed, named);
  if ('issues' in parsed) return { row, dealId: parsedId.value, reason: formatReason(parsed.issues, reader) };
  return toImportRow(row, parsedId.value, { ...toContent(parsed.value), fields }, parsed.value.sourceUpdatedAt, reader);
}

function formatReason([{ path, message }]: readonly [Issue, ...Issue[]], { toSentName }: RowReader): string {
  return `${toSentName(path).slice(0, 200)}: ${message}`;
}
