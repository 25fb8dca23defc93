import { Readable } from 'node:stream';
import { invalid } from '../kernel/failure.js';
import { assertWidth, readCsvRecords } from '../platform/files/csv-records.js';
import { type FileSample } from './file-result.js';
import { type ImportOptions } from './scheduled-import.js';

/** A file with the columns that the import receives. */
export interface ReadFile {
  readonly sample: FileSample;
  readonly csv: Buffer;
}

const delimiters = [',', ';', '\t', '|'] as const;
const sampleRows = 3;
const maxSampleCell = 200;

/** Reads the columns of the file that the options do not leave out, under the names that the options have for them. */
export async function readFile(content: Buffer, options: ImportOptions): Promise<ReadFile> {
  if (content.includes(0)) throw invalid({ path: '', message: 'is not UTF-8 text, or contains the character U+0000' });
  let names: readonly string[] | undefined;
  let columns: readonly { readonly index: number; readonly target: string }[] = [];
  const sample: string[][] = [];
  const lines: string[] = [];
  for await (const records of readCsvRecords(Readable.from([content]), findDelimiter(content)))
    for (const cells of records) {
      if (names === undefined) {
        names = cells.map((name) => name.trim());
        columns = importedColumns(names, options);
        lines.push(toCsvLine(columns.map(({ target }) => target)));
        continue;
      }
      if (sample.length < sampleRows) sample.push(cells.map((cell) => cell.slice(0, maxSampleCell).toWellFormed()));
      lines.push(
        toCsvLine(
          cells.length === names.length
            ? columns.map(({ index }) => cells[index] as string)
            : withOtherWidth(cells, columns.length),
        ),
      );
    }
  const count = lines.length - 1;
  if (count < 1) throw invalid({ path: '', message: 'the file has no rows below the names of the columns' });
  return { sample: { header: [...(names ?? [])], rows: sample, count }, csv: Buffer.from(lines.join('')) };
}

function importedColumns(names: readonly string[], options: ImportOptions) {
  assertWidth(names);
  return names.flatMap((name, index) => {
    const target = targetOf(name, options);
    return target === null ? [] : [{ index, target }];
  });
}

/** The name that a column of the file has for the import; null for one that is left out. */
export function targetOf(name: string, { columns }: ImportOptions): string | null {
  return columns !== undefined && Object.hasOwn(columns, name) ? (columns[name] ?? null) : name;
}

/**
 * The cells of a row whose width differs from that of the header. The import must reject the row, so they do not get the
 * width of the imported columns by chance.
 */
function withOtherWidth(cells: readonly string[], width: number): readonly string[] {
  return cells.length === width ? [...cells, ''] : cells;
}

/** The delimiter that the first line has most often, outside of quotes. */
function findDelimiter(content: Buffer): string {
  const [line = ''] = content
    .toString('utf8', 0, 64 * 1024)
    .replace(/"[^"]*"/g, '')
    .split(/\r?\n|\r/, 1);
  const counted = delimiters.map((delimiter) => ({ delimiter, count: line.split(delimiter).length }));
  return counted.reduce((best, next) => (next.count > best.count ? next : best)).delimiter;
}

export function toCsvLine(cells: readonly string[]): string {
  const quoted = cells.map((cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell));
  return `${quoted.join(',')}\n`;
}
