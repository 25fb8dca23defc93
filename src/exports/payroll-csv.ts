import { createHash } from 'node:crypto';
import { stringify } from 'csv-stringify/sync';
import { disarmCells } from '../kernel/spreadsheet-formulas.js';
import { mapInSlices } from '../kernel/waiting.js';
import { type StatementLine } from '../statements/snapshot.js';

/**
 * `text` comes from users and is disarmed if a spreadsheet would run it as a formula. `own` is a number or a day
 * that the service formatted.
 */
export type Cell = { readonly text: string | null } | { readonly own: string | null };

/** Rows that are written in one piece, in a few milliseconds. */
const rowsPerPiece = 200;

/**
 * Writes a CSV file in UTF-8 without blocking the process. It starts with a byte order mark, so that spreadsheets
 * detect the encoding. Lines end with CRLF; cells are quoted where needed. Every row has a cell for each title.
 */
export async function csvFile(
  header: readonly string[],
  rows: readonly (readonly Cell[])[],
  delimiter: string,
): Promise<string> {
  const format = { delimiter, record_delimiter: '\r\n', quoted_match: /[\r\n]/ };
  const starts = Array.from({ length: Math.ceil(rows.length / rowsPerPiece) }, (_, piece) => piece * rowsPerPiece);
  const pieces = await mapInSlices(starts, (start) =>
    stringify(
      rows.slice(start, start + rowsPerPiece).map((row) => {
        if (row.length !== header.length)
          throw new Error(`a row of a file has ${row.length} cells, and the file has ${header.length} columns`);
        return row.map((cell) => cellText(cell, delimiter));
      }),
      format,
    ),
  );
  return [stringify([[...header]], { ...format, bom: true }), ...pieces].join('');
}

function cellText(cell: Cell, delimiter: string): string {
  return 'own' in cell ? (cell.own ?? '') : disarmCells(cell.text ?? '', delimiter);
}

/** The type of a line for payroll: the category of a commission event, otherwise the kind of adjustment. */
export function lineType({ kind, category, refundId }: Pick<StatementLine, 'kind' | 'category' | 'refundId'>): string {
  if (refundId !== undefined) return 'clawback';
  return kind === 'commission_earned' ? category : kind;
}

export function text(value: string | null): Cell {
  return { text: value };
}

export function trusted(value: string | number | null): Cell {
  return { own: value === null ? null : String(value) };
}

/** The SHA-256 by which a hand-over names its file, in lower-case hexadecimal. */
export function fileHash(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
