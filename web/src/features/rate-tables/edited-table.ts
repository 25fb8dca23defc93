import { ApiError, addDays } from '#src/client.js';
import type { RateKind, RateTableKey, RateTableRow } from '#src/engine/rate-table.js';
import { type MissingRow, type SentRateTable, type StoredRateTable } from '../../api/rate-table-queries.js';
import { cellKey, type Edits } from '../../components/grid-keys.js';
import { anyValue, cellOfValue, type Read, readCell, readValue, writeCell, writeValue } from './cells.js';

/** A key or a column as it is edited. The id is its stored name, so that it may be renamed. */
type Named<Of> = Of & { readonly id: string };
export type HeadKey = Named<RateTableKey>;
export type HeadColumn = Named<{ readonly name: string; readonly kind: RateKind }>;

/** What the rows of a table have. */
export interface Head {
  readonly keys: readonly HeadKey[];
  readonly columns: readonly HeadColumn[];
  readonly noMatch: 'exception' | 'zero';
  /** That of the amounts; empty for none. */
  readonly currency: string;
}

/** What differs from the stored table. */
export interface TableEdits {
  readonly head: Head;
  /** Texts by row and column. */
  readonly cells: Edits;
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** First days of rates that are to be different from then on. */
  readonly days: readonly string[];
}

/** Days on which the same rows are in force; null is open. */
export interface Span {
  readonly from: string | null;
  readonly to: string | null;
}

/** A row on the days of a span. */
export interface Piece {
  readonly key: string;
  /** Null for one that is new. */
  readonly stored: RateTableRow | null;
}

type Rows = readonly RateTableRow[];

/** The table of a new page: rates by product family. */
const newHead: Head = {
  keys: [{ id: 'family', name: 'family', field: 'line.family', match: 'exact' }],
  columns: [{ id: 'rate', name: 'rate', kind: 'rate' }],
  noMatch: 'exception',
  currency: '',
};

export function noTableEdits(table: StoredRateTable | null): TableEdits {
  if (table === null) return { head: newHead, cells: {}, added: [newRow(null, 1)], removed: [], days: [] };
  const { keys, columns, noMatch = 'exception', currency } = table;
  const named = <Of extends { readonly name: string }>(one: Of) => ({ ...one, id: one.name });
  const head: Head = {
    keys: keys.map(named),
    columns: columns.map(({ kind = 'rate', ...column }) => named({ ...column, kind })),
    noMatch,
    currency: currency ?? '',
  };
  return { head, cells: {}, added: [], removed: [], days: [] };
}

const separator = '@';

function pieceKey(row: string, from: string | null): string {
  return `${row}${separator}${from ?? ''}`;
}

function rowOfPiece(key: string): string {
  return key.slice(0, key.indexOf(separator));
}

/** The key of a new row on the days of a span. */
export function newRow(from: string | null, number: number): string {
  return pieceKey(`n${number}`, from);
}

/** A number that no new row has. */
export function nextRow({ added }: TableEdits): number {
  return Math.max(0, ...added.map((key) => Number(rowOfPiece(key).slice(1)))) + 1;
}

/** The days on which rows begin or end divide the table; without rows it has all days. */
export function listSpans(rows: Rows, { days }: Pick<TableEdits, 'days'>): readonly Span[] {
  const starts = rows.flatMap(({ effectiveStart, effectiveEnd }) => [
    ...(effectiveStart == null ? [] : [effectiveStart]),
    ...(effectiveEnd == null ? [] : [addDays(effectiveEnd, 1)]),
  ]);
  const bounds = [null, ...[...new Set([...starts, ...days])].sort()];
  const spans = bounds.map((from, index): Span => {
    const next = bounds[index + 1];
    return { from, to: next == null ? null : addDays(next, -1) };
  });
  const used = spans.filter((span) => days.includes(span.from ?? '') || rows.some((row) => isIn(row, span)));
  return used.length === 0 ? [{ from: null, to: null }] : used;
}

/** Spans end where rows begin and end, so a row holds on all of their days or on none. */
function isIn({ effectiveStart, effectiveEnd }: RateTableRow, { from, to }: Span): boolean {
  const begins = effectiveStart == null || (from !== null && effectiveStart <= from);
  const ends = effectiveEnd == null || (to !== null && to <= effectiveEnd);
  return begins && ends;
}

/** The rows of a span, the new ones last. */
export function listPieces(rows: Rows, edits: TableEdits, span: Span): readonly Piece[] {
  const stored = rows.flatMap((row, index) =>
    isIn(row, span) ? [{ key: pieceKey(`r${index}`, span.from), stored: row }] : [],
  );
  const added = edits.added
    .filter((key) => key === pieceKey(rowOfPiece(key), span.from))
    .map((key) => ({ key, stored: null }));
  const removed = new Set(edits.removed);
  return [...stored, ...added].filter(({ key }) => !removed.has(key));
}

/** A column of the grid. */
export interface Part {
  readonly key: string;
  readonly label: string;
  readonly isNumber: boolean;
  readonly storedIn: (row: RateTableRow) => string;
  readonly read: (text: string) => Read<unknown>;
}

const keyPart = (id: string) => `key ${id}`;
const valuePart = (id: string) => `value ${id}`;

export function listParts({ keys, columns }: Head): readonly Part[] {
  return [
    ...keys.map(
      ({ id, name, match }): Part => ({
        key: keyPart(id),
        label: name,
        isNumber: match === 'range',
        storedIn: ({ keys: cells }) => writeCell(cells[id] ?? anyValue),
        read: (text) => readCell(text, match),
      }),
    ),
    ...columns.map(
      ({ id, name, kind }): Part => ({
        key: valuePart(id),
        label: name,
        isNumber: true,
        storedIn: ({ values }) => (values[id] === undefined ? '' : writeValue(values[id], kind)),
        read: (text) => readValue(text, kind),
      }),
    ),
  ];
}

export function textOf({ key, stored }: Piece, part: Part, { cells }: TableEdits): string {
  return cells[cellKey(key, part.key)] ?? (stored === null ? '' : part.storedIn(stored));
}

export function isEdited({ key, stored }: Piece, part: Part, { cells }: TableEdits): boolean {
  const text = cells[cellKey(key, part.key)];
  return text !== undefined && text !== (stored === null ? '' : part.storedIn(stored));
}

/** Different rates from the day on: the rows of the day before, with what was entered for them, begin again. */
export function withDay(rows: Rows, edits: TableEdits, day: string): TableEdits {
  const spans = listSpans(rows, edits);
  const before = spans.find(({ from, to }) => (from === null || from < day) && (to === null || day <= to));
  if (before === undefined || spans.some(({ from }) => from === day)) return edits;
  const suffix = pieceKey('', before.from);
  const moved = (key: string) => pieceKey(rowOfPiece(key), day);
  const again = (keys: readonly string[]) => [
    ...keys,
    ...keys.filter((key) => key === `${rowOfPiece(key)}${suffix}`).map(moved),
  ];
  const copied = Object.entries(edits.cells).flatMap(([key, text]) => {
    const end = key.indexOf(' ');
    const piece = key.slice(0, end);
    return piece === `${rowOfPiece(piece)}${suffix}` ? [[`${moved(piece)}${key.slice(end)}`, text] as const] : [];
  });
  return {
    ...edits,
    days: [...edits.days, day],
    cells: { ...edits.cells, ...Object.fromEntries(copied) },
    added: again(edits.added),
    removed: again(edits.removed),
  };
}

/** A new row with the keys that no row has, on the days of the tab with the day, and the cell of its first value. */
export function withMissingRow(
  rows: Rows,
  edits: TableEdits,
  { keys, lastDay: day }: Pick<MissingRow, 'keys' | 'lastDay'>,
): { readonly edits: TableEdits; readonly from: string | null; readonly firstValue: string } {
  const isOn = ({ from, to }: Span) => (from === null || from <= day) && (to === null || day <= to);
  const span = listSpans(rows, edits).find(isOn);
  const from = span === undefined ? day : span.from;
  const row = newRow(from, nextRow(edits));
  const cells = edits.head.keys.map(
    ({ id, match }) => [cellKey(row, keyPart(id)), cellOfValue(keys[id], match)] as const,
  );
  return {
    edits: {
      ...edits,
      days: span === undefined ? [...edits.days, day] : edits.days,
      cells: { ...edits.cells, ...Object.fromEntries(cells) },
      added: [...edits.added, row],
    },
    from,
    firstValue: cellKey(row, valuePart(edits.head.columns[0]?.id ?? '')),
  };
}

/** The table as it would be saved. */
export interface BuiltTable {
  readonly body: SentRateTable;
  /** The pieces of each row of the body. */
  readonly pieces: readonly (readonly string[])[];
  /** What is wrong, by cell. */
  readonly problems: ReadonlyMap<string, string>;
  /** Number of rows that differ from the stored ones. */
  readonly changed: number;
}

interface BuiltRow {
  readonly row: SentRateTable['rows'][number];
  readonly pieces: readonly string[];
}

/** Puts the table together: a row that is edited on some days only is divided, and equal rows of adjacent days are one. */
export function buildTable(table: StoredRateTable | null, edits: TableEdits): BuiltTable {
  const parts = listParts(edits.head);
  const problems = new Map<string, string>();
  const built = new Map<string, BuiltRow[]>();
  let changed = edits.removed.length;
  for (const span of listSpans(table?.rows ?? [], edits)) {
    const pieces = listPieces(table?.rows ?? [], edits, span).map((piece) => ({
      piece,
      isTouched: parts.some((part) => isEdited(piece, part, edits)),
    }));
    changed += pieces.filter(({ isTouched }) => isTouched).length;
    const seen = new Set<string>();
    for (const { piece, isTouched } of pieces) {
      // A new row without a text is none.
      if (piece.stored === null && !isTouched) continue;
      const content = readPiece(piece, parts, edits, problems);
      const identity = JSON.stringify(content.keys).toLowerCase();
      if (seen.has(identity)) problems.set(cellKey(piece.key, parts[0]?.key ?? ''), 'Another row has the same keys');
      seen.add(identity);
      addRow(built, piece.key, span, content);
    }
  }
  const all = [...built.values()].flat();
  const body = { ...sentHead(edits.head), rows: all.map(({ row }) => row), revision: table?.revision ?? 0 };
  return { body, pieces: all.map(({ pieces }) => pieces), problems, changed };
}

function sentHead({ keys, columns, noMatch, currency }: Head): Omit<SentRateTable, 'rows'> {
  return {
    keys: keys.map(({ id: _, ...key }) => key),
    columns: columns.map(({ id: _, ...column }) => column),
    noMatch,
    currency: currency === '' ? null : currency,
  };
}

type Content = Pick<SentRateTable['rows'][number], 'keys' | 'values'>;

function readPiece(piece: Piece, parts: readonly Part[], edits: TableEdits, problems: Map<string, string>): Content {
  const { keys, columns } = edits.head;
  const read = (key: string): unknown => {
    const part = parts.find((one) => one.key === key) as Part;
    const found = part.read(textOf(piece, part, edits));
    if ('value' in found) return found.value;
    problems.set(cellKey(piece.key, key), found.problem);
    return undefined;
  };
  const isStored = (key: string) => edits.cells[cellKey(piece.key, key)] === undefined;
  const cells = keys.map(({ id, name }) => {
    const stored = isStored(keyPart(id)) ? piece.stored?.keys[id] : undefined;
    return [name, stored ?? read(keyPart(id))] as const;
  });
  const values = columns.map(({ id, name }) => {
    const stored = isStored(valuePart(id)) ? piece.stored?.values[id] : undefined;
    return [name, stored ?? read(valuePart(id))] as const;
  });
  return { keys: Object.fromEntries(cells), values: Object.fromEntries(values) } as Content;
}

function addRow(built: Map<string, BuiltRow[]>, piece: string, { from, to }: Span, content: Content): void {
  const list = built.get(rowOfPiece(piece)) ?? [];
  built.set(rowOfPiece(piece), list);
  const last = list.at(-1);
  const end = last?.row.effectiveEnd;
  const { keys, values } = last?.row ?? {};
  const isSame = JSON.stringify([keys, values]) === JSON.stringify([content.keys, content.values]);
  if (last !== undefined && end != null && from !== null && addDays(end, 1) === from && isSame)
    list[list.length - 1] = { row: { ...last.row, effectiveEnd: to }, pieces: [...last.pieces, piece] };
  else list.push({ row: { ...content, effectiveStart: from, effectiveEnd: to }, pieces: [piece] });
}

interface PathIssue {
  readonly path: string;
  readonly message: string;
}

/** What the service rejects, by cell: a row as a whole at its first cell. */
export function rejectedCells(error: unknown, { pieces }: BuiltTable, head: Head): ReadonlyMap<string, string> {
  if (!(error instanceof ApiError)) return new Map();
  const { path, issues = [] } = (error.details ?? {}) as { path?: string; issues?: readonly PathIssue[] };
  const all = path === undefined ? issues : [{ path, message: error.message.slice(path.length + 1) }];
  const first = listParts(head)[0]?.key ?? '';
  return new Map(
    all.flatMap(({ path: at, message }) => {
      const [, row = '', part, name] = /^rows\.(\d+)(?:\.(keys|values)\.(.*))?$/.exec(at) ?? [];
      const named = ({ name: own }: { readonly name: string }) => own === name;
      const id = part === 'keys' ? head.keys.find(named)?.id : head.columns.find(named)?.id;
      const column = part === undefined || id === undefined ? first : part === 'keys' ? keyPart(id) : valuePart(id);
      return (pieces[Number(row)] ?? []).map((piece) => [cellKey(piece, column), plainOverlap(message)] as const);
    }),
  );
}

/** Rows have no numbers on the page. */
function plainOverlap(message: string): string {
  return message.replace(/^overlaps row \d+: both match (.*?)\.?$/, 'Overlaps another row: both match $1');
}
