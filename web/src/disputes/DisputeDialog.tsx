import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/client.js';
import { type Explanation } from '../api/queries.js';
import { showMessage } from '../app/messages.js';
import { useSession } from '../app/session.js';
import { Dialog } from '../components/Dialog.js';
import { formatMoney } from '../format/numbers.js';
import { formatPeriod } from '../format/periods.js';
import styles from './DisputeDialog.module.css';
import { type DisputeType, disputeTypes } from './words.js';

interface DisputeDialogProps {
  readonly period: string;
  /** The amount in question; null for something that is missing. */
  readonly event: Explanation['event'] | null;
  readonly onClose: () => void;
}

/** Opens a dispute. The service stores what it has calculated with it. */
export function DisputeDialog({ period, event, onClose }: DisputeDialogProps) {
  const { repId, workspace } = useSession();
  const [type, setType] = useState<DisputeType>(event === null ? 'missing_deal' : 'wrong_amount');
  const [description, setDescription] = useState('');
  const [expected, setExpected] = useState('');
  const [dealId, setDealId] = useState('');
  const queryClient = useQueryClient();
  const open = useMutation({
    mutationFn: () =>
      api.openDispute({
        body: {
          repId: event?.repId ?? repId,
          period,
          type,
          description: description.trim(),
          ...(event === null ? {} : { eventId: event.eventId }),
          ...(event === null && dealId.trim() !== '' ? { dealId: dealId.trim() } : {}),
          ...(expected.trim() === '' ? {} : { expectedAmount: Number(expected) }),
        },
      }),
    onSuccess: async () => {
      showMessage('Your question was sent. You see the answer on the statement.');
      await queryClient.invalidateQueries({ queryKey: ['disputes'] });
      onClose();
    },
  });
  const about = event === null ? formatPeriod(period) : (event.dealName ?? event.ruleName ?? formatPeriod(period));
  return (
    <Dialog
      onClose={onClose}
      title={`Ask about ${about}`}
      action={{ children: 'Send question', isBusy: open.isPending, disabled: description.trim() === '' }}
      onSubmit={() => open.mutate()}
    >
      <div className={styles.form}>
        {event === null ? null : (
          <p className="dim">
            {event.ruleName}: {formatMoney(event.amount, event.currency)}. How it was computed is attached.
          </p>
        )}
        <label>
          <span>What is wrong?</span>
          <select value={type} onChange={({ currentTarget }) => setType(currentTarget.value as DisputeType)}>
            {disputeTypes.map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        </label>
        {event === null ? (
          <label>
            <span>Deal ID, if there is one</span>
            <input value={dealId} maxLength={200} onChange={({ currentTarget }) => setDealId(currentTarget.value)} />
          </label>
        ) : null}
        <label>
          <span>Amount that you expect, {workspace.currency} (optional)</span>
          <input
            inputMode="decimal"
            pattern="-?\d+(\.\d+)?"
            value={expected}
            onChange={({ currentTarget }) => setExpected(currentTarget.value)}
          />
        </label>
        <label>
          <span>Your explanation</span>
          <textarea
            required
            rows={4}
            maxLength={4000}
            value={description}
            onChange={({ currentTarget }) => setDescription(currentTarget.value)}
          />
        </label>
      </div>
    </Dialog>
  );
}
