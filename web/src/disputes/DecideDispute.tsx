import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/client.js';
import { type DisputeDetail } from '../api/team-queries.js';
import { showMessage } from '../app/messages.js';
import { useSession } from '../app/session.js';
import { Button } from '../components/Button.js';
import { Dialog } from '../components/Dialog.js';
import { TextArea, TextField } from '../components/Field.js';
import { Card } from '../components/Page.js';
import { describeError } from '../components/States.js';
import { formatMoney } from '../format/numbers.js';
import { formatPeriod } from '../format/periods.js';
import styles from './DecideDispute.module.css';

type Step = 'in_review' | 'accepted' | 'rejected';
type Change = Parameters<typeof api.updateDispute>[0]['body'];

function useUpdate(disputeId: string, onDone: () => void) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: Change) => api.updateDispute({ params: { disputeId }, body }),
    onSuccess: async () => {
      await queryClient.invalidateQueries();
      onDone();
    },
  });
}

/** Review, accept or reject, for managers and admins who neither opened the question nor are paid. */
export function DecideDispute({ dispute }: { readonly dispute: DisputeDetail }) {
  const { repId, role } = useSession();
  const [step, setStep] = useState<Step | null>(null);
  const review = useUpdate(dispute.disputeId, () => showMessage('The question is in review.'));
  const { status, openedBy } = dispute;
  const isWaiting = status === 'open' || status === 'in_review';
  if (!isWaiting || (role !== 'manager' && role !== 'admin')) return null;
  if (openedBy.repId === repId || dispute.repId === repId)
    return (
      <Card title="Decision">
        <p className="dim">Another manager or an admin decides a question that you opened or that is about your pay.</p>
      </Card>
    );
  return (
    <Card title="Decision">
      <div className={styles.actions}>
        <p className="dim">
          {dispute.repName} sees the decision and its note. The statement of {formatPeriod(dispute.period)} is not
          approved before.
        </p>
        <Button kind="primary" size="final" onClick={() => setStep('accepted')}>
          Accept
        </Button>
        <Button size="final" onClick={() => setStep('rejected')}>
          Reject
        </Button>
        {status === 'open' ? (
          <Button size="final" isBusy={review.isPending} onClick={() => review.mutate({ status: 'in_review' })}>
            Start review
          </Button>
        ) : null}
      </div>
      {step === 'accepted' ? <AcceptDialog dispute={dispute} onClose={() => setStep(null)} /> : null}
      {step === 'rejected' ? <RejectDialog dispute={dispute} onClose={() => setStep(null)} /> : null}
    </Card>
  );
}

interface StepDialogProps {
  readonly dispute: DisputeDetail;
  readonly onClose: () => void;
}

function RejectDialog({ dispute: { disputeId, repName }, onClose }: StepDialogProps) {
  const [note, setNote] = useState('');
  const update = useUpdate(disputeId, () => {
    showMessage('The question was rejected.');
    onClose();
  });
  return (
    <Dialog
      title="Reject the question"
      onClose={onClose}
      onSubmit={() => update.mutate({ status: 'rejected', note: note.trim() })}
      action={{ kind: 'danger', isBusy: update.isPending, disabled: note.trim() === '', children: 'Reject' }}
      problem={update.error === null ? null : describeError(update.error).message}
    >
      <TextArea
        label={`Why, for ${repName} to read`}
        required
        maxLength={2000}
        value={note}
        onChange={({ currentTarget }) => setNote(currentTarget.value)}
      />
    </Dialog>
  );
}

const decimal = /^-?\d+(\.\d+)?$/;

/** Admins may add one adjustment with the acceptance. */
function AcceptDialog({ dispute, onClose }: StepDialogProps) {
  const { role } = useSession();
  const [note, setNote] = useState('');
  const [amount, setAmount] = useState('');
  const [period, setPeriod] = useState(dispute.period);
  const update = useUpdate(dispute.disputeId, () => {
    showMessage('The question was accepted.');
    onClose();
  });
  const text = amount.trim();
  const problem = text === '' || (decimal.test(text) && Number(text) !== 0) ? null : 'A number such as 250 or -99.50.';
  const submit = () =>
    update.mutate({
      status: 'accepted',
      ...(note.trim() === '' ? {} : { note: note.trim() }),
      ...(text === '' ? {} : { adjustment: { amount: Number(text), period } }),
    });
  return (
    <Dialog
      title="Accept the question"
      onClose={onClose}
      onSubmit={submit}
      action={{ isBusy: update.isPending, disabled: problem !== null, children: 'Accept' }}
      problem={update.error === null ? null : describeError(update.error).message}
    >
      <TextArea
        label={`Message to ${dispute.repName} (optional)`}
        maxLength={2000}
        value={note}
        onChange={({ currentTarget }) => setNote(currentTarget.value)}
      />
      {role === 'admin' ? (
        <>
          <TextField
            label={`Adjustment in ${dispute.currency} (optional)`}
            inputMode="decimal"
            value={amount}
            problem={problem}
            hint={
              dispute.expectedAmount === null
                ? 'Paid with the acceptance; negative to take money back.'
                : `${dispute.repName} expects ${formatMoney(dispute.expectedAmount, dispute.currency)}.`
            }
            onChange={({ currentTarget }) => setAmount(currentTarget.value)}
          />
          <TextField
            label="Period of the adjustment"
            value={period}
            hint="Such as 2026-07; its statement must not be approved."
            onChange={({ currentTarget }) => setPeriod(currentTarget.value)}
          />
        </>
      ) : (
        <p className="dim">Nothing is paid by this. Correct the deal or the plan, or ask an admin for an adjustment.</p>
      )}
    </Dialog>
  );
}
