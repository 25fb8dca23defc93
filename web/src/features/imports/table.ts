import { csvRows } from '../../shared/format/csv.js';

/** A file or pasted cells: the first row has the names of the columns. */
export interface SourceTable {
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly delimiter: Delimiter;
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

/** Rows without a value are left out, also before the header. */
export function readTable(text: string): SourceTable {
  const delimiter = detectDelimiter(text);
  const [header = [], ...rows] = csvRows(text, delimiter).filter((row) => row.some((cell) => cell.trim() !== ''));
  return { header: header.map((cell) => cell.trim()), rows, delimiter };
}

/** The text of a file: UTF-8, or the encoding in which Excel saves CSV files. */
export async function readText(file: Blob): Promise<string> {
  const bytes = await file.arrayBuffer();
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
