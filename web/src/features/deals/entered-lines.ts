import { type DealLine, type SentDealLine } from '../../api/credit-queries.js';
import { cellKey } from '../../components/grid-keys.js';
import { type EnteredCell, type GridColumn } from '../../components/placed-block.js';
import { isDay } from '../../shared/format/dates.js';
import { readNumber, readShare, writeNumber, writeShare } from '../../shared/format/entered-numbers.js';

/** A product of a deal as a grid has it, with texts by column. */
export interface EnteredLine {
  readonly lineId: string;
  readonly cells: Readonly<Record<string, string>>;
}

type Kind = 'text' | 'number' | 'share' | 'currency' | 'day';
type ColumnKey = Exclude<keyof DealLine, 'lineId' | 'fields'>;

/** The values of a product that the grid shows; it keeps the others. */
const kinds = {
  name: 'text',
  productCode: 'text',
  family: 'text',
  quantity: 'number',
  unitPrice: 'number',
  discount: 'share',
  amount: 'number',
  currency: 'currency',
  startDate: 'day',
  months: 'number',
  recurring: 'text',
} as const satisfies Partial<Readonly<Record<ColumnKey, Kind>>>;

type VisibleKey = keyof typeof kinds;

const labels: Readonly<Record<VisibleKey, string>> = {
  name: 'Product',
  productCode: 'Code',
  family: 'Family',
  quantity: 'Quantity',
  unitPrice: 'Unit price',
  discount: 'Discount',
  amount: 'Net amount',
  currency: 'Currency',
  startDate: 'First day',
  months: 'Months',
  recurring: 'Billing',
};

const visible = Object.keys(kinds) as readonly VisibleKey[];

export const lineColumns: readonly GridColumn[] = visible.map((key) => ({
  key,
  label: labels[key],
  isNumber: kinds[key] === 'number' || kinds[key] === 'share',
}));

export function toEnteredLine(line: DealLine): EnteredLine {
  return { lineId: line.lineId, cells: Object.fromEntries(visible.map((key) => [key, write(kinds[key], line[key])])) };
}

function write(kind: Kind, value: string | number | null | undefined): string {
  if (value == null) return '';
  if (typeof value === 'string') return value;
  return kind === 'share' ? writeShare(value) : writeNumber(value);
}

const problems: Readonly<Record<Exclude<Kind, 'text'>, string>> = {
  number: 'Not a number',
  share: 'Not a percentage',
  currency: 'Three letters, such as USD',
  day: 'A day such as 2026-01-31',
};

/** Null is no value, undefined a text that means none. */
function read(kind: Kind, text: string): string | number | null | undefined {
  const written = text.trim();
  if (written === '') return null;
  if (kind === 'text') return written;
  if (kind === 'number') return readNumber(written) ?? undefined;
  if (kind === 'share') return readShare(written) ?? undefined;
  if (kind === 'day') return isDay(written) ? written : undefined;
  return /^[A-Za-z]{3}$/.test(written) ? written.toUpperCase() : undefined;
}

export interface ReadLines {
  readonly lines: readonly SentDealLine[];
  /** What is wrong, by cell. */
  readonly problems: ReadonlyMap<string, string>;
}

/** The products as they are sent. What the grid does not show stays; a row without a text is none. */
export function readEnteredLines(entered: readonly EnteredLine[], stored: readonly DealLine[]): ReadLines {
  const found = new Map<string, string>();
  const lines = entered.filter(isFilled).map(({ lineId, cells }): SentDealLine => {
    const before = stored.find((line) => line.lineId === lineId) ?? {};
    const values = visible.map((key) => {
      const value = read(kinds[key], cells[key] ?? '');
      if (value === undefined) found.set(cellKey(lineId, key), problems[kinds[key] as keyof typeof problems]);
      if (key === 'amount' && value === null) found.set(cellKey(lineId, key), 'A net amount is required');
      return [key, value ?? undefined] as const;
    });
    const sent = Object.entries({ ...before, ...Object.fromEntries(values), lineId }).filter(
      ([, value]) => value !== undefined && value !== null,
    );
    return Object.fromEntries(sent) as unknown as SentDealLine;
  });
  return { lines, problems: found };
}

function isFilled({ cells }: EnteredLine): boolean {
  return Object.values(cells).some((text) => text.trim() !== '');
}

/** A row without texts, with a number that no other has as its id. */
export function newEnteredLine(others: readonly EnteredLine[]): EnteredLine {
  const numbers = others.map(({ lineId }) => (/^\d{1,9}$/.test(lineId) ? Number(lineId) : 0));
  return { lineId: String(Math.max(0, ...numbers) + 1), cells: {} };
}

/** The rows with other texts; cells below the last row make new ones. */
export function withCells(lines: readonly EnteredLine[], entered: readonly EnteredCell[]): readonly EnteredLine[] {
  const next = [...lines];
  for (const [row, column, text] of entered) {
    while (next.length <= row) next.push(newEnteredLine(next));
    const line = next[row] as EnteredLine;
    next[row] = { ...line, cells: { ...line.cells, [column]: text } };
  }
  return next;
}
