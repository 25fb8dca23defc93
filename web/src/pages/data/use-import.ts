import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { exceptPreviews } from '../../api/change.js';
import { usePersistedState } from '../../app/persisted-state.js';
import { type DateFormat, readDates } from '../../features/imports/dates.js';
import {
  type ImportContext,
  type ImportKind,
  type ImportOption,
  type ImportOutcome,
  keepColumn,
  type Matched,
  newNameOf,
  type Options,
  type Prepared,
  periodPrefix,
  type SendOptions,
} from '../../features/imports/kind.js';
import {
  type NumberFormat,
  numericCells,
  type ReadNumberFormat,
  readNumberFormat,
} from '../../features/imports/number-format.js';
import { describeReason } from '../../features/imports/results.js';
import { matchColumns } from '../../features/imports/suggest.js';
import { csvText, readTable, type SourceTable, shortRows } from '../../features/imports/table.js';
import { readSavedColumns, saveColumns } from './saved-columns.js';

/** The file and what the person decided about it. */
interface ImportState {
  readonly name: string;
  readonly text: string;
  readonly columns: readonly string[];
  /** Columns whose target is a guess. */
  readonly guesses: readonly number[];
  readonly options: Options;
  /** Null for the format that the values show. */
  readonly dateFormat: DateFormat | null;
  /** Null for the format that the values show. */
  readonly numberFormat: NumberFormat | null;
  /** Cells that the person corrected, by row and column. */
  readonly corrections: Readonly<Record<string, string>>;
  /** Only these rows, after the others were imported. */
  readonly onlyRows: readonly number[] | null;
}

const noImport: ImportState = {
  name: '',
  text: '',
  columns: [],
  guesses: [],
  options: {},
  dateFormat: null,
  numberFormat: null,
  corrections: {},
  onlyRows: null,
};

export function correctionKey(row: number, column: number): string {
  return `${row}:${column}`;
}

/** The cells of the file with the corrections. Rows that are not imported again are left out. */
function correctedTable(table: SourceTable, { corrections, onlyRows }: ImportState): SourceTable {
  if (Object.keys(corrections).length === 0 && onlyRows === null) return table;
  const only = onlyRows === null ? null : new Set(onlyRows);
  const rows = table.rows.map((row, index) =>
    row.map((cell, column) => corrections[correctionKey(index + 1, column)] ?? cell),
  );
  return { ...table, rows: only === null ? rows : rows.filter((_, index) => only.has(index + 1)) };
}

/** Everything that the pages of one import display. */
export interface Import {
  readonly kind: ImportKind;
  readonly context: ImportContext;
  readonly state: ImportState;
  /** The file as it is, for the values of rejected rows. */
  readonly file: SourceTable;
  readonly table: SourceTable;
  /** Why rows of the file are none of the import. */
  readonly shortRows: ReadonlyMap<number, string>;
  readonly optionList: readonly ImportOption[];
  readonly options: Options;
  readonly prepared: Prepared;
  readonly csv: string;
  readonly dateFormat: DateFormat;
  /** Whether the dates allow two readings and the person has chosen none. */
  readonly isDateOpen: boolean;
  /** How the numbers of the file are written. */
  readonly numbers: ReadNumberFormat;
  change(change: Partial<ImportState>): void;
  openText(text: string, name: string): void;
  restart(): void;
}

export function useImport(kind: ImportKind, context: ImportContext): Import {
  const [state, setState, clear] = usePersistedState<ImportState>(`import:${kind.key}`, noImport);
  const file = useMemo(() => readTable(state.text), [state.text]);
  const table = useMemo(() => correctedTable(file, state), [file, state]);
  const short = useMemo(() => shortRows(file), [file]);
  const dates = useMemo(() => readDates(valuesOf('date', kind, state.columns, table)), [kind, state.columns, table]);
  const numbers = useMemo(
    () =>
      readNumberFormat(
        valuesOf('number', kind, state.columns, table),
        undefined,
        numbersOfFields(state.columns, table),
      ),
    [kind, state.columns, table],
  );
  const optionList = kind.options({ table, columns: state.columns, context });
  const options = Object.fromEntries(optionList.map(({ key, initial }) => [key, state.options[key] ?? initial]));
  const optionKey = JSON.stringify(options);
  const { prepared, csv } = useMemo(() => {
    const matched: Matched = { table, columns: state.columns, options: JSON.parse(optionKey), context };
    const prepared = kind.prepare(matched);
    const sources = state.onlyRows;
    const numbered =
      sources === null ? prepared.rows : prepared.rows.map((row) => ({ ...row, source: sources[row.source - 1] ?? 0 }));
    const rows = numbered.filter(({ source }) => !short.has(source));
    return { prepared: { ...prepared, rows }, csv: csvText([prepared.header, ...rows.map(({ cells }) => cells)]) };
  }, [kind, table, short, state.columns, state.onlyRows, optionKey, context]);
  return {
    kind,
    context,
    state,
    file,
    table,
    shortRows: short,
    optionList,
    options,
    prepared,
    csv,
    dateFormat: state.dateFormat ?? dates.format ?? 'ISO',
    isDateOpen: state.dateFormat === null && dates.format === null,
    numbers,
    change: (change) => setState((before) => ({ ...before, ...change })),
    openText: (text, name) => setState({ ...noImport, ...firstMatch(kind, text, context), text, name }),
    restart: clear,
  };
}

/** The cells of the columns that are imported as dates or as numbers. */
function valuesOf(what: 'date' | 'number', kind: ImportKind, columns: readonly string[], table: SourceTable): string[] {
  const wanted = new Set(kind.targets.flatMap(({ key, values }) => (values === what ? [key] : [])));
  const isWanted = (key: string) => wanted.has(key) || (what === 'number' && key.startsWith(periodPrefix));
  const places = columns.flatMap((key, index) => (isWanted(key) ? [index] : []));
  return table.rows.flatMap((row) => places.map((place) => row[place] ?? ''));
}

/** The numbers of columns that are stored under their own names. */
function numbersOfFields(columns: readonly string[], { rows }: SourceTable): string[] {
  const cells = columns.flatMap((key, index) =>
    key === keepColumn || newNameOf(key) !== null ? [rows.map((row) => row[index] ?? '')] : [],
  );
  return numericCells(cells);
}

/** The matching of earlier files, and suggestions for columns that they did not have. */
function firstMatch(kind: ImportKind, text: string, context: ImportContext): Pick<ImportState, 'columns' | 'guesses'> {
  const matched = matchColumns(kind, readTable(text), readSavedColumns(kind.key), context);
  return {
    columns: matched.map(({ target }) => target),
    guesses: matched.flatMap(({ isGuess }, index) => (isGuess ? [index] : [])),
  };
}

function sendOptions({ dateFormat, numbers, prepared, state }: Import, dryRun: boolean): SendOptions {
  const { textColumns } = prepared;
  return { dryRun, fileName: state.name, dateFormat, numberFormat: state.numberFormat ?? numbers.format, textColumns };
}

const dryRunQuery = { placeholderData: keepPreviousData, retry: false } as const;

/** What the import would do. A change repeats it; the last result stays visible until the next one is there. */
export function useDryRun(currentImport: Import) {
  const { kind, csv, prepared, isDateOpen } = currentImport;
  const [sent] = useDebouncedValue(csv, 800);
  const options = sendOptions(currentImport, true);
  const query = useQuery({
    ...dryRunQuery,
    queryKey: ['dry-run', kind.key, fingerprint(sent), sent.length, options],
    queryFn: async () => withSources(await kind.send(sent, options), currentImport),
    enabled: prepared.problems.length === 0 && prepared.rows.length > 0 && !isDateOpen,
  });
  return { ...query, isCurrent: sent === csv && !query.isFetching && !query.isPlaceholderData && query.error === null };
}

/** What the import would do to commission, once the dry run has shown that it would write something. */
export function useEffectOfImport(currentImport: Import, { data, isCurrent }: ReturnType<typeof useDryRun>) {
  const { kind, csv } = currentImport;
  const options = sendOptions(currentImport, true);
  return useQuery({
    ...dryRunQuery,
    queryKey: ['dry-run', 'effect', kind.key, fingerprint(csv), csv.length, options],
    queryFn: () => kind.effect?.(csv, options) ?? null,
    enabled: kind.effect !== undefined && isCurrent && (data?.accepted ?? 0) > 0,
  });
}

/** The import itself. */
export function useSend(currentImport: Import) {
  const queryClient = useQueryClient();
  const { kind, csv, state, file } = currentImport;
  return useMutation({
    mutationFn: async () => withSources(await kind.send(csv, sendOptions(currentImport, false)), currentImport),
    onSuccess: () => {
      saveColumns(kind.key, file.header, state.columns);
      return queryClient.invalidateQueries(exceptPreviews);
    },
  });
}

/** The service counts the rows that it received; people count those of their file. */
function withSources(
  outcome: ImportOutcome,
  { kind, prepared: { rows }, shortRows: short, state }: Import,
): ImportOutcome {
  const left = state.onlyRows === null ? [...short].map(([row, reason]) => ({ row, reason })) : [];
  return {
    ...outcome,
    counts: outcome.counts.map(
      ([label, count]) => [label, label === 'Rejected' ? count + left.length : count] as const,
    ),
    rejected: [
      ...outcome.rejected.map(({ row, reason }) => ({
        row: rows[row - 1]?.source ?? row,
        reason: describeReason(reason, kind.targets),
      })),
      ...left,
    ],
  };
}

/** Distinguishes the texts of one session; equal for equal texts. */
function fingerprint(text: string): number {
  let hash = 0;
  for (let index = 0; index < text.length; index += 1) hash = (hash * 31 + text.charCodeAt(index)) | 0;
  return hash;
}
