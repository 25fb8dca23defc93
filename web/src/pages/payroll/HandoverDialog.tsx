import { useQueryClient } from '@tanstack/react-query';
import { ApiError } from '#src/client.js';
import { useChange } from '../../api/change.js';
import { api } from '../../api/client.js';
import { type PayrollFile } from '../../api/payroll-queries.js';
import { showMessage } from '../../app/messages.js';
import { usePersistedForm } from '../../app/persisted-state.js';
import { Dialog } from '../../components/Dialog.js';
import { TextField } from '../../components/Field.js';
import { type Sum } from '../../features/statements/pay-sums.js';
import { formatCount, formatMoney } from '../../shared/format/numbers.js';
import { formatPeriod } from '../../shared/format/periods.js';
import { layouts } from './layouts.js';

interface HandoverDialogProps {
  readonly period: string;
  readonly file: PayrollFile;
  readonly totals: readonly Sum[];
  /** Whether the period has a hand-over already. */
  readonly isRepeated: boolean;
  /** Called with the id of the job that records a large hand-over. */
  readonly onStarted: (started: { readonly job: { readonly jobId: string } }) => void;
  readonly onClose: () => void;
}

/** States what is recorded, once. The service rejects it if the file has changed in the meantime. */
export function HandoverDialog({ period, file, totals, isRepeated, onStarted, onClose }: HandoverDialogProps) {
  const queryClient = useQueryClient();
  const form = usePersistedForm(`hand-over ${period}`, { note: '' });
  const note = form.values.note.trim();
  const record = useChange({
    send: () =>
      api.recordPayrollHandover({
        body: {
          period,
          layout: file.layout,
          scope: file.scope,
          sha256: file.sha256,
          ...(note === '' ? {} : { note }),
        },
      }),
    onDone: (answer) => {
      if ('jobId' in answer) onStarted({ job: answer });
      else showMessage(`${formatPeriod(period)} is marked as handed over.`);
      form.clear();
      onClose();
    },
    onFailed: (cause) => {
      if (cause instanceof ApiError && cause.code === 'payroll_file_changed')
        void queryClient.invalidateQueries({ queryKey: ['payroll-file', period] });
    },
  });
  const sum = totals.map(({ currency, amount }) => formatMoney(amount, currency)).join(' and ');
  return (
    <Dialog
      title={`Mark ${formatPeriod(period)} as handed over?`}
      onClose={onClose}
      onSubmit={() => record.send()}
      change={record}
      form={form}
      canSendUnchanged
      action={{ children: 'Mark as handed over' }}
    >
      <p>
        {formatCount(file.rows.length, 'row')} with <span className="num strong">{sum}</span> in the layout{' '}
        {layouts[file.layout].label}. The file is recorded with its totals, your name and the time. A record cannot be
        removed.
        {isRepeated && file.scope === 'full'
          ? ' The period was handed over before, and this file contains everyone again: it must replace the earlier files.'
          : ''}
      </p>
      <TextField label="Note" hint="Optional, for example the recipient" maxLength={1000} {...form.field('note')} />
    </Dialog>
  );
}
