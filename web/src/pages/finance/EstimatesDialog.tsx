import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useChange } from '../../api/change.js';
import { api } from '../../api/client.js';
import { type Estimates } from '../../api/finance-queries.js';
import { allPlansQuery } from '../../api/import-queries.js';
import { allPeopleQuery } from '../../api/person-list-queries.js';
import { showMessage } from '../../app/messages.js';
import { usePersistedForm } from '../../app/persisted-state.js';
import { Button } from '../../components/Button.js';
import { Dialog } from '../../components/Dialog.js';
import { cellKey } from '../../components/grid-keys.js';
import { combineQueries, Loaded } from '../../components/Loaded.js';
import { RowGrid } from '../../components/RowGrid.js';
import {
  type EnteredEstimate,
  type EstimateContext,
  estimateColumns,
  readEstimates,
  toEnteredEstimates,
  withCells,
} from '../../features/finance/entered-estimates.js';
import { formatPeriod } from '../../shared/format/periods.js';

interface EstimatesDialogProps {
  readonly month: string;
  /** Those of all companies, which are stored together. */
  readonly stored: Estimates['estimates'];
  readonly onClose: () => void;
}

/** All estimates of a month, to type into or to paste. */
export function EstimatesDialog(props: EstimatesDialogProps) {
  const query = combineQueries({ people: useQuery(allPeopleQuery()), plans: useQuery(allPlansQuery) });
  return (
    <Loaded query={query} height={40}>
      {(context) => <EstimatesForm {...props} context={context} />}
    </Loaded>
  );
}

function EstimatesForm({
  month,
  stored,
  context,
  onClose,
}: EstimatesDialogProps & { readonly context: EstimateContext }) {
  const initial = { rows: toEnteredEstimates(stored, context) };
  const form = usePersistedForm<{ readonly rows: readonly EnteredEstimate[] }>(`estimates ${month}`, initial);
  const { rows } = form.values;
  const { estimates, problems } = readEstimates(rows, context);
  const change = (next: readonly EnteredEstimate[]) => form.change({ rows: next });
  const textOf = (row: string, column: string) => rows[Number(row)]?.[column as keyof EnteredEstimate] ?? '';
  const save = useChange({
    send: () => api.putEstimates({ params: { month }, body: { estimates: [...estimates] } }),
    onDone: () => {
      form.clear();
      showMessage(`The estimates of ${formatPeriod(month)} were saved.`);
      onClose();
    },
  });
  return (
    <Dialog
      title={`Estimates of ${formatPeriod(month)}`}
      size={1120}
      onClose={onClose}
      onSubmit={() => save.send()}
      change={save}
      form={form}
      action={{ disabled: problems.size > 0, children: 'Save' }}
    >
      <p>
        What is expected and the ledger does not have yet, of all companies. Cells of a spreadsheet can be pasted;
        people are named by name or e-mail. Enter the pay of the whole period, or for retroactive tiers what the deals
        until the end of the month earn.
      </p>
      <RowGrid
        caption="Estimates"
        columns={estimateColumns}
        rows={rows.map((_, index) => String(index))}
        textOf={textOf}
        isEdited={(row, column) =>
          textOf(row, column) !== (initial.rows[Number(row)]?.[column as keyof EnteredEstimate] ?? '')
        }
        problemOf={(row, column) => problems.get(cellKey(row, column)) ?? null}
        onEnter={(cells) => change(withCells(rows, cells))}
        onRemove={(row) => change(rows.filter((_, index) => index !== Number(row)))}
      />
      <div>
        <Button icon={IconPlus} onClick={() => change(withCells(rows, [[rows.length, 'person', '']]))}>
          Add row
        </Button>
      </div>
    </Dialog>
  );
}
