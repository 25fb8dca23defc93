import { stringify } from 'csv-stringify/sync';
import { currencyDigits } from '../kernel/currency.js';
import { Decimal } from '../kernel/decimal.js';
import { type StatementLine } from '../statements/snapshot.js';

/** A cell of text is never let through as a formula; a cell of ours is a number or a day that we wrote ourselves. */
export type Cell = { readonly text: string | null } | { readonly own: string | null };

/** UTF-8 with a byte order mark, so that spreadsheets read it as such; CRLF; quotes where needed. */
export function csvFile(header: readonly string[], rows: readonly (readonly Cell[])[], delimiter: string): string {
  const lines = rows.map((row) =>
    row.map((cell) => ('own' in cell ? (cell.own ?? '') : disarmFormula(cell.text ?? ''))),
  );
  return stringify([[...header], ...lines], { bom: true, delimiter, record_delimiter: '\r\n', quoted_match: /[\r\n]/ });
}

/** Spreadsheets run what looks like a formula, also behind white space; an apostrophe makes it text. */
export function disarmFormula(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: NUL, tab and CR are among what must be disarmed
  return /^\s*[=+\-@\t\r\u0000＝＋－＠]/.test(text) ? `'${text}` : text;
}

/** With the currency's decimals, a dot and no symbol: `-1234.50`; more decimals only where the amount has them. */
export function plainAmount(amount: string, currency: string): string {
  const [whole = '0', fraction = ''] = Decimal.of(amount).toString().split('.');
  const places = fraction.padEnd(currencyDigits(currency), '0');
  return places === '' ? whole : `${whole}.${places}`;
}

/** What payroll takes the line for: the category of what the engine earned, else what kind of adjustment it is. */
export function lineType({ kind, category }: Pick<StatementLine, 'kind' | 'category'>): string {
  return kind === 'commission_earned' ? category : kind;
}

export function text(value: string | null): Cell {
  return { text: value };
}

export function trusted(value: string | number | null): Cell {
  return { own: value === null ? null : String(value) };
}
