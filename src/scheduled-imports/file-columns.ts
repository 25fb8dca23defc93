import { Readable } from 'node:stream';
import { invalid } from '../kernel/failure.js';
import { mapInSlices } from '../kernel/waiting.js';
import { readCsvRecords } from '../platform/files/csv-table.js';
import { type FileSample } from './file-result.js';
import { type ImportOptions, type ImportSubject, withheldColumns } from './scheduled-import.js';

/** A file with the columns that the import receives. */
export interface ReadFile {
  readonly sample: FileSample;
  readonly csv: Buffer;
}

const delimiters = [',', ';', '\t', '|'] as const;
const sampleRows = 3;
const maxSampleCell = 200;

/** Reads the file, gives its columns the names of the options, and leaves out those that are not imported. */
export async function readFile(content: Buffer, subject: ImportSubject, options: ImportOptions): Promise<ReadFile> {
  const [header = [], ...rows] = await readCsvRecords(Readable.from([content]), findDelimiter(content));
  const names = header.map((name) => name.trim());
  if (rows.length === 0) throw invalid({ path: '', message: 'the file has no rows below the names of the columns' });
  const columns = names.flatMap((name, index) => {
    const renamed = options.columns?.[name];
    const target = renamed === undefined ? name : renamed;
    return target === null || isWithheld(subject, target) ? [] : [{ index, target }];
  });
  const lines = await mapInSlices(rows, (cells) =>
    toCsvLine(
      cells.length === names.length
        ? columns.map(({ index }) => cells[index] as string)
        : withOtherWidth(cells, columns.length),
    ),
  );
  return {
    sample: {
      header: names,
      rows: rows.slice(0, sampleRows).map((cells) => cells.map((cell) => cell.slice(0, maxSampleCell))),
      count: rows.length,
    },
    csv: Buffer.from([toCsvLine(columns.map(({ target }) => target)), ...lines].join('')),
  };
}

/** The import rejects a row with more or fewer cells than its header has; leaving columns out must not hide that. */
function withOtherWidth(cells: readonly string[], width: number): readonly string[] {
  return cells.length === width ? [...cells, ''] : cells;
}

function isWithheld(subject: ImportSubject, target: string): boolean {
  return subject === 'people' && withheldColumns.includes(target.toLowerCase().replace(/[^a-z]/g, ''));
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
