import { useChange } from '../../api/change.js';
import { api } from '../../api/client.js';
import { type Line } from '../../api/queries.js';
import { showMessage } from '../../app/messages.js';
import { usePersistedForm } from '../../app/persisted-state.js';
import { Dialog } from '../../components/Dialog.js';
import { Facing } from '../../components/Facing.js';
import { Money } from '../../components/Money.js';
import { readNumber, writeNumber } from '../../shared/format/entered-numbers.js';
import { formatMoney } from '../../shared/format/numbers.js';
import { formatPeriod } from '../../shared/format/periods.js';
import { changeKey } from './adjustment-keys.js';
import { EntryFields } from './EntryFields.js';
import { isComplete } from './entries.js';

interface ChangeAdjustmentDialogProps {
  readonly line: Line;
  readonly onClose: () => void;
}

/** Changes the amount or the reason of an adjustment or clawback. Only admins may, while the period is not approved. */
export function EditAdjustmentDialog({ line, onClose }: ChangeAdjustmentDialogProps) {
  const { repId, repName, eventId, kind, currency, period } = line;
  const form = usePersistedForm(changeKey(line), { amount: writeNumber(line.amount), reason: line.reason ?? '' });
  const { amount, reason } = form.values;
  const edit = useChange({
    send: () =>
      api.updateAdjustment({
        params: { repId, adjustmentId: eventId },
        body: { amount: readNumber(amount) ?? 0, reason: reason.trim() },
      }),
    onDone: () => {
      showMessage(`The amount of ${repName} was changed.`);
      form.clear();
      onClose();
    },
  });
  return (
    <Dialog
      title={`Change an amount of ${repName}`}
      onClose={onClose}
      onSubmit={() => edit.send()}
      change={edit}
      form={form}
      action={{
        disabled: !isComplete(kind, form.values),
        children: 'Save',
      }}
    >
      <p className="dim">
        {formatPeriod(period)}, now {formatMoney(line.amount, currency, { signed: true })}. Its history keeps the former
        amount.
      </p>
      <EntryFields kind={kind} currency={currency} repName={repName} form={form} />
    </Dialog>
  );
}

/** Deletes an amount that a person entered, or a true-up. */
export function DeleteAdjustmentDialog({ line, onClose }: ChangeAdjustmentDialogProps) {
  const { repId, repName, eventId, amount, currency, reason, period } = line;
  const remove = useChange({
    send: () => api.deleteAdjustment({ params: { repId, adjustmentId: eventId } }),
    onDone: () => {
      showMessage(`The amount of ${repName} was deleted.`);
      onClose();
    },
  });
  return (
    <Dialog
      title={`Delete an amount of ${repName}?`}
      onClose={onClose}
      onSubmit={() => remove.send()}
      change={remove}
      action={{ kind: 'danger', children: 'Delete' }}
    >
      <Facing
        rows={[
          ['Period', formatPeriod(period)],
          ['Amount', <Money key="amount" amount={amount} currency={currency} />],
          ['Reason', reason ?? '–'],
        ]}
      />
      <p className="dim">It is not paid. The audit log keeps it; to restore it, add the amount again.</p>
    </Dialog>
  );
}
