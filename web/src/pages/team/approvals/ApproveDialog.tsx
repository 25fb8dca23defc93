import { IconCheck } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api } from '../../../api/client.js';
import { showMessage } from '../../../app/messages.js';
import { Dialog } from '../../../components/Dialog.js';
import { Facing } from '../../../components/Facing.js';
import { formatCount } from '../../../format/numbers.js';
import { formatPeriod } from '../../../format/periods.js';
import styles from './Approvals.module.css';
import { type ApprovalRow } from './approval-rows.js';
import { netSums } from './net-sums.js';
import { type Failures } from './use-generate.js';

interface ApproveDialogProps {
  readonly period: string;
  readonly selected: readonly ApprovalRow[];
  readonly onClose: () => void;
  /** Receives the statements that were not approved, with the reason. */
  readonly onDone: (failures: Failures) => void;
}

/** Count, sum and effect. The request contains the versions that were displayed, so nothing else is approved. */
export function ApproveDialog({ period, selected, onClose, onDone }: ApproveDialogProps) {
  const queryClient = useQueryClient();
  const approve = useMutation({
    mutationFn: () =>
      api.approveStatements({
        body: {
          period,
          statements: selected.map(({ repId, statement }) => ({ repId, version: statement.version })),
        },
      }),
    onSuccess: async (outcome) => {
      await queryClient.invalidateQueries();
      const problems = outcome.refused.length === 0 ? '' : `, ${outcome.refused.length} not`;
      showMessage(`${formatCount(outcome.approved.length, 'statement')} approved${problems}.`);
      onDone(new Map(outcome.refused.map(({ repId, message }) => [repId, message])));
    },
  });
  return (
    <Dialog
      title={`Approve ${formatCount(selected.length, 'statement')}`}
      onClose={onClose}
      onSubmit={() => approve.mutate()}
      action={{ icon: IconCheck, isBusy: approve.isPending, children: `Approve ${selected.length}` }}
    >
      <Facing
        rows={[
          ['Period', formatPeriod(period)],
          ['Statements', String(selected.length)],
          [
            'Net payout',
            <span key="sum" className="num ledger-total">
              {netSums(selected).join(' + ')}
            </span>,
          ],
        ]}
      />
      <p className={styles.names}>
        {selected.map(({ statement }) => `${statement.name} v${statement.version}`).join(', ')}
      </p>
      <p className="dim">
        The period is frozen for these people, and payroll can export it. Later changes are not paid by themselves: they
        appear as discrepancies. A statement can be opened again until it is handed over.
      </p>
    </Dialog>
  );
}
