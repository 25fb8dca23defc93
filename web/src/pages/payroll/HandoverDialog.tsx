import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError } from '#src/client.js';
import { api } from '../../api/client.js';
import { handoversQuery, type PayrollFile } from '../../api/payroll-queries.js';
import { showMessage } from '../../app/messages.js';
import { Dialog } from '../../components/Dialog.js';
import { TextField } from '../../components/Field.js';
import { describeError } from '../../components/States.js';
import { formatCount, formatMoney } from '../../format/numbers.js';
import { formatPeriod } from '../../format/periods.js';
import { layouts } from './layouts.js';
import { type Sum } from './sums.js';

interface HandoverDialogProps {
  readonly period: string;
  readonly file: PayrollFile;
  readonly totals: readonly Sum[];
  /** Whether the period has a hand-over already. */
  readonly isRepeated: boolean;
  readonly onClose: () => void;
}

/** States what is recorded, once. The service rejects it if the file has changed in the meantime. */
export function HandoverDialog({ period, file, totals, isRepeated, onClose }: HandoverDialogProps) {
  const [note, setNote] = useState('');
  const queryClient = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      api.recordPayrollHandover({
        body: {
          period,
          layout: file.layout,
          ...(file.sha256 === null ? {} : { sha256: file.sha256 }),
          ...(note.trim() === '' ? {} : { note: note.trim() }),
        },
      }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: handoversQuery.queryKey });
      showMessage(`${formatPeriod(period)} is marked as handed over.`);
      onClose();
    },
    onError: (cause) => {
      if (cause instanceof ApiError && cause.code === 'payroll_file_changed')
        void queryClient.invalidateQueries({ queryKey: ['payroll-file', period] });
    },
  });
  const sum = totals.map(({ currency, amount }) => formatMoney(amount, currency)).join(' and ');
  return (
    <Dialog
      title={`Mark ${formatPeriod(period)} as handed over?`}
      onClose={onClose}
      onSubmit={() => mutate()}
      problem={error === null ? null : describeError(error).message}
      action={{ children: 'Mark as handed over', isBusy: isPending }}
    >
      <p>
        {formatCount(file.rows.length, 'row')} with <span className="num strong">{sum}</span> in the layout{' '}
        {layouts[file.layout].label}. The file’s hash and totals are recorded with your name and the time. A record
        cannot be removed.
        {isRepeated ? ' The period was handed over before, and this file contains everyone again.' : ''}
      </p>
      <TextField
        label="Note"
        hint="Optional, for example the recipient"
        maxLength={1000}
        value={note}
        onChange={({ currentTarget }) => setNote(currentTarget.value)}
      />
    </Dialog>
  );
}
