import { useChange } from '../api/change.js';
import { api } from '../api/client.js';
import { useKeptForm } from '../app/kept-state.js';
import { showMessage } from '../app/messages.js';
import { useSession } from '../app/session.js';
import { Dialog } from '../components/Dialog.js';
import { AmountField, Choice, TextArea, TextField } from '../components/Field.js';
import { amountProblem } from '../format/amounts.js';
import { formatMoney } from '../format/numbers.js';
import { formatPeriod } from '../format/periods.js';
import { adjustmentKey } from './adjustment-keys.js';

interface AdjustmentDialogProps {
  readonly repId: string;
  readonly repName: string;
  readonly period: string;
  readonly onClose: () => void;
}

type Kind = 'adjustment' | 'clawback';

const kinds = [
  ['adjustment', 'Adjustment'],
  ['clawback', 'Clawback, takes money back'],
] as const;

export function adjustmentProblem(kind: string, amount: string): string | null {
  const problem = amountProblem(amount);
  if (problem !== null || amount.trim() === '') return problem;
  return kind === 'clawback' && !amount.trim().startsWith('-') ? 'A clawback is negative, such as -250.' : null;
}

/** Adds an amount to a period that is not approved. Only admins may. */
export function AdjustmentDialog({ repId, repName, period, onClose }: AdjustmentDialogProps) {
  const { workspace } = useSession();
  const form = useKeptForm(adjustmentKey(repId, period), {
    kind: 'adjustment' as Kind,
    amount: '',
    reason: '',
    dealId: '',
  });
  const { kind, amount, reason, dealId } = form.values;
  const problem = adjustmentProblem(kind, amount);
  const add = useChange({
    send: () =>
      api.addAdjustment({
        params: { repId },
        body: {
          period,
          kind,
          amount: Number(amount),
          reason: reason.trim(),
          ...(dealId.trim() === '' ? {} : { dealId: dealId.trim() }),
        },
      }),
    onDone: ({ amount: added, currency }) => {
      showMessage(`${formatMoney(added, currency, { signed: true })} was added for ${repName}.`);
      form.clear();
      onClose();
    },
  });
  return (
    <Dialog
      title={`Adjust ${formatPeriod(period)} of ${repName}`}
      onClose={onClose}
      onSubmit={() => add.send()}
      change={add}
      form={form}
      action={{
        disabled: amount.trim() === '' || problem !== null || reason.trim() === '',
        children: 'Add amount',
      }}
    >
      <Choice
        label="Kind"
        choices={kinds}
        value={kind}
        onChange={({ currentTarget }) => form.change({ kind: currentTarget.value as Kind })}
      />
      <AmountField
        label={`Amount in ${workspace.currency}`}
        required
        value={amount}
        problem={problem}
        onChange={({ currentTarget }) => form.change({ amount: currentTarget.value })}
      />
      <TextArea
        label={`Reason, for ${repName} to read`}
        required
        maxLength={500}
        value={reason}
        onChange={({ currentTarget }) => form.change({ reason: currentTarget.value })}
      />
      <TextField
        label="Deal ID (optional)"
        maxLength={200}
        value={dealId}
        onChange={({ currentTarget }) => form.change({ dealId: currentTarget.value })}
      />
    </Dialog>
  );
}
