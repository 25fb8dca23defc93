import { IconArrowBackUp, IconPlus } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { type MissingRow, type StoredRateTable } from '../../api/rate-table-queries.js';
import { usePersistedState } from '../../app/persisted-state.js';
import blocks from '../../components/Blocks.module.css';
import { Button } from '../../components/Button.js';
import { FilterField } from '../../components/FilterField.js';
import { cellKey } from '../../components/grid-keys.js';
import { type EnteredCell } from '../../components/placed-block.js';
import { RowGrid } from '../../components/RowGrid.js';
import { Tabs } from '../../components/Tabs.js';
import { maxGridRows } from '../../features/plans/period-grid.js';
import { fieldWords } from '../../features/plans/words.js';
import {
  type BuiltTable,
  buildTable,
  isEdited,
  listParts,
  listPieces,
  listSpans,
  newRow,
  nextRow,
  noTableEdits,
  type Part,
  type Piece,
  type Span,
  type TableEdits,
  textOf,
  withDay,
  withMissingRow,
} from '../../features/rate-tables/edited-table.js';
import { formatDay } from '../../shared/format/dates.js';
import { formatCount } from '../../shared/format/numbers.js';
import { containsText } from '../../shared/format/texts.js';
import { HeadDialog } from './HeadDialog.js';
import { NewDaysDialog } from './NewDaysDialog.js';
import { SaveTableDialog } from './SaveTableDialog.js';

interface TableEditorProps {
  /** Empty while a new table has none. */
  readonly name: string;
  /** Null for a new table. */
  readonly table: StoredRateTable | null;
  readonly state: TableState;
  /** Another table has the name. */
  readonly isTaken?: boolean;
  readonly onSaved?: () => void;
}

/** A state that can be undone. Typing in one cell is a single step. */
interface Step {
  readonly edits: TableEdits;
  readonly cell: string | null;
}

interface EditSteps {
  readonly revision: number;
  readonly steps: readonly Step[];
}

const maxSteps = 50;

/** What was entered for the revision that is shown, and the days that are. */
export function useTableEditor(name: string, table: StoredRateTable | null) {
  const revision = table?.revision ?? 0;
  const nothing: EditSteps = { revision, steps: [] };
  const [edited, setEdited, clear] = usePersistedState<EditSteps>(`rate-table:${table === null ? '' : name}`, nothing);
  const steps = edited.revision === revision ? edited.steps : [];
  const stored = useMemo(() => noTableEdits(table), [table]);
  const edits = steps.at(-1)?.edits ?? stored;
  const spans = listSpans(table?.rows ?? [], edits);
  const [from, setFrom] = useState<string | null>(spans.at(-1)?.from ?? null);
  const [focused, setFocused] = useState<string>();
  const edit = (next: TableEdits, cell: string | null = null) => {
    const isSameCell = cell !== null && steps.at(-1)?.cell === cell;
    const before = isSameCell ? steps.slice(0, -1) : steps.slice(-maxSteps);
    setEdited({ revision, steps: [...before, { edits: next, cell }] });
  };
  return {
    edits,
    edit,
    spans,
    span: spans.find((one) => one.from === from) ?? (spans.at(-1) as Span),
    showDays: setFrom,
    /** The value to type of a row that was begun for deals without a row. */
    focused,
    addMissing: (missing: MissingRow) => {
      const added = withMissingRow(table?.rows ?? [], edits, missing);
      edit(added.edits);
      setFrom(added.from);
      setFocused(added.firstValue);
    },
    undo: steps.length === 0 ? null : () => setEdited({ revision, steps: steps.slice(0, -1) }),
    clear,
  };
}

/** The cells that the service has rejected of a table. */
interface Rejected {
  readonly of: BuiltTable;
  readonly cells: ReadonlyMap<string, string>;
}

/** The rows of a table by their days, and what saves them. */
export function TableEditor(props: TableEditorProps) {
  const { name, table, state, isTaken = false } = props;
  const { edits, edit, undo, spans, span, showDays } = state;
  const [filter, setFilter] = useState('');
  const [rejected, setRejected] = useState<Rejected | null>(null);
  const [dialog, setDialog] = useState<DialogName | null>(null);
  const built = useMemo(() => buildTable(table, edits), [table, edits]);
  const canSave = name !== '' && !isTaken && built.problems.size === 0 && built.body.rows.length > 0 && undo !== null;
  const addRow = () => edit({ ...edits, added: [...edits.added, newRow(span.from, nextRow(edits))] });
  return (
    <>
      <DaysOfTable spans={spans} current={span.from} onChange={showDays} onNew={() => setDialog('days')} />
      <div className={blocks.filters}>
        <FilterField label="Filter rows" text={filter} onText={setFilter} />
        <Button icon={IconPlus} onClick={addRow}>
          Add row
        </Button>
        <Button onClick={() => setDialog('head')}>Keys and columns</Button>
      </div>
      <RowsOfSpan
        table={table}
        state={state}
        filter={filter}
        problemOf={(key) =>
          built.problems.get(key) ?? (rejected?.of === built ? (rejected.cells.get(key) ?? null) : null)
        }
      />
      <div className={`${blocks.saveLine} ${blocks.chosen}`}>
        <SaveHint built={built} edits={edits} />
        <Button icon={IconArrowBackUp} disabled={undo === null} onClick={() => undo?.()}>
          Undo
        </Button>
        <Button kind="primary" size="final" disabled={!canSave} onClick={() => setDialog('save')}>
          {built.changed === 0 ? 'Save' : `Save ${formatCount(built.changed, 'row')}`}
        </Button>
      </div>
      <OpenDialog
        {...props}
        dialog={dialog}
        built={built}
        onRejected={(cells) => setRejected({ of: built, cells })}
        onClose={() => setDialog(null)}
      />
    </>
  );
}

type TableState = ReturnType<typeof useTableEditor>;
type DialogName = 'head' | 'days' | 'save';

interface OpenDialogProps extends TableEditorProps {
  readonly dialog: DialogName | null;
  readonly built: BuiltTable;
  readonly onRejected: (cells: ReadonlyMap<string, string>) => void;
  readonly onClose: () => void;
}

function OpenDialog({ dialog, name, table, state, built, onRejected, onSaved, onClose }: OpenDialogProps) {
  const { edits, edit, clear } = state;
  if (dialog === null) return null;
  if (dialog === 'head')
    return <HeadDialog name={name} head={edits.head} onChange={(head) => edit({ ...edits, head })} onClose={onClose} />;
  if (dialog === 'days')
    return (
      <NewDaysDialog
        name={name}
        onChange={(day) => {
          edit(withDay(table?.rows ?? [], edits, day));
          state.showDays(day);
        }}
        onClose={onClose}
      />
    );
  return (
    <SaveTableDialog
      name={name}
      built={built}
      head={edits.head}
      onRejected={onRejected}
      onSaved={() => {
        clear();
        onSaved?.();
      }}
      onClose={onClose}
    />
  );
}

interface RowsOfSpanProps extends Pick<TableEditorProps, 'table' | 'state'> {
  readonly filter: string;
  readonly problemOf: (key: string) => string | null;
}

function RowsOfSpan({ table, state, filter, problemOf }: RowsOfSpanProps) {
  const { edits, edit, undo, span, focused } = state;
  const parts = listParts(edits.head);
  const pieces = listPieces(table?.rows ?? [], edits, span);
  // A new row is always shown: it may have no text yet, and it comes last.
  const stored = pieces.filter((piece) => piece.stored !== null);
  const isFound = (piece: Piece) => containsText(filter, ...parts.map((part) => textOf(piece, part, edits)));
  const found = filter.trim() === '' ? stored : stored.filter(isFound);
  const visible = [...found.slice(0, maxGridRows), ...pieces.filter((piece) => piece.stored === null)];
  const ofKey = new Map(visible.map((piece) => [piece.key, piece]));
  const partOf = new Map(parts.map((part) => [part.key, part]));
  const at = (row: string, column: string) => [ofKey.get(row) as Piece, partOf.get(column) as Part] as const;
  const isBlank = (piece: Piece) => piece.stored === null && !parts.some((part) => isEdited(piece, part, edits));
  const enter = (entered: readonly EnteredCell[]) => {
    const first = nextRow(edits) - visible.length;
    const rowAt = (row: number) => visible[row]?.key ?? newRow(span.from, first + row);
    const added = [...new Set(entered.flatMap(([row]) => (row < visible.length ? [] : [rowAt(row)])))];
    const cells = entered.map(([row, column, text]) => [cellKey(rowAt(row), column), text] as const);
    const next = {
      ...edits,
      cells: { ...edits.cells, ...Object.fromEntries(cells) },
      added: [...edits.added, ...added],
    };
    edit(next, cells.length === 1 ? (cells[0]?.[0] ?? null) : null);
  };
  return (
    <>
      <RowGrid
        caption={`Rates ${daysInWords(span)}`}
        columns={parts}
        rows={visible.map(({ key }) => key)}
        focused={focused}
        textOf={(row, column) => textOf(...at(row, column), edits)}
        isEdited={(row, column) => isEdited(...at(row, column), edits)}
        problemOf={(row, column) => (isBlank(ofKey.get(row) as Piece) ? null : problemOf(cellKey(row, column)))}
        onEnter={enter}
        onRemove={(row) => edit({ ...edits, removed: [...edits.removed, row] })}
        {...(undo === null ? {} : { onUndo: undo })}
      />
      {found.length > maxGridRows ? (
        <p className="dim">
          The first {maxGridRows} of {formatCount(found.length, 'row')}. Filter to see the others.
        </p>
      ) : null}
      {visible.length === 0 ? (
        <p className="dim">{pieces.length === 0 ? 'No row on these days.' : 'No row matches.'}</p>
      ) : null}
    </>
  );
}

interface DaysOfTableProps {
  readonly spans: readonly Span[];
  readonly current: string | null;
  readonly onChange: (from: string | null) => void;
  readonly onNew: () => void;
}

/** The days on which the table says different rates. */
function DaysOfTable({ spans, current, onChange, onNew }: DaysOfTableProps) {
  return (
    <Tabs
      label="Days of the rates"
      current={current ?? ''}
      onChange={(key) => onChange(key === '' ? null : key)}
      tabs={spans.map((span) => ({ key: span.from ?? '', label: daysInWords(span) }))}
      side={<Button onClick={onNew}>New rates from …</Button>}
    />
  );
}

function daysInWords({ from, to }: Span): string {
  if (from === null) return to === null ? 'for all days' : `until ${formatDay(to, 'year')}`;
  return to === null ? `from ${formatDay(from, 'year')}` : `${formatDay(from, 'year')} to ${formatDay(to, 'year')}`;
}

/** How the grid is operated, or what keeps it from being saved. */
function SaveHint({
  built: { problems, body },
  edits: { head },
}: {
  readonly built: BuiltTable;
  readonly edits: TableEdits;
}) {
  if (problems.size > 0) return <span className="negative">{formatCount(problems.size, 'cell')} cannot be saved.</span>;
  if (body.rows.length === 0) return <span className="dim">Type a row, or paste rows from a spreadsheet.</span>;
  const keys = head.keys.map(({ field }) => fieldWords(field).toLowerCase()).join(', ');
  return (
    <span className="dim">
      {keys === '' ? '' : `Looked up by ${keys}. `}An empty key or * matches everything. Ranges are 0..12 or 24..,
      without their end. Paste rows from a spreadsheet, with headings or without.
    </span>
  );
}
