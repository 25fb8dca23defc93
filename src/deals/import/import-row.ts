import { type DealLine } from '../../engine/deal-line.js';
import { type Fields, type FieldValue, isAbsent, type StandardField } from '../../engine/field-value.js';
import { usualSlugs } from '../../engine/standard-slugs.js';
import { type DateFormat, readDateText } from '../../kernel/date-text.js';
import { type Day, isDay, readDay, toDay } from '../../kernel/day.js';
import { Failure, type Issue } from '../../kernel/failure.js';
import { readValue } from '../../kernel/invalid-values.js';
import { type NumberFormat, type WrittenNumber } from '../../kernel/number-text.js';
import { unreachable } from '../../kernel/unreachable.js';
import {
  type CellProblem,
  notADate,
  readAmountText,
  readCurrency,
  readNumberText,
} from '../../platform/files/cells.js';
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
import { sentDealLines, toDealLines } from '../deal-lines.js';
import { type IncomingDeal } from '../incoming-deal.js';
import { type ImportColumns } from './import-columns.js';

/** A deal in a row, with the content of the row. */
export interface ImportedDeal extends IncomingDeal {
  readonly sent: DealContent;
  /** How the file names the id of the rep. */
  readonly repIdName: string;
  /** All products of the deal; absent leaves them unchanged. */
  readonly dealLines?: readonly DealLine[];
}

/** A data row of the file, counted from 1: a deal, or the reason why it is rejected. */
export type ImportRow = { readonly row: number; readonly dealId?: string } & (
  | { readonly deal: ImportedDeal }
  | CellProblem
);

export function withDealId(row: ImportRow, dealId: string): ImportRow {
  return 'deal' in row ? { ...row, dealId, deal: { ...row.deal, dealId } } : row;
}

export interface RowReader {
  readonly terms: DealTerms;
  readonly columns: ImportColumns;
  readonly dateFormat: DateFormat;
  /** Null if the file neither states nor proves a format. */
  readonly numberFormat: NumberFormat | null;
  /** Of the workspace, which `$` means where it may. */
  readonly currency: string;
  /** How the file names a field or a named column, for messages. */
  readonly toSentName: (name: string) => string;
}

/** `ownNumber` and `ownDate`: a column that no plan reads, of which every value is a number or a date. */
export type CellKind = 'amount' | 'number' | 'closeDate' | 'createdDate' | 'ownNumber' | 'ownDate' | 'text';

export function findCellKind(slug: string, { amounts, numeric, closeDates, createdDates }: ImportColumns): CellKind {
  if (amounts.has(slug)) return 'amount';
  if (closeDates.has(slug)) return 'closeDate';
  if (createdDates.has(slug)) return 'createdDate';
  return numeric.has(slug) ? 'number' : 'text';
}

/** What a cell is read with. */
type CellTerms = Pick<RowReader, 'dateFormat' | 'numberFormat' | 'toSentName'> & {
  readonly terms: Pick<DealTerms, 'timeZone'>;
};

/** The text of a cell in its stored form, with the currency signs and codes beside it. */
type StoredCell = WrittenNumber;

/** The cell in its stored form, or the reason why it cannot be read. */
export function readCell(slug: string, text: string, kind: CellKind, reader: CellTerms): StoredCell | CellProblem {
  const { numberFormat, dateFormat } = reader;
  switch (kind) {
    case 'amount':
      return readAmountText(reader.toSentName(slug), text, numberFormat);
    case 'number':
    case 'ownNumber': {
      const read = readNumberText(reader.toSentName(slug), text, numberFormat);
      // A measure that is not a number is stored unchanged and ignored in calculations. An unreadable amount rejects
      // the row.
      const isIgnored = 'reason' in read && read.code === undefined && numberFormat === null;
      return isIgnored ? { value: text, units: [] } : read;
    }
    case 'closeDate':
    case 'createdDate':
      return dateCell(reader.toSentName(slug), text, reader);
    case 'ownDate':
      return { value: readDateText(text, dateFormat, reader.terms.timeZone) ?? text, units: [] };
    case 'text':
      return { value: dateFormat === 'ISO' ? text : (slashedDay(text.trim(), dateFormat) ?? text), units: [] };
    default:
      return unreachable(kind);
  }
}

function dateCell(name: string, text: string, reader: CellTerms): StoredCell | CellProblem {
  const trimmed = text.trim();
  const { timeZone } = reader.terms;
  const day = readDateText(trimmed, reader.dateFormat, timeZone);
  if (day === null) return notADate(name, text, reader.dateFormat);
  // A timestamp is stored unchanged: its day depends on the workspace's time zone.
  return { value: zoned.test(trimmed) && readDay(trimmed, timeZone) !== null ? trimmed : day, units: [] };
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
    return isAbsent(value)
      ? null
      : `${sentName(content, name, reader)}: ${String(value).slice(0, 60)} is not ${expected}`;
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

const jsonDeal = dealBody.extend({ dealId, lines: sentDealLines.optional() });

/** Reads the standard values that are sent by name as texts. Returns why one of them cannot be read. */
function readNamedTexts(named: Record<string, unknown>, reader: RowReader): CellProblem | null {
  for (const name of ['closeDate', 'createdDate'] as const) {
    const written = named[name];
    if (typeof written !== 'string') continue;
    const read = dateCell(name, written, reader);
    if ('reason' in read) return read;
    named[name] = read.value;
  }
  return typeof named['amount'] === 'string' && reader.numberFormat !== null
    ? readNamedAmount(named, named['amount'], reader)
    : null;
}

function readNamedAmount(named: Record<string, unknown>, text: string, reader: RowReader): CellProblem | null {
  const read = readAmountText('amount', text, reader.numberFormat);
  if ('reason' in read) return read;
  const stated = typeof named['currency'] === 'string' ? named['currency'] : undefined;
  const currency = readCurrency('amount', read.units, stated, reader.currency);
  if (typeof currency === 'object') return currency;
  Object.assign(named, { amount: read.value, ...(currency === undefined ? {} : { currency }) });
  return null;
}

/** One deal of a JSON file, in the format of PUT. Texts are read as in a CSV file. */
export function readJsonRow(row: number, value: unknown, reader: RowReader): ImportRow {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { row, reason: 'is not an object' };
  const named: Record<string, unknown> = { ...value };
  const unreadable = readNamedTexts(named, reader);
  if (unreadable !== null) return { row, ...unreadable };
  const parsed = readValue(jsonDeal, named);
  if ('issues' in parsed) return { row, reason: formatReason(parsed.issues, reader) };
  const { dealId: id, lines, ...body } = parsed.value;
  const content = toContent(body);
  const fields = readFields(content.fields, reader);
  if ('reason' in fields) return { row, dealId: id, ...(fields as CellProblem) };
  const read = toImportRow(row, id, { ...content, fields: fields.read }, body.sourceUpdatedAt, reader);
  return lines === undefined ? read : withLines(read, lines);
}

function withLines(row: ImportRow, lines: Parameters<typeof toDealLines>[0]): ImportRow {
  if (!('deal' in row)) return row;
  try {
    return { ...row, deal: { ...row.deal, dealLines: toDealLines(lines) } };
  } catch (error) {
    if (error instanceof Failure) return { row: row.row, dealId: row.deal.dealId, reason: error.message };
    throw error;
  }
}

function readFields(fields: Fields, reader: RowReader): CellProblem | { readonly read: Fields } {
  const read: Record<string, FieldValue> = {};
  const units = new RowUnits();
  for (const slug of Object.keys(fields)) {
    const value = fields[slug] as FieldValue;
    const kind = findCellKind(slug, reader.columns);
    const isNumber = kind === 'amount' || kind === 'number';
    if (typeof value !== 'string' || value === '' || (isNumber && reader.numberFormat === null)) {
      read[slug] = value;
      continue;
    }
    const cell = readCell(slug, value, kind, reader);
    if ('reason' in cell) return cell;
    read[slug] = cell.value;
    units.add(slug, kind, cell);
  }
  return units.storeCurrency(read, reader) ?? { read };
}

/** The currency signs and codes of one row. */
export class RowUnits {
  private amount: string | null = null;
  private readonly ofAmount: string[] = [];
  private readonly ofOthers: (readonly [slug: string, units: readonly string[]])[] = [];

  add(slug: string, kind: CellKind, { units }: StoredCell): void {
    if (units.length === 0) return;
    if (kind !== 'amount') this.ofOthers.push([slug, units]);
    else {
      this.amount = slug;
      this.ofAmount.push(...units);
    }
  }

  /** Stores the currency that the amount states. Returns why the units contradict each other or the currency. */
  storeCurrency(
    fields: Record<string, FieldValue>,
    { terms, currency: own, toSentName }: RowReader,
  ): CellProblem | null {
    if (this.amount === null && this.ofOthers.length === 0) return null;
    const slug = standardSlug(fields, 'currency', terms) ?? usualSlugs.currency[0];
    const value = slug === undefined ? undefined : fields[slug];
    const stated = typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
    const found = readCurrency(toSentName(this.amount ?? ''), this.ofAmount, stated, own);
    if (typeof found === 'object') return found;
    if (found !== undefined && found !== stated && slug !== undefined) fields[slug] = found;
    for (const [other, units] of this.ofOthers) {
      const read = readCurrency(toSentName(other), units, found ?? own, own);
      if (typeof read === 'object') return read;
    }
    return null;
  }
}

const csvNamed = dealBody.pick({ repId: true, ownerEmail: true, sourceUpdatedAt: true });

/** One line of a CSV file: its id, its fields in their stored form, and the values of the named columns. */
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
