import { IconCheck } from '@tabler/icons-react';
import { useChange } from '../../../api/change.js';
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
  const approve = useChange({
    send: () =>
      api.approveStatements({
        body: {
          period,
          statements: selected.map(({ repId, statement }) => ({ repId, version: statement.version })),
        },
      }),
    onDone: (outcome) => {
      const problems = outcome.refused.length === 0 ? '' : `, ${outcome.refused.length} not`;
      showMessage(`${formatCount(outcome.approved.length, 'statement')} approved${problems}.`);
      onDone(new Map(outcome.refused.map(({ repId, message }) => [repId, message])));
    },
  });
  return (
    <Dialog
      title={`Approve ${formatCount(selected.length, 'statement')}`}
      onClose={onClose}
      onSubmit={() => approve.send()}
      change={approve}
      action={{ icon: IconCheck, children: `Approve ${selected.length}` }}
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
        appear as discrepancies. A manager or admin can unlock a statement again.
      </p>
    </Dialog>
  );
}
