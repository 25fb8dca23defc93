import { useState } from 'react';
import { useChange } from '../../api/change.js';
import { api } from '../../api/client.js';
import { type Discrepancy, type DisputeDetail } from '../../api/team-queries.js';
import { showMessage } from '../../app/messages.js';
import { usePersistedForm } from '../../app/persisted-state.js';
import { Dialog } from '../../components/Dialog.js';
import { Choice, TextArea } from '../../components/Field.js';
import { formatMoney } from '../../shared/format/numbers.js';
import { formatPeriod } from '../../shared/format/periods.js';
import { DifferenceLines } from '../statements/DifferenceLines.js';
import { payAndAccept } from './pay-and-accept.js';
import { payLabel } from './words.js';

interface PayAndAcceptDialogProps {
  readonly dispute: DisputeDetail;
  readonly difference: Discrepancy;
  readonly onClose: () => void;
}

/** Where the answer is kept until it is sent. */
export const payKey = (disputeId: string) => `paid ${disputeId}`;

/** Pays what an approved period owes and accepts the question about it. */
export function PayAndAcceptDialog({ dispute, difference, onClose }: PayAndAcceptDialogProps) {
  const { disputeId, repName } = dispute;
  const { discrepancyId, period, lines, lineCount, currency, otherCurrencies } = difference;
  const form = usePersistedForm(payKey(disputeId), { note: '', action: 'true_up' as 'true_up' | 'carry_forward' });
  const note = form.values.note.trim();
  const [threshold, setThreshold] = useState<number | null>(null);
  const [isPaid, setPaid] = useState(false);
  const pay = useChange({
    send: () =>
      payAndAccept(
        api,
        { disputeId, discrepancyId, action: form.values.action, note, force: threshold !== null, isPaid },
        () => setPaid(true),
      ),
    onDone: (unconfirmed) => {
      setThreshold(unconfirmed);
      if (unconfirmed !== null) return;
      showMessage(`The question was accepted, and the difference of ${repName} is paid.`);
      form.clear();
      onClose();
    },
  });
  return (
    <Dialog
      title={`${payLabel(difference)} and accept the question of ${repName}`}
      onClose={onClose}
      onSubmit={() => pay.send()}
      change={pay}
      form={form}
      size={560}
      action={{
        disabled: note === '',
        children: `${threshold === null ? '' : 'Confirm: '}${payLabel(difference)} and accept`,
      }}
      problem={
        threshold === null
          ? null
          : `Nothing was written yet: the difference is above ${formatMoney(threshold, currency)}. Check the lines, then confirm.`
      }
    >
      <DifferenceLines lines={lines} currency={currency} count={lineCount} />
      {otherCurrencies.map((other) => (
        <p key={other.currency} className="dim">
          Paid with it: {formatMoney(other.delta, other.currency, { unit: 'code', signed: true })}.
        </p>
      ))}
      <Choice
        label="When is it paid?"
        choices={[
          ['true_up', `With ${formatPeriod(period)}, as a new approved version of the statement`],
          ['carry_forward', 'In the next period that is not approved'],
        ]}
        {...form.field('action')}
      />
      <TextArea label={`Message to ${repName}`} required maxLength={1000} {...form.field('note')} />
    </Dialog>
  );
}
