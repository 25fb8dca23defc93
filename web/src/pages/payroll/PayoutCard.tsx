import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useAction, useChange } from '../../api/change.js';
import { api } from '../../api/client.js';
import { saveFile } from '../../api/download.js';
import { type PayoutBatch, payoutBatchesQuery } from '../../api/payout-queries.js';
import { type Layout } from '../../api/payroll-queries.js';
import { useKeptForm } from '../../app/kept-state.js';
import { showMessage } from '../../app/messages.js';
import blocks from '../../components/Blocks.module.css';
import { Button } from '../../components/Button.js';
import { Dialog } from '../../components/Dialog.js';
import { Choice, TextField } from '../../components/Field.js';
import { Loaded } from '../../components/Loaded.js';
import { Card } from '../../components/Page.js';
import { EmptyState } from '../../components/States.js';
import { Badge } from '../../components/StatusBadge.js';
import { formatDay, formatTimestamp } from '../../shared/format/dates.js';
import { formatCount, formatMoney } from '../../shared/format/numbers.js';
import { formatPeriod } from '../../shared/format/periods.js';
import { layoutNames, layouts } from './layouts.js';
import styles from './Payroll.module.css';

interface PayoutCardProps {
  readonly period: string;
  readonly layout: Layout;
}

type Decision = { readonly batch: PayoutBatch; readonly status: 'paid' | 'cancelled' };

/** The payout batches of a pay period: what approved statements pay and no batch contains yet, file by file. */
export function PayoutCard({ period, layout }: PayoutCardProps) {
  const batches = useQuery(payoutBatchesQuery(period));
  const [chosenLayout, setLayout] = useState(layout);
  const [decision, setDecision] = useState<Decision | null>(null);
  const create = useAction({
    send: () => api.createPayoutBatch({ body: { period, layout: chosenLayout } }),
    onDone: ({ people }) => showMessage(`The payout batch has ${formatCount(people, 'person', 'people')}.`),
  });
  return (
    <Card title="Payout batches" isFlush>
      <Loaded query={batches} height={160}>
        {(loaded) => (
          <>
            <div className={styles.steps}>
              {loaded.length === 0 ? (
                <EmptyState title="No payout batch yet">
                  A batch collects what approved statements pay, with its file. It is paid once, and never changes then.
                </EmptyState>
              ) : (
                <ul aria-label="Payout batches" className={styles.recorded}>
                  {loaded.map((batch) => (
                    <Batch key={batch.batchId} batch={batch} onDecide={(status) => setDecision({ batch, status })} />
                  ))}
                </ul>
              )}
            </div>
            <div className={styles.foot}>
              <Choice
                label="Layout"
                value={chosenLayout}
                choices={layoutNames.map((name) => [name, layouts[name].label] as const)}
                onChange={({ currentTarget }) => setLayout(currentTarget.value as Layout)}
              />
              <Button
                kind="primary"
                size="final"
                isBusy={create.isBusy}
                disabled={loaded.some(({ status }) => status === 'open')}
                onClick={() => create.send()}
              >
                Create batch
              </Button>
            </div>
          </>
        )}
      </Loaded>
      {decision === null ? null : <DecisionDialog {...decision} onClose={() => setDecision(null)} />}
    </Card>
  );
}

const stateOf = {
  open: { tone: 'warning', words: 'To be paid' },
  paid: { tone: 'good', words: 'Paid' },
  cancelled: { tone: 'neutral', words: 'Cancelled' },
} as const;

interface BatchProps {
  readonly batch: PayoutBatch;
  readonly onDecide: (status: Decision['status']) => void;
}

function Batch({ batch, onDecide }: BatchProps) {
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
        <Badge tone={stateOf[status].tone}>{stateOf[status].words}</Badge>{' '}
        <span className="strong">
          {totals.map(({ currency, payable }) => formatMoney(payable, currency)).join(', ')}
        </span>{' '}
        {formatCount(people, 'person', 'people')}, {actor.name}, {formatTimestamp(createdAt)}
        {paidOn === null ? '' : `, paid on ${formatDay(paidOn, 'year')}`}
        {reference === null ? '' : `, ${reference}`}
        <span className="second">{filename}</span>
      </span>
      <span className={blocks.actions}>
        <Button isBusy={download.isBusy} onClick={() => download.send()} aria-label={`Download ${filename}`}>
          Download
        </Button>
        {status === 'open' ? (
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
  const form = useKeptForm(`${status} ${batchId}`, { paidOn: '', reference: '' });
  const { paidOn, reference } = form.values;
  const decide = useChange({
    send: () =>
      api.updatePayoutBatch({
        params: { batchId },
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
  const sum = totals.map(({ currency, payable }) => formatMoney(payable, currency)).join(' and ');
  return (
    <Dialog
      title={status === 'paid' ? `Mark ${sum} of ${formatPeriod(period)} as paid?` : 'Cancel the payout batch?'}
      onClose={onClose}
      onSubmit={() => decide.send()}
      change={decide}
      form={form}
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
