import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/client.js';
import { showMessage } from '../app/messages.js';
import { useSession } from '../app/session.js';
import { Dialog } from '../components/Dialog.js';
import { Choice, TextArea, TextField } from '../components/Field.js';
import { describeError } from '../components/States.js';
import { formatMoney } from '../format/numbers.js';
import { formatPeriod } from '../format/periods.js';

interface AdjustmentDialogProps {
  readonly repId: string;
  readonly repName: string;
  readonly period: string;
  readonly onClose: () => void;
}

const kinds = [
  ['adjustment', 'Adjustment'],
  ['clawback', 'Clawback, takes money back'],
] as const;

const decimal = /^-?\d+(\.\d+)?$/;

function problemOf(kind: string, text: string): string | null {
  if (text === '') return null;
  if (!decimal.test(text) || Number(text) === 0) return 'A number such as 250 or -99.50.';
  return kind === 'clawback' && !text.startsWith('-') ? 'A clawback is negative, such as -250.' : null;
}

/** Adds an amount to a period that is not approved. Only admins may. */
export function AdjustmentDialog({ repId, repName, period, onClose }: AdjustmentDialogProps) {
  const { workspace } = useSession();
  const [kind, setKind] = useState<'adjustment' | 'clawback'>('adjustment');
  const [amount, setAmount] = useState('');
  const [reason, setReason] = useState('');
  const [dealId, setDealId] = useState('');
  const queryClient = useQueryClient();
  const text = amount.trim();
  const problem = problemOf(kind, text);
  const add = useMutation({
    mutationFn: () =>
      api.addAdjustment({
        params: { repId },
        body: {
          period,
          kind,
          amount: Number(text),
          reason: reason.trim(),
          ...(dealId.trim() === '' ? {} : { dealId: dealId.trim() }),
        },
      }),
    onSuccess: async ({ amount: added, currency }) => {
      await queryClient.invalidateQueries();
      showMessage(`${formatMoney(added, currency, { signed: true })} was added for ${repName}.`);
      onClose();
    },
  });
  return (
    <Dialog
      title={`Adjust ${formatPeriod(period)} of ${repName}`}
      onClose={onClose}
      onSubmit={() => add.mutate()}
      action={{
        isBusy: add.isPending,
        disabled: text === '' || problem !== null || reason.trim() === '',
        children: 'Add amount',
      }}
      problem={add.error === null ? null : describeError(add.error).message}
    >
      <Choice
        label="Kind"
        choices={kinds}
        value={kind}
        onChange={({ currentTarget }) => setKind(currentTarget.value as typeof kind)}
      />
      <TextField
        label={`Amount in ${workspace.currency}`}
        inputMode="decimal"
        required
        value={amount}
        problem={problem}
        onChange={({ currentTarget }) => setAmount(currentTarget.value)}
      />
      <TextArea
        label={`Reason, for ${repName} to read`}
        required
        maxLength={500}
        value={reason}
        onChange={({ currentTarget }) => setReason(currentTarget.value)}
      />
      <TextField
        label="Deal ID (optional)"
        maxLength={200}
        value={dealId}
        onChange={({ currentTarget }) => setDealId(currentTarget.value)}
      />
    </Dialog>
  );
}
