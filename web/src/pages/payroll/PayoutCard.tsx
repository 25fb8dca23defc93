import { useState } from 'react';
import { useAction, useChange } from '../../api/change.js';
import { api } from '../../api/client.js';
import { saveFile } from '../../api/download.js';
import { type PayoutBatch } from '../../api/payout-queries.js';
import { showMessage } from '../../app/messages.js';
import { usePersistedForm } from '../../app/persisted-state.js';
import { mayPay, useSession } from '../../app/session.js';
import blocks from '../../components/Blocks.module.css';
import { Button } from '../../components/Button.js';
import { Dialog } from '../../components/Dialog.js';
import { TextField } from '../../components/Field.js';
import { Card } from '../../components/Page.js';
import { Badge } from '../../components/StatusBadge.js';
import { formatDay, formatTimestamp } from '../../shared/format/dates.js';
import { formatCount, formatMoney } from '../../shared/format/numbers.js';
import { formatPeriod } from '../../shared/format/periods.js';
import styles from './Payroll.module.css';

type Decision = { readonly batch: PayoutBatch; readonly status: 'paid' | 'cancelled' };

/** The payout batches of a pay period with their files, which are paid once and never change then. */
export function PayoutCard({ batches }: { readonly batches: readonly PayoutBatch[] }) {
  const [decision, setDecision] = useState<Decision | null>(null);
  return (
    <Card title="Payout batches" isFlush>
      <div className={styles.steps}>
        {batches.length === 0 ? (
          <p className="dim">
            No payout batch yet. A batch collects what approved statements pay, with its file. It is paid once, and
            never changes then.
          </p>
        ) : (
          <ul aria-label="Payout batches" className={styles.recorded}>
            {batches.map((batch) => (
              <Batch key={batch.batchId} batch={batch} onDecide={(status) => setDecision({ batch, status })} />
            ))}
          </ul>
        )}
      </div>
      {decision === null ? null : <DecisionDialog {...decision} onClose={() => setDecision(null)} />}
    </Card>
  );
}

/** The words of the state of a batch. */
export const batchStates = {
  open: { tone: 'warning', words: 'To be paid' },
  paid: { tone: 'good', words: 'Paid' },
  cancelled: { tone: 'neutral', words: 'Cancelled' },
} as const;

function batchSum(totals: PayoutBatch['totals'], joint: string): string {
  return totals.map(({ currency, payable }) => formatMoney(payable, currency)).join(joint);
}

interface BatchProps {
  readonly batch: PayoutBatch;
  readonly onDecide: (status: Decision['status']) => void;
}

function Batch({ batch, onDecide }: BatchProps) {
  const { role } = useSession();
  const { batchId, status, filename, totals, people, actor, createdAt, paidOn, reference } = batch;
  const download = useAction({
    send: async () => {
      const file = await api.getPayoutFile({ params: { batchId } });
      saveFile(file as unknown as Blob, filename);
    },
  });
  return (
    <li>
      <span>
        <Badge tone={batchStates[status].tone}>{batchStates[status].words}</Badge>{' '}
        <span className="strong">{batchSum(totals, ', ')}</span> {formatCount(people, 'person', 'people')}, {actor.name}
        , {formatTimestamp(createdAt)}
        {paidOn === null ? '' : `, paid on ${formatDay(paidOn, 'year')}`}
        {reference === null ? '' : `, ${reference}`}
        <span className="second">{filename}</span>
      </span>
      <span className={blocks.actions}>
        <Button isBusy={download.isBusy} onClick={() => download.send()} aria-label={`Download ${filename}`}>
          Download
        </Button>
        {status === 'open' && mayPay(role) ? (
          <>
            <Button onClick={() => onDecide('cancelled')}>Cancel batch</Button>
            <Button kind="primary" onClick={() => onDecide('paid')}>
              Mark as paid
            </Button>
          </>
        ) : null}
      </span>
    </li>
  );
}

/** Paid is final; cancelled makes the amounts unpaid again. */
function DecisionDialog({ batch, status, onClose }: Decision & { readonly onClose: () => void }) {
  const { batchId, period, totals } = batch;
  const form = usePersistedForm(`${status} ${batchId}`, { paidOn: '', reference: '' });
  const { paidOn, reference } = form.values;
  const decide = useChange({
    send: () =>
      api.updatePayoutBatch({
        params: { batchId },
        query: { lines: '0' },
        body: {
          status,
          ...(status === 'paid' && paidOn !== '' ? { paidOn } : {}),
          ...(status === 'paid' && reference.trim() !== '' ? { reference: reference.trim() } : {}),
        },
      }),
    onDone: () => {
      showMessage(status === 'paid' ? 'The batch is marked as paid.' : 'The batch is cancelled.');
      form.clear();
      onClose();
    },
  });
  const sum = batchSum(totals, ' and ');
  return (
    <Dialog
      title={status === 'paid' ? `Mark ${sum} of ${formatPeriod(period)} as paid?` : 'Cancel the payout batch?'}
      onClose={onClose}
      onSubmit={() => decide.send()}
      change={decide}
      form={form}
      canSendUnchanged
      action={{
        kind: status === 'paid' ? 'primary' : 'danger',
        children: status === 'paid' ? 'Mark as paid' : 'Cancel batch',
      }}
    >
      {status === 'paid' ? (
        <>
          <p>This is final. Later differences are paid by another batch.</p>
          <TextField label="Paid on" type="date" hint="Today if empty" {...form.field('paidOn')} />
          <TextField label="Reference" maxLength={200} hint="Such as the payroll run" {...form.field('reference')} />
        </>
      ) : (
        <p>Its amounts are unpaid again, and the next batch contains them.</p>
      )}
    </Dialog>
  );
}
