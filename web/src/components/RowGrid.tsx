import { IconX } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import { pastedRows } from '../shared/format/csv.js';
import { IconButton } from './Button.js';
import styles from './GridEditor.module.css';
import { cellKey, computeStep } from './grid-keys.js';
import { type EnteredCell, type GridColumn, placeBlock } from './placed-block.js';

interface RowGridProps {
  readonly caption: string;
  readonly columns: readonly GridColumn[];
  /** The keys of the rows that are shown. */
  readonly rows: readonly string[];
  readonly textOf: (row: string, column: string) => string;
  readonly isEdited: (row: string, column: string) => boolean;
  readonly problemOf: (row: string, column: string) => string | null;
  readonly onEnter: (cells: readonly EnteredCell[]) => void;
  readonly onRemove: (row: string) => void;
  readonly onUndo?: () => void;
  /** A cell that gets the focus when it appears. */
  readonly focused?: string | undefined;
}

/**
 * Texts by row and column, whose rows can be added and removed. Arrows and `Enter` move, cells of a spreadsheet can be pasted at any cell and add the rows
 * that are missing, Ctrl or Command with `d` repeats the cell above, and with `z` undoes the last change.
 */
export function RowGrid(props: RowGridProps) {
  const { caption, columns, rows, textOf, isEdited, problemOf, onEnter, onRemove, onUndo, focused } = props;
  const body = useRef<HTMLTableSectionElement>(null);
  useEffect(() => {
    if (focused !== undefined)
      body.current?.querySelector<HTMLInputElement>(`[data-cell="${CSS.escape(focused)}"]`)?.focus();
  }, [focused]);
  const focus = (row: number, column: number) => {
    const input = body.current?.rows[row]?.querySelectorAll('input')[column];
    input?.focus();
    input?.select();
  };
  const press = (event: React.KeyboardEvent<HTMLInputElement>, row: number, column: number) => {
    const isCommand = event.ctrlKey || event.metaKey;
    const above = rows[row - 1];
    const { key = '' } = columns[column] ?? {};
    const step = computeStep(event);
    if (isCommand && event.key === 'z' && onUndo !== undefined) onUndo();
    else if (isCommand && event.key === 'd' && above !== undefined) onEnter([[row, key, textOf(above, key)]]);
    else if (step !== null) focus(row + step[0], column + step[1]);
    else return;
    event.preventDefault();
  };
  const paste = (event: React.ClipboardEvent, row: number, column: number) => {
    const text = event.clipboardData.getData('text/plain');
    if (!/[\t\n]/.test(text.trim())) return;
    event.preventDefault();
    onEnter(placeBlock(pastedRows(text), columns, row, column));
  };
  return (
    <section className={styles.grid} aria-label={caption}>
      <table>
        <caption className="unseen">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ key, label, isNumber }) => (
              <th key={key} scope="col" className={isNumber ? styles.right : undefined}>
                {label}
              </th>
            ))}
            <th scope="col">
              <span className="unseen">Remove</span>
            </th>
          </tr>
        </thead>
        <tbody ref={body}>
          {rows.map((row, at) => (
            <tr key={row}>
              {columns.map((column, right) => (
                <Cell
                  key={column.key}
                  id={`${row} ${column.key} note`.replaceAll(' ', '-')}
                  cell={cellKey(row, column.key)}
                  column={column}
                  label={`${column.label}, row ${at + 1}`}
                  isPinned={right === 0}
                  text={textOf(row, column.key)}
                  isEdited={isEdited(row, column.key)}
                  problem={problemOf(row, column.key)}
                  onText={(text) => onEnter([[at, column.key, text]])}
                  onKey={(event) => press(event, at, right)}
                  onPaste={(event) => paste(event, at, right)}
                />
              ))}
              <td className={styles.remove}>
                <IconButton icon={IconX} label={`Remove row ${at + 1}`} onClick={() => onRemove(row)} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface CellProps {
  readonly id: string;
  readonly cell: string;
  readonly column: GridColumn;
  readonly label: string;
  readonly isPinned: boolean;
  readonly text: string;
  readonly isEdited: boolean;
  readonly problem: string | null;
  readonly onText: (text: string) => void;
  readonly onKey: (event: React.KeyboardEvent<HTMLInputElement>) => void;
  readonly onPaste: (event: React.ClipboardEvent) => void;
}

/** The input of a cell, and below it what is wrong. */
function Cell({ id, cell, column, label, isPinned, text, isEdited, problem, onText, onKey, onPaste }: CellProps) {
  const look = problem !== null ? styles.wrong : isEdited ? styles.edited : '';
  return (
    <td className={isPinned ? styles.pinned : undefined}>
      <input
        className={`${styles.cell} ${column.isNumber ? 'num' : styles.text} ${look}`}
        aria-label={label}
        data-cell={cell}
        aria-invalid={problem === null ? undefined : true}
        aria-describedby={problem === null ? undefined : id}
        autoComplete="off"
        value={text}
        onChange={({ currentTarget }) => onText(currentTarget.value)}
        onKeyDown={onKey}
        onPaste={onPaste}
      />
      {problem === null ? null : (
        <span id={id} className={`${styles.note} ${styles.problem}`}>
          {problem}
        </span>
      )}
    </td>
  );
}
