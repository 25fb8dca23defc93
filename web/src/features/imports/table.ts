import { csvRows } from '../../shared/format/csv.js';

/** A file or pasted cells: the first row has the names of the columns. */
export interface SourceTable {
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly delimiter: Delimiter;
}

/** Why rows do not fit the header, by their number from 1: footers of reports have fewer cells, and are no rows. */
export function shortRows({ header, rows }: SourceTable): ReadonlyMap<number, string> {
  const short = rows.flatMap((row, index) =>
    row.length >= header.length
      ? []
      : [[index + 1, `has ${row.length} columns where the header has ${header.length}`] as const],
  );
  return new Map(short);
}

const delimiters = ['\t', ';', ',', '|'] as const;
type Delimiter = (typeof delimiters)[number];

export const delimiterNames: Readonly<Record<Delimiter, string>> = {
  '\t': 'tab',
  ';': 'semicolon',
  ',': 'comma',
  '|': 'vertical bar',
};

/** A quoted cell and what is before it. */
const quoted = /(^\uFEFF?|[\t;,|\r\n])"[^"]*(?:""[^"]*)*"/g;

/** The delimiter that the first line has most often. Cells of a spreadsheet are pasted with tabs. */
function detectDelimiter(text: string): Delimiter {
  const line = /[^\r\n]+/.exec(text.slice(0, 100_000).replace(quoted, '$1'))?.[0] ?? '';
  const counts = delimiters.map((delimiter) => [delimiter, line.split(delimiter).length] as const);
  const [best] = [...counts].sort((a, b) => b[1] - a[1]);
  return best?.[1] === 1 ? ',' : (best?.[0] ?? ',');
}

/** Excel writes the delimiter into a separate line before the header. */
const statedDelimiter = /^\uFEFF?sep=([,;\t|])\r?\n/i;

/** Rows without a value are left out, also before the header. */
export function readTable(content: string): SourceTable {
  const stated = statedDelimiter.exec(content)?.[1];
  const text = content.replace(statedDelimiter, '');
  const delimiter = delimiters.find((known) => known === stated) ?? detectDelimiter(text);
  const [header = [], ...rows] = csvRows(text, delimiter).filter((row) => row.some((cell) => cell.trim() !== ''));
  return { header: header.map((cell) => cell.trim()), rows, delimiter };
}

/** The text of a file: UTF-16 where its byte order mark says so, UTF-8, or the encoding in which Excel saves CSV files. */
export async function readText(file: Blob): Promise<string> {
  const bytes = await file.arrayBuffer();
  const [first, second] = new Uint8Array(bytes);
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

/** The cells as CSV. */
export function csvText(rows: readonly (readonly string[])[], delimiter: Delimiter = ','): string {
  const textOfCell = (cell: string) =>
    cell.includes(delimiter) || /["\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
  return rows.map((row) => `${row.map(textOfCell).join(delimiter)}\n`).join('');
}

/** The mark without which Excel reads a CSV file in the encoding of the computer. */
export const byteOrderMark = '\uFEFF';
