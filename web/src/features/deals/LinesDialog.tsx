import { useDebouncedValue } from '@mantine/hooks';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useChange } from '../../api/change.js';
import { type DealLines, linesEffectQuery, sendDealLines } from '../../api/credit-queries.js';
import { showMessage } from '../../app/messages.js';
import { usePersistedForm } from '../../app/persisted-state.js';
import blocks from '../../components/Blocks.module.css';
import { Button } from '../../components/Button.js';
import { Dialog } from '../../components/Dialog.js';
import { cellKey } from '../../components/grid-keys.js';
import { RowGrid } from '../../components/RowGrid.js';
import { EffectByPerson } from './EffectByPerson.js';
import {
  type EnteredLine,
  lineColumns,
  newEnteredLine,
  readEnteredLines,
  toEnteredLine,
  withCells,
} from './entered-lines.js';

interface LinesDialogProps {
  readonly deal: DealLines;
  readonly onClose: () => void;
}

/** The products of a deal to type into or to paste, and what a change of them does to commission before it is saved. */
export function LinesDialog({ deal, onClose }: LinesDialogProps) {
  const { dealId, source } = deal;
  const [before] = useState(() => {
    const lines = deal.lines.map(toEnteredLine);
    return { lines: lines.length === 0 ? [newEnteredLine([])] : lines };
  });
  const form = usePersistedForm<{ lines: readonly EnteredLine[] }>(`lines ${dealId}`, before);
  const { lines } = form.values;
  const sent = readEnteredLines(lines, deal.lines);
  const isSound = sent.problems.size === 0 && sent.lines.length > 0;
  const [calculated] = useDebouncedValue(form.isChanged && isSound ? sent.lines : null, 500);
  const [isRemoved, setRemoved] = useState(false);
  const save = useChange({
    send: () => sendDealLines(dealId, sent.lines),
    onDone: () => {
      showMessage('The products were saved. Commission is calculated again.');
      form.clear();
      onClose();
    },
  });
  if (isRemoved) return <RemoveDialog deal={deal} onClose={onClose} />;
  const textOf = (list: readonly EnteredLine[], row: string, column: string) =>
    list.find(({ lineId }) => lineId === row)?.cells[column] ?? '';
  return (
    <Dialog
      title="Products of the deal"
      size={1120}
      onClose={onClose}
      onSubmit={() => save.send()}
      change={save}
      form={form}
      action={{ disabled: !isSound, children: 'Save' }}
    >
      <RowGrid
        caption="Products of the deal"
        columns={lineColumns}
        rows={lines.map(({ lineId }) => lineId)}
        textOf={(row, column) => textOf(lines, row, column)}
        isEdited={(row, column) => textOf(lines, row, column) !== textOf(before.lines, row, column)}
        problemOf={(row, column) => sent.problems.get(cellKey(row, column)) ?? null}
        onEnter={(cells) => form.change({ lines: withCells(lines, cells) })}
        onRemove={(row) => form.change({ lines: lines.filter(({ lineId }) => lineId !== row) })}
      />
      <div className={blocks.actions}>
        <Button icon={IconPlus} onClick={() => form.change({ lines: [...lines, newEnteredLine(lines)] })}>
          Add product
        </Button>
        {source === 'api' ? <Button onClick={() => setRemoved(true)}>Remove these products …</Button> : null}
        <p className="dim">
          The net amount is that of the whole quantity, after discount. Rows of a spreadsheet can be pasted at any cell.
          {source === 'crm' ? ' What you save replaces the products of the CRM.' : ''}
        </p>
      </div>
      {calculated === null ? null : <EffectOfLines dealId={dealId} lines={calculated} />}
    </Dialog>
  );
}

/** The products that were entered are removed: those of the CRM count again. */
function RemoveDialog({ deal: { dealId }, onClose }: LinesDialogProps) {
  const remove = useChange({
    send: () => sendDealLines(dealId, null),
    onDone: () => {
      showMessage('The products were removed. Commission is calculated again.');
      onClose();
    },
  });
  return (
    <Dialog
      title="Remove the entered products"
      onClose={onClose}
      onSubmit={() => remove.send()}
      change={remove}
      action={{ kind: 'danger', children: 'Remove' }}
    >
      <p>The products of the CRM count again. Without any, rules that pay products pay nothing for the deal.</p>
      <EffectOfLines dealId={dealId} lines={null} />
    </Dialog>
  );
}

interface EffectOfLinesProps {
  readonly dealId: string;
  readonly lines: Parameters<typeof linesEffectQuery>[1];
}

function EffectOfLines({ dealId, lines }: EffectOfLinesProps) {
  return <EffectByPerson query={useQuery(linesEffectQuery(dealId, lines))} />;
}
