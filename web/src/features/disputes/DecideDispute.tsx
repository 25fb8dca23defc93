import { useState } from 'react';
import { useAction, useChange } from '../../api/change.js';
import { api } from '../../api/client.js';
import { isWaiting, type Statement } from '../../api/queries.js';
import { type Discrepancy, type DisputeDetail } from '../../api/team-queries.js';
import { showMessage } from '../../app/messages.js';
import { isPersisted, usePersistedForm } from '../../app/persisted-state.js';
import { useSession } from '../../app/session.js';
import blocks from '../../components/Blocks.module.css';
import { Button } from '../../components/Button.js';
import { Dialog } from '../../components/Dialog.js';
import { AmountField, TextArea, TextField } from '../../components/Field.js';
import { Card } from '../../components/Page.js';
import { amountProblem } from '../../shared/format/amounts.js';
import { readNumber } from '../../shared/format/entered-numbers.js';
import { formatMoney } from '../../shared/format/numbers.js';
import { formatPeriod } from '../../shared/format/periods.js';
import { PayAndAcceptDialog, payKey } from './PayAndAcceptDialog.js';
import { payLabel } from './words.js';

type Step = 'in_review' | 'accepted' | 'rejected';

/** Where the answer is kept until it is sent. */
const answerKey = (step: Step, disputeId: string) => `${step} ${disputeId}`;

interface DecideDisputeProps {
  readonly dispute: DisputeDetail;
  /** What an approved period owes and may be the answer; null if nothing is. */
  readonly difference: Discrepancy | null;
  /** The statement of the question's period, as it is now. */
  readonly statement: Pick<Statement, 'period' | 'status'>;
}

/** Review, accept or reject, for managers and admins who neither opened the question nor are paid. */
export function DecideDispute({ dispute, difference, statement }: DecideDisputeProps) {
  const { repId, role } = useSession();
  const { status, openedBy, disputeId } = dispute;
  const [step, setStep] = useState<Step | 'paid' | null>(() => {
    if (isPersisted(payKey(disputeId))) return 'paid';
    return (['accepted', 'rejected'] as const).find((answer) => isPersisted(answerKey(answer, disputeId))) ?? null;
  });
  const review = useAction({
    send: () => api.updateDispute({ params: { disputeId }, body: { status: 'in_review' } }),
    onDone: () => showMessage('The question is in review.'),
  });
  if (!isWaiting(dispute) || (role !== 'manager' && role !== 'admin')) return null;
  if (openedBy.repId === repId || dispute.repId === repId)
    return (
      <Card title="Decision">
        <p className="dim">Another manager or an admin decides a question that you opened or that is about your pay.</p>
      </Card>
    );
  return (
    <Card title="Decision">
      <div className={blocks.actions}>
        <p className="dim">
          {dispute.repName} sees the decision and its note. {approvalWords(statement)}
        </p>
        {difference === null ? null : (
          <Button kind="primary" size="final" onClick={() => setStep('paid')}>
            {payLabel(difference)} and accept
          </Button>
        )}
        <Button kind={difference === null ? 'primary' : undefined} size="final" onClick={() => setStep('accepted')}>
          {difference === null ? 'Accept' : 'Accept only'}
        </Button>
        <Button size="final" onClick={() => setStep('rejected')}>
          Reject
        </Button>
        {status === 'open' ? (
          <Button size="final" isBusy={review.isBusy} onClick={() => review.send()}>
            Start review
          </Button>
        ) : null}
      </div>
      {step === 'paid' && difference !== null ? (
        <PayAndAcceptDialog dispute={dispute} difference={difference} onClose={() => setStep(null)} />
      ) : null}
      {step === 'accepted' ? <AcceptDialog dispute={dispute} onClose={() => setStep(null)} /> : null}
      {step === 'rejected' ? <RejectDialog dispute={dispute} onClose={() => setStep(null)} /> : null}
    </Card>
  );
}

function approvalWords({ period, status }: DecideDisputeProps['statement']): string {
  const subject = `The statement of ${formatPeriod(period)}`;
  return status === 'approved'
    ? `${subject} is approved, and accepting the question does not change it.`
    : `${subject} is not approved yet.`;
}

interface StepDialogProps {
  readonly dispute: DisputeDetail;
  readonly onClose: () => void;
}

function RejectDialog({ dispute: { disputeId, repName }, onClose }: StepDialogProps) {
  const form = usePersistedForm(answerKey('rejected', disputeId), { note: '' });
  const note = form.values.note.trim();
  const reject = useChange({
    send: () => api.updateDispute({ params: { disputeId }, body: { status: 'rejected', note } }),
    onDone: () => {
      showMessage('The question was rejected.');
      form.clear();
      onClose();
    },
  });
  return (
    <Dialog
      title={`Reject the question of ${repName}`}
      onClose={onClose}
      onSubmit={() => reject.send()}
      change={reject}
      form={form}
      action={{ kind: 'danger', disabled: note === '', children: 'Reject' }}
    >
      <TextArea label={`Reason, which ${repName} sees`} required maxLength={2000} {...form.field('note')} />
    </Dialog>
  );
}

/** Admins may add one adjustment with the acceptance. */
function AcceptDialog({ dispute, onClose }: StepDialogProps) {
  const { role } = useSession();
  const { disputeId, repName, currency, expectedAmount } = dispute;
  const form = usePersistedForm(answerKey('accepted', disputeId), { note: '', amount: '', period: dispute.period });
  const { note, amount, period } = form.values;
  const adjusted = readNumber(amount);
  const accept = useChange({
    send: () =>
      api.updateDispute({
        params: { disputeId },
        body: {
          status: 'accepted',
          ...(note.trim() === '' ? {} : { note: note.trim() }),
          ...(adjusted === null ? {} : { adjustment: { amount: adjusted, period } }),
        },
      }),
    onDone: () => {
      showMessage('The question was accepted.');
      form.clear();
      onClose();
    },
  });
  return (
    <Dialog
      title={`Accept the question of ${repName}`}
      onClose={onClose}
      onSubmit={() => accept.send()}
      change={accept}
      form={form}
      canSendUnchanged
      action={{ disabled: amountProblem(amount) !== null, children: 'Accept' }}
    >
      <TextArea label={`Message to ${repName} (optional)`} maxLength={2000} {...form.field('note')} />
      {role === 'admin' ? (
        <>
          <AmountField
            label={`Adjustment in ${currency} (optional)`}
            hint={
              expectedAmount === null
                ? 'Paid when you accept. A negative amount reduces pay.'
                : `${repName} expects ${formatMoney(expectedAmount, currency)}.`
            }
            {...form.field('amount')}
          />
          <TextField
            label="Period of the adjustment"
            hint="Such as 2026-07; its statement must not be approved."
            {...form.field('period')}
          />
        </>
      ) : (
        <p className="dim">This pays nothing. Correct the deal or the plan, or ask an admin for an adjustment.</p>
      )}
    </Dialog>
  );
}
