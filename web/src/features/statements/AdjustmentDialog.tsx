import { useChange } from '../../api/change.js';
import { api } from '../../api/client.js';
import { showMessage } from '../../app/messages.js';
import { usePersistedForm } from '../../app/persisted-state.js';
import { useSession } from '../../app/session.js';
import { Dialog } from '../../components/Dialog.js';
import { Choice, TextField } from '../../components/Field.js';
import { readNumber } from '../../shared/format/entered-numbers.js';
import { formatMoney } from '../../shared/format/numbers.js';
import { formatPeriod } from '../../shared/format/periods.js';
import { adjustmentKey } from './adjustment-keys.js';
import { EntryFields } from './EntryFields.js';
import { isComplete } from './entries.js';

interface AdjustmentDialogProps {
  readonly repId: string;
  readonly repName: string;
  readonly period: string;
  readonly onClose: () => void;
}

type Kind = 'adjustment' | 'clawback';

const kinds = [
  ['adjustment', 'Adjustment'],
  ['clawback', 'Clawback (reduces pay)'],
] as const;

/** Adds an amount to a period that is not approved. Only admins may. */
export function AdjustmentDialog({ repId, repName, period, onClose }: AdjustmentDialogProps) {
  const { workspace } = useSession();
  const form = usePersistedForm(adjustmentKey(repId, period), {
    kind: 'adjustment' as Kind,
    amount: '',
    reason: '',
    dealId: '',
    currency: '',
  });
  const { kind, amount, reason, dealId } = form.values;
  const currency = form.values.currency.trim().toUpperCase();
  const add = useChange({
    send: () =>
      api.addAdjustment({
        params: { repId },
        body: {
          period,
          kind,
          amount: readNumber(amount) ?? 0,
          reason: reason.trim(),
          ...(currency === '' ? {} : { currency }),
          ...(dealId.trim() === '' ? {} : { dealId: dealId.trim() }),
        },
      }),
    onDone: ({ amount: added, currency: code, status }) => {
      const what = status === 'proposed' ? 'waits for the approval of another person' : `was added for ${repName}`;
      showMessage(`${formatMoney(added, code, { signed: true })} ${what}.`);
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
        disabled: !isComplete(kind, form.values) || (currency !== '' && currency.length !== 3),
        children: 'Add amount',
      }}
    >
      <Choice label="Kind" choices={kinds} {...form.field('kind')} />
      <EntryFields
        kind={kind}
        currency={currency.length === 3 ? currency : workspace.currency}
        repName={repName}
        form={form}
      />
      <TextField
        label="Another currency (optional)"
        maxLength={3}
        placeholder={workspace.currency}
        {...form.field('currency')}
      />
      <TextField label="Deal ID (optional)" maxLength={200} {...form.field('dealId')} />
    </Dialog>
  );
}
