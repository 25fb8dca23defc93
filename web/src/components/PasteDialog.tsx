import { useState } from 'react';
import { formatCount } from '../shared/format/numbers.js';
import { Dialog } from './Dialog.js';
import { Choice } from './Field.js';
import { type NamedRows, type PastedCells } from './pasted-cells.js';

interface PasteDialogProps {
  readonly rows: NamedRows;
  /** Where the cells go with the rows that were chosen for names. */
  readonly place: (chosen: Readonly<Record<string, string>>) => PastedCells;
  readonly onClose: () => void;
  readonly onPaste: (cells: PastedCells['cells']) => void;
}

const maxAsked = 20;

/** Requests the person of each row of a pasted block that names no person of the grid, and says what would be left out. */
export function PasteDialog({ rows, place, onClose, onPaste }: PasteDialogProps) {
  const [chosen, setChosen] = useState<Readonly<Record<string, string>>>({});
  const { unknown } = place({});
  const { cells, unknown: left, repeated, ignored } = place(chosen);
  const count = new Set(cells.map(([row]) => row)).size;
  const choices = [['', 'leave out'] as const, ...rows.map(([key, label]) => [key, label] as const)];
  return (
    <Dialog
      title={unknown.length === 0 ? 'Paste a part of the block?' : 'Whose are these rows?'}
      onClose={onClose}
      onSubmit={() => onPaste(cells)}
      form={{ isChanged: Object.keys(chosen).length > 0, clear: () => setChosen({}) }}
      canSendUnchanged
      action={{
        disabled: cells.length === 0,
        children: cells.length === 0 ? 'Paste' : `Paste the cells of ${formatCount(count, 'person', 'people')}`,
      }}
    >
      {unknown.length === 0 ? null : (
        <p>
          {unknown.length === 1 ? 'One name or address is' : `${formatCount(unknown.length, 'name')} or addresses are`}{' '}
          in no row of the list, or in several. Nothing is pasted for those that are left out.
        </p>
      )}
      {unknown.slice(0, maxAsked).map((name) => (
        <Choice
          key={name}
          label={name === '' ? 'Row without a name' : name}
          choices={choices}
          value={chosen[name] ?? ''}
          onChange={({ currentTarget: { value } }) =>
            setChosen((before) => {
              const { [name]: _, ...others } = before;
              return value === '' ? others : { ...others, [name]: value };
            })
          }
        />
      ))}
      {left.length <= maxAsked ? null : <p className="dim">{formatCount(left.length, 'name')} would be left out.</p>}
      {repeated.length === 0 ? null : (
        <p className="negative">Left out, because several rows of the block are theirs: {repeated.join(', ')}.</p>
      )}
      {ignored.length === 0 ? null : (
        <p className="negative">Left out, because the list has no such period: {ignored.join(', ')}.</p>
      )}
    </Dialog>
  );
}
