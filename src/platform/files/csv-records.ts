import { type Readable } from 'node:stream';
import { invalid } from '../../kernel/failure.js';
import { decodedText } from './decoded-text.js';

const maxRecordLength = 1024 * 1024;
/** The columns of the largest sheet of Excel, which writes empty ones behind those in use. */
const maxCells = 16_384;
const quote = '"';

/**
 * Splits CSV (RFC 4180) into records while it arrives. A line without quotes, as nearly all lines are, is found and
 * split by the string's own methods: 100,000 rows of ten columns take 0.09 s. csv-parse 7.0, which examines every
 * character, takes 0.42 s, a fifth of an import.
 */
export class CsvRecords {
  private text = '';
  private at = 0;
  private enough = 0;
  private isLast = false;
  private nextQuote = -1;
  private nextLineEnd = -1;
  private lineEnd: '\n' | '\r' | null = null;
  private seen = 0;
  private hasBegun = false;

  constructor(private delimiter: string) {}

  /**
   * Returns the records that have ended. Empty lines are skipped. An incomplete record is read again when its text has
   * doubled, so that the time does not depend on the size of the parts.
   */
  push(text: string): string[][] {
    this.text = this.hasBegun ? this.text + text : this.begin(text);
    if (this.text.length < this.enough && !this.isLast) return [];
    this.at = 0;
    this.nextQuote = -1;
    this.nextLineEnd = -1;
    const records: string[][] = [];
    for (let cells = this.next(); cells !== null; cells = this.next()) {
      records.push(cells);
      this.seen += 1;
    }
    this.text = this.text.slice(this.at);
    if (this.text.length > maxRecordLength) throw this.broken('it is larger than 1 MiB');
    this.enough = Math.min(2 * this.text.length, maxRecordLength + 1);
    return records;
  }

  /** Excel writes the delimiter into a separate line before the header. */
  private begin(text: string): string {
    this.hasBegun = text !== '';
    const [line, delimiter] = /^\uFEFF?sep=([,;\t|])\r?\n/i.exec(text) ?? [];
    if (line === undefined || delimiter === undefined) return text;
    this.delimiter = delimiter;
    return text.slice(line.length);
  }

  /** Returns the remaining records at the end of the text. The last line may have no line end. */
  end(): string[][] {
    this.isLast = true;
    return this.push('');
  }

  /** The next complete record; null if there is none yet. */
  private next(): string[] | null {
    for (;;) {
      const end = this.endOfLine(this.at);
      if (end === null) return null;
      const hasQuote = this.quoteFrom(this.at) < end;
      if (hasQuote) return this.quotedRecord();
      const line = this.line(this.at, end);
      this.at = end + 1;
      if (line !== '') return this.withinLimit(line.split(this.delimiter, maxCells + 1));
    }
  }

  /**
   * The end of the line that contains the position; null if it has not arrived yet. All lines end like the first
   * one.
   */
  private endOfLine(from: number): number | null {
    if (from >= this.text.length) return null;
    if (this.nextLineEnd < from) {
      this.lineEnd ??= this.firstLineEnd();
      const end = this.lineEnd === null ? -1 : this.text.indexOf(this.lineEnd, from);
      this.nextLineEnd = end === -1 ? Number.POSITIVE_INFINITY : end;
    }
    if (this.nextLineEnd < this.text.length) return this.nextLineEnd;
    return this.isLast ? this.text.length : null;
  }

  private firstLineEnd(): '\n' | '\r' | null {
    const at = this.text.search(/[\r\n]/);
    const hasArrived = at !== -1 && (this.isLast || at + 1 < this.text.length);
    if (!hasArrived) return null;
    return this.text[at] === '\r' && this.text[at + 1] !== '\n' ? '\r' : '\n';
  }

  private quoteFrom(from: number): number {
    if (this.nextQuote < from) {
      const at = this.text.indexOf(quote, from);
      this.nextQuote = at === -1 ? Number.POSITIVE_INFINITY : at;
    }
    return this.nextQuote;
  }

  private line(from: number, end: number): string {
    const hasReturn = this.lineEnd === '\n' && end > from && this.text[end - 1] === '\r';
    return this.text.slice(from, hasReturn ? end - 1 : end);
  }

  private quotedRecord(): string[] | null {
    const cells: string[] = [];
    for (let at = this.at; ; at += 1) {
      const end = this.text[at] === quote ? this.quotedCell(at, cells) : this.plainCell(at, cells);
      if (end === null) return null;
      // A record of 1 MiB has half a million cells, which take 150 ms.
      this.withinLimit(cells);
      at = end;
      if (this.text[at] === this.delimiter) continue;
      this.at = at + 1;
      return cells;
    }
  }

  /** Adds the cell and returns its end: at a delimiter, or at the end of the line or the text. */
  private plainCell(from: number, cells: string[]): number | null {
    const lineEnd = from === this.text.length && this.isLast ? from : this.endOfLine(from);
    if (lineEnd === null) return null;
    const line = this.line(from, lineEnd);
    const delimiter = line.indexOf(this.delimiter);
    const cell = delimiter === -1 ? line : line.slice(0, delimiter);
    if (cell.includes(quote)) throw this.broken('a cell that does not begin with a quote contains one');
    cells.push(cell);
    return delimiter === -1 ? lineEnd : from + delimiter;
  }

  private quotedCell(from: number, cells: string[]): number | null {
    let close = this.text.indexOf(quote, from + 1);
    while (close !== -1 && this.text[close + 1] === quote) close = this.text.indexOf(quote, close + 2);
    if (close === -1) {
      if (this.isLast) throw this.broken('a quote is not closed');
      return null;
    }
    const after = close + 1;
    if (after === this.text.length && !this.isLast) return null;
    cells.push(this.text.slice(from + 1, close).replaceAll('""', quote));
    if (after === this.text.length || this.text[after] === this.delimiter) return after;
    const lineEnd = this.endOfLine(after);
    if (lineEnd === null) return null;
    if (this.line(after, lineEnd) !== '') throw this.broken('a closing quote is not the end of its cell');
    return lineEnd;
  }

  private withinLimit(cells: string[]): string[] {
    if (cells.length > maxCells) throw this.broken(`it has more than ${maxCells} cells`);
    return cells;
  }

  private broken(problem: string) {
    const where = this.seen === 0 ? 'the header' : `row ${this.seen}`;
    return invalid({ path: '', message: `${where} is not valid CSV: ${problem}` });
  }
}

/** The records of a CSV file, including the header, in batches as it is read. */
export async function* readCsvRecords(source: Readable, delimiter: string): AsyncGenerator<string[][]> {
  const records = new CsvRecords(delimiter);
  for await (const text of decodedText(source as AsyncIterable<Buffer>)) yield records.push(text);
  yield records.end();
}

/** The id of a deal and 1,000 fields. */
const maxColumns = 1001;

/** Rejects a file with more columns than any import has. */
export function assertWidth(header: readonly string[]): void {
  if (widthOf(header) > maxColumns)
    throw invalid({ path: '', message: `the file has more than ${maxColumns} columns` });
}

export function isBlank(cells: readonly string[]): boolean {
  return cells.every((cell) => cell.trim() === '');
}

/** The columns up to the last one with a name: spreadsheets write empty ones behind it. */
export function widthOf(header: readonly string[]): number {
  return header.findLastIndex((cell) => cell.trim() !== '') + 1;
}

/** Why the cells do not fit the header; null if they do. */
export function findShapeProblem(cells: readonly string[], header: readonly string[], width: number): string | null {
  if (cells.length < width || !isBlank(cells.slice(Math.max(width, header.length))))
    return `has ${cells.length} columns where the header has ${width}`;
  return null;
}

/** The columns without a name. */
export function unnamedOf(header: readonly string[]): number[] {
  return header.flatMap((name, index) => (name.trim() === '' ? [index] : []));
}

/** Rejects a file with values in a column without a name. */
export function assertNamed(cells: readonly string[], unnamed: readonly number[]): void {
  const filled = unnamed.find((index) => (cells[index] ?? '').trim() !== '');
  if (filled !== undefined)
    throw invalid({
      path: '',
      message: `column ${filled + 1} of the header has no name; name it, or empty its cells`,
    });
}
