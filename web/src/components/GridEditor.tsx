import { useEffect, useRef, useState } from 'react';
import { pastedRows } from '../shared/format/csv.js';
import { readNumber } from '../shared/format/entered-numbers.js';
import { formatNumber } from '../shared/format/numbers.js';
import styles from './GridEditor.module.css';
import { cellKey, computeStep, type Edits } from './grid-keys.js';
import { PasteDialog } from './PasteDialog.js';
import { type ColumnOf, type NamedRows, type PastedCells, placePasted } from './pasted-cells.js';

function grouped(value: number | undefined): string {
  return value === undefined ? '' : formatNumber(value, 10);
}

/** What a cell shows below its value, and why. */
export interface CellNote {
  readonly text: string;
  readonly reason: string;
}

interface GridEditorProps {
  readonly caption: string;
  readonly rows: NamedRows;
  readonly columns: readonly (readonly [key: string, label: string])[];
  /** The stored value of a cell. */
  readonly storedOf: (row: string, column: string) => number | undefined;
  readonly noteOf?: (row: string, column: string) => CellNote | null;
  /** The column that a pasted heading names. */
  readonly columnOf?: ColumnOf;
  /** The cell that has the focus first. */
  readonly focused?: string | undefined;
  /** The cell got the focus. */
  readonly onSelect?: (key: string) => void;
  readonly edits: Edits;
  readonly onEdit: (edits: Edits) => void;
  readonly onUndo: () => void;
}

/**
 * Numbers by row and column. Arrows and `Enter` move, cells of a spreadsheet can be pasted at any cell, with the names of the rows or without, and Ctrl or
 * Command with `z` undoes the last change.
 */
export function GridEditor(props: GridEditorProps) {
  const { caption, rows, columns, storedOf, noteOf, onSelect, edits, onEdit, onUndo } = props;
  const body = useRef<HTMLTableSectionElement>(null);
  const focus = (row: number, column: number) => {
    const input = body.current?.rows[row]?.querySelectorAll('input')[column];
    input?.focus();
    input?.select();
  };
  const { focused } = props;
  // Only at first: a cell that the person has left does not take the focus again.
  useEffect(() => {
    if (focused !== undefined) body.current?.querySelector<HTMLInputElement>(`[data-cell="${focused}"]`)?.focus();
  }, [focused]);
  const { paste, question } = usePaste(props);
  const press = (event: React.KeyboardEvent<HTMLInputElement>, row: number, column: number) => {
    if (event.key === 'z' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      onUndo();
      return;
    }
    const step = computeStep(event);
    if (step === null) return;
    event.preventDefault();
    focus(row + step[0], column + step[1]);
  };
  return (
    <section className={styles.grid} aria-label={caption}>
      <table>
        <caption className="unseen">{caption}</caption>
        <thead>
          <tr>
            <th scope="col">Person</th>
            {columns.map(([key, label]) => (
              <th key={key} scope="col" className={styles.right}>
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={body}>
          {rows.map(([rowKey, rowLabel], row) => (
            <tr key={rowKey}>
              <th scope="row">{rowLabel}</th>
              {columns.map(([columnKey, columnLabel], column) => {
                const key = cellKey(rowKey, columnKey);
                const edited = edits[key];
                const note = noteOf?.(rowKey, columnKey) ?? null;
                const noteId = `${key} note`.replaceAll(' ', '-');
                const state = stateOf(edited);
                return (
                  <td key={columnKey} title={note?.reason}>
                    <input
                      className={`num ${styles.cell} ${state === null ? '' : styles[state]}`}
                      aria-label={`${rowLabel}, ${columnLabel}`}
                      aria-invalid={state === 'wrong' || undefined}
                      aria-describedby={note === null ? undefined : noteId}
                      data-cell={key}
                      inputMode="decimal"
                      autoComplete="off"
                      value={edited ?? grouped(storedOf(rowKey, columnKey))}
                      onChange={({ currentTarget }) => onEdit({ ...edits, [key]: currentTarget.value })}
                      onFocus={() => onSelect?.(key)}
                      onKeyDown={(event) => press(event, row, column)}
                      onPaste={(event) => paste(event, row, column)}
                    />
                    {note === null ? null : <Note id={noteId} note={note} />}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
      {question}
    </section>
  );
}

type PasteProps = Pick<GridEditorProps, 'rows' | 'columns' | 'columnOf' | 'edits' | 'onEdit'>;

/** Pastes a block of cells. `question` is the dialog about one that goes only partly into the grid. */
function usePaste({ rows, columns, columnOf, edits, onEdit }: PasteProps) {
  const [place, setPlace] = useState<((chosen: Readonly<Record<string, string>>) => PastedCells) | null>(null);
  const fill = (cells: PastedCells['cells']) =>
    onEdit({ ...edits, ...Object.fromEntries(cells.map(([row, column, cell]) => [cellKey(row, column), cell])) });
  const paste = (event: React.ClipboardEvent, row: number, column: number) => {
    const text = event.clipboardData.getData('text/plain');
    if (!/[\t\n]/.test(text.trim())) return;
    event.preventDefault();
    const block = pastedRows(text);
    const placed = (chosen: Readonly<Record<string, string>>) =>
      placePasted(block, rows, columns, { row, column }, columnOf, chosen);
    const { cells, unknown, repeated, ignored } = placed({});
    if (unknown.length + repeated.length + ignored.length === 0) fill(cells);
    else setPlace(() => placed);
  };
  const question =
    place === null ? null : (
      <PasteDialog
        rows={rows}
        place={place}
        onClose={() => setPlace(null)}
        onPaste={(cells) => {
          fill(cells);
          setPlace(null);
        }}
      />
    );
  return { paste, question };
}

/** Whether the text of a cell differs from what is stored, and can be read. */
function stateOf(edited: string | undefined): 'edited' | 'wrong' | null {
  if (edited === undefined) return null;
  return edited !== '' && readNumber(edited) === null ? 'wrong' : 'edited';
}

function Note({ id, note: { text, reason } }: { readonly id: string; readonly note: CellNote }) {
  return (
    <span id={id} className={`num ${styles.note}`}>
      {text}
      <span className="unseen">: {reason}</span>
    </span>
  );
}
