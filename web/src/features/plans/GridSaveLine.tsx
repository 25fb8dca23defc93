import { IconArrowBackUp } from '@tabler/icons-react';
import { type ReactNode } from 'react';
import { type Change } from '../../api/change.js';
import { type Person } from '../../api/person-list-queries.js';
import blocks from '../../components/Blocks.module.css';
import { Button } from '../../components/Button.js';
import { type Edits } from '../../components/grid-keys.js';
import { formatCount } from '../../shared/format/numbers.js';
import { describeWrong, listedEdits } from './period-grid.js';
import { type WrongCell } from './quota-changes.js';

interface GridSaveLineProps {
  readonly people: readonly Person[];
  /** Everything that is typed, also for people who are not listed. */
  readonly edits: Edits;
  readonly wrong: readonly WrongCell[];
  /** Number of cells to save. */
  readonly count: number;
  /** What a cell has, in the singular. */
  readonly noun: string;
  readonly hint: string;
  /** Restores what was stored before the last save; null if nothing was saved. */
  readonly takeBack: Pick<Change, 'isBusy' | 'send'> | null;
  readonly onUndo: () => void;
  readonly onSave: () => void;
  /** The dialog that is open. */
  readonly children: ReactNode;
}

/** Below a grid of people by period: what cannot be read, undo of cells and of the last save, and the save itself. */
export function GridSaveLine(props: GridSaveLineProps) {
  const { people, edits, wrong, count, noun, hint, takeBack, onUndo, onSave, children } = props;
  const waiting = Object.keys(edits).length - Object.keys(listedEdits(edits, people)).length;
  const canSave = count > 0 && wrong.length === 0;
  return (
    <div className={`${blocks.saveLine} ${blocks.chosen}`}>
      <span className={wrong.length > 0 ? 'negative' : 'dim'}>
        {wrong.length > 0
          ? describeWrong(wrong, people)
          : `Move with the arrow keys and Enter. Paste cells from a spreadsheet, with names or e-mails and periods, or without. ${hint}`}
      </span>
      {waiting === 0 ? null : (
        <span className="dim">Not saved yet: {formatCount(waiting, 'cell')} of people who are not listed.</span>
      )}
      {takeBack === null || count > 0 ? null : (
        <Button icon={IconArrowBackUp} isBusy={takeBack.isBusy} onClick={() => takeBack.send()}>
          Undo the last save
        </Button>
      )}
      <Button icon={IconArrowBackUp} disabled={Object.keys(edits).length === 0} onClick={onUndo}>
        Undo
      </Button>
      <Button kind="primary" size="final" disabled={!canSave} onClick={onSave}>
        {canSave ? `Save ${formatCount(count, noun)}` : 'Save'}
      </Button>
      {children}
    </div>
  );
}

/** Says that no row is left. */
export function GridRowsNote({ people }: { readonly people: readonly Person[] }) {
  return people.length === 0 ? <p className="dim">No person matches.</p> : null;
}
