import { type Readable } from 'node:stream';
import { type DateFormat, readDateText } from '../../kernel/date-text.js';
import { type Day, readDay } from '../../kernel/day.js';
import { detectNumberFormat, type NumberFormat, numberFormats, readWrittenNumber } from '../../kernel/number-text.js';
import { assertNamed, readCsvRecords, unnamedOf } from '../../platform/files/csv-records.js';
import { type Column, type ColumnWarning, type Header } from './csv-header.js';
import { type ImportColumns } from './import-columns.js';
import { type CellKind } from './import-row.js';

/** What the values of a column are read as. */
export interface ColumnContent {
  readonly column: string;
  readonly field: string;
  readonly kind: 'number' | 'date' | 'text';
  readonly values: number;
  /** The first time of a column of days, with the day that it is in the time zone of the workspace. */
  readonly example?: { readonly text: string; readonly day: Day };
}

interface FileContents {
  readonly header: Header;
  readonly numberFormat: NumberFormat | null;
  readonly columns: readonly ColumnContent[];
}

interface Requested {
  readonly delimiter: string;
  readonly dateFormat: DateFormat;
  readonly timeZone: string;
  readonly numberFormat: NumberFormat | undefined;
  /** Names of columns that stay texts. */
  readonly textColumns: readonly string[];
}

/** What the cells of one column have in common. */
export class ColumnScan {
  readonly proven = new Set<NumberFormat>();
  values = 0;
  private readonly fits = new Set<NumberFormat>(numberFormats);
  private isOpen = false;
  private isDated = true;
  private isMidnight = true;
  private firstTime: string | undefined;

  constructor(
    readonly column: Column,
    mayBe: { readonly number: boolean; readonly date: boolean },
    private readonly dateFormat: DateFormat,
    private readonly timeZone: string,
  ) {
    if (!mayBe.number) this.fits.clear();
    this.isDated = mayBe.date;
  }

  add(cell: string | undefined): void {
    if (cell === undefined || cell === '' || cell.trim() === '') return;
    this.values += 1;
    if (this.isDay) this.addTime(cell.trim());
    else if (this.column.kind === 'amount' || this.column.kind === 'number') this.prove(cell);
    else if (this.fits.size > 0 || this.isDated) this.compare(cell);
  }

  private get isDay(): boolean {
    return this.column.kind === 'closeDate' || this.column.kind === 'createdDate';
  }

  private addTime(text: string): void {
    if (!midnight.test(text)) this.isMidnight = false;
    if (this.firstTime === undefined && time.test(text)) this.firstTime = text;
  }

  get example(): ColumnContent['example'] {
    const day = this.firstTime === undefined ? null : readDay(this.firstTime, this.timeZone);
    return day === null ? undefined : { text: this.firstTime as string, day };
  }

  /** Whether the values are days, written as midnight UTC, which is the evening of the day before in the time zone. */
  get isDayBefore(): boolean {
    const { example } = this;
    return this.isMidnight && example !== undefined && example.day < example.text.slice(0, 10);
  }

  private prove(cell: string): void {
    const format = detectNumberFormat(cell);
    if (format !== null) this.proven.add(format);
  }

  private compare(cell: string): void {
    if (this.isDated) this.isDated = written.test(cell) && readDateText(cell, this.dateFormat, 'UTC') !== null;
    if (this.fits.size === 0) return;
    this.prove(cell);
    if (readWrittenNumber(cell, null) === 'ambiguous') this.isOpen = true;
    for (const format of this.fits) if (readWrittenNumber(cell, format) === null) this.fits.delete(format);
  }

  /** Whether every value is a number. */
  get isNumeric(): boolean {
    return this.values > 0 && this.fits.size > 0;
  }

  /** Whether the values are numbers that nothing in the file decides. */
  isAmbiguous(format: NumberFormat | null): boolean {
    return this.isNumeric && this.isOpen && format === null;
  }

  kindIn(format: NumberFormat | null): CellKind {
    if (this.column.kind !== 'text' || this.values === 0) return this.column.kind;
    if (this.isDated) return 'ownDate';
    const isRead = format === null ? this.isNumeric && !this.isOpen : this.fits.has(format);
    return isRead ? 'ownNumber' : 'text';
  }
}

const time = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}/;
const midnight = /^\d{4}-\d{2}-\d{2}[T ]00:00(?::00(?:\.0+)?)?(?:Z|[+-]00:?00)$/;
const written = /^\s*\d{1,2}[/.-]\d{1,2}[/.-]\d{2,4}\b/;

/**
 * Reads the whole file for what its columns are. The columns that are known to be numbers decide how numbers are
 * written, otherwise all columns of numbers; the format then holds for every column.
 */
export async function scanColumns(
  source: Readable,
  header: Header,
  known: ImportColumns,
  { delimiter, dateFormat, timeZone, numberFormat: requested, textColumns }: Requested,
): Promise<FileContents> {
  const stated = new Set(textColumns);
  const scans = header.fields.map((column) => {
    const isStated = stated.has(column.name) || stated.has(header.titles.get(column.name) ?? '');
    const number = column.kind === 'text' && !isStated && !known.texts.has(column.name);
    return new ColumnScan(column, { number, date: column.kind === 'text' && !isStated }, dateFormat, timeZone);
  });
  const unnamed = unnamedOf(header.cells);
  let isHeader = true;
  for await (const records of readCsvRecords(source, delimiter))
    for (const cells of records) {
      assertNamed(cells, unnamed);
      if (!isHeader) for (const scan of scans) scan.add(cells[scan.column.index]);
      isHeader = false;
    }
  const numberFormat = requested ?? provenBy(scans);
  const fields = scans.map((scan) => ({ ...scan.column, kind: scan.kindIn(numberFormat) }));
  const toTitle = (name: string) => header.titles.get(name) ?? name;
  const ambiguous = scans.filter((scan) => scan.isAmbiguous(numberFormat)).map(({ column }) => toTitle(column.name));
  return {
    header: {
      ...header,
      fields,
      warnings: [
        ...header.warnings,
        ...ambiguous.map(ambiguousColumn),
        ...scans
          .filter(({ isDayBefore }) => isDayBefore)
          .map((scan) => dayBefore(toTitle(scan.column.name), scan, timeZone)),
      ],
    },
    numberFormat,
    columns: fields
      .map(({ name, index, kind }, at) => ({
        index,
        column: toTitle(name),
        field: name,
        kind: contents[kind],
        values: scans[at]?.values ?? 0,
        ...(scans[at]?.example === undefined ? {} : { example: scans[at].example }),
      }))
      .sort((a, b) => a.index - b.index)
      .map(({ index: _, ...content }) => content),
  };
}

function provenBy(scans: readonly ColumnScan[]): NumberFormat | null {
  const known = scans.filter(({ column }) => column.kind !== 'text').flatMap(({ proven }) => [...proven]);
  const all =
    known.length > 0 ? known : scans.filter(({ isNumeric }) => isNumeric).flatMap(({ proven }) => [...proven]);
  const [only, another] = new Set(all);
  return only !== undefined && another === undefined ? only : null;
}

/** What the cells of a kind are read as. */
export const contents = {
  amount: 'number',
  number: 'number',
  ownNumber: 'number',
  closeDate: 'date',
  createdDate: 'date',
  ownDate: 'date',
  text: 'text',
} as const satisfies Record<CellKind, ColumnContent['kind']>;

function ambiguousColumn(column: string): ColumnWarning {
  return {
    code: 'ambiguous_column',
    column,
    message: `The numbers of ${column} can be read with a thousands separator and with a decimal separator, so they are stored as texts; give numberFormat=en (1,234.50) or numberFormat=eu (1.234,50).`,
  };
}

function dayBefore(column: string, { values, example }: ColumnScan, timeZone: string): ColumnWarning {
  return {
    code: 'midnight_utc',
    column,
    message: `All ${values} values of ${column} are midnight UTC, which is the day before in ${timeZone}: ${example?.text} is stored as ${example?.day}. If they are days, export them as days without a time.`,
  };
}
