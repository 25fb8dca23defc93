import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useChange } from '../../api/change.js';
import { api } from '../../api/client.js';
import { type Refund, refundEffectQuery, type SentRefund } from '../../api/refund-queries.js';
import { showMessage } from '../../app/messages.js';
import { usePersistedForm } from '../../app/persisted-state.js';
import blocks from '../../components/Blocks.module.css';
import { Button } from '../../components/Button.js';
import { Dialog } from '../../components/Dialog.js';
import { Choice, TextField } from '../../components/Field.js';
import { todayIn } from '../../shared/format/dates.js';
import { causeWords, type EnteredRefund, readRefund, toEnteredRefund } from './entered-refund.js';
import { RefundEffect } from './RefundEffect.js';

interface RefundDialogProps {
  readonly dealId: string;
  /** The key under which the browser keeps what is entered. */
  readonly storageKey: string;
  /** Null for a new one. */
  readonly refund: Refund | null;
  readonly others: readonly Refund[];
  readonly currency: string | undefined;
  readonly onClose: () => void;
}

const causes = Object.entries(causeWords) as [Refund['cause'], string][];

/** A refund, with what it takes back of each person's commission before it is saved. */
export function RefundDialog({ dealId, storageKey, refund, others, currency, onClose }: RefundDialogProps) {
  const [before] = useState(() => toEnteredRefund(refund, others, todayIn('UTC')));
  const form = usePersistedForm<EnteredRefund>(storageKey, before);
  const refundId = form.values.refundId.trim();
  const sent = readRefund(form.values);
  const [calculated] = useDebouncedValue(sent, 500);
  const save = useChange({
    send: async () => {
      if (sent !== null) await api.putRefund({ params: { dealId, refundId }, body: sent });
    },
    onDone: () => {
      showMessage(`${refundId} was saved. Commission is calculated again.`);
      form.clear();
      onClose();
    },
  });
  const [isDeleting, setDeleting] = useState(false);
  if (refund !== null && isDeleting) return <DeleteDialog refund={refund} onClose={onClose} />;
  return (
    <Dialog
      title={refund === null ? 'New refund' : `Refund ${refund.refundId}`}
      size={640}
      onClose={onClose}
      onSubmit={() => save.send()}
      change={save}
      form={form}
      action={{ disabled: sent === null, children: 'Save' }}
    >
      <TextField label="Day" type="date" {...form.field('day')} />
      <Choice label="Why" choices={refund === null ? [['', 'Choose'], ...causes] : causes} {...form.field('cause')} />
      <TextField
        label={currency === undefined ? 'Amount' : `Amount in ${currency}`}
        inputMode="decimal"
        hint="All that is left of the deal if empty."
        {...form.field('amount')}
      />
      {refund === null ? <TextField label="Refund number" maxLength={200} {...form.field('refundId')} /> : null}
      <TextField label="Note" maxLength={1000} {...form.field('reason')} />
      {refund === null ? null : (
        <div className={blocks.actions}>
          <Button kind="danger" onClick={() => setDeleting(true)}>
            Delete …
          </Button>
        </div>
      )}
      {calculated === null ? null : <EffectOf dealId={dealId} refundId={refundId} sent={calculated} />}
    </Dialog>
  );
}

function DeleteDialog({
  refund: { dealId, refundId },
  onClose,
}: {
  readonly refund: Refund;
  readonly onClose: () => void;
}) {
  const remove = useChange({
    send: () => api.deleteRefund({ params: { dealId, refundId } }),
    onDone: () => {
      showMessage(`${refundId} was deleted. Commission is calculated again.`);
      onClose();
    },
  });
  return (
    <Dialog
      title={`Delete refund ${refundId}`}
      onClose={onClose}
      onSubmit={() => remove.send()}
      change={remove}
      action={{ kind: 'danger', children: 'Delete' }}
    >
      <p>Commission is as if it had never been entered. Approved statements stay, and the difference is listed.</p>
      <EffectOf dealId={dealId} refundId={refundId} sent={null} />
    </Dialog>
  );
}

interface EffectOfProps {
  readonly dealId: string;
  readonly refundId: string;
  readonly sent: SentRefund | null;
}

function EffectOf({ dealId, refundId, sent }: EffectOfProps) {
  return <RefundEffect query={useQuery(refundEffectQuery(dealId, refundId, sent))} />;
}
