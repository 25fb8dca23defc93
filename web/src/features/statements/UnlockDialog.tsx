import { useQuery } from '@tanstack/react-query';
import { useChange } from '../../api/change.js';
import { api } from '../../api/client.js';
import { handoversQuery } from '../../api/payroll-queries.js';
import { type Statement } from '../../api/queries.js';
import { showMessage } from '../../app/messages.js';
import { Dialog } from '../../components/Dialog.js';
import { Facing } from '../../components/Facing.js';
import { Money } from '../../components/Money.js';
import { formatDay } from '../../shared/format/dates.js';
import { formatPeriod } from '../../shared/format/periods.js';
import { sumByCurrency, sumWords } from './pay-sums.js';

interface UnlockDialogProps {
  readonly statement: Statement;
  readonly onClose: () => void;
}

/** Opens an approved period again. Managers and admins may, except for their own statement. */
export function UnlockDialog({
  statement: { repId, repName, period, summary, currency, version, payslip },
  onClose,
}: UnlockDialogProps) {
  const handover = useQuery(handoversQuery).data?.handovers.find((handover) => handover.period === period);
  const unlock = useChange({
    send: () => api.approveStatement({ params: { repId }, body: { period, status: 'draft' } }),
    onDone: () => {
      showMessage(`${formatPeriod(period)} of ${repName} is a draft again.`);
      onClose();
    },
  });
  return (
    <Dialog
      title={`Unlock ${formatPeriod(period)} of ${repName}?`}
      onClose={onClose}
      onSubmit={() => unlock.send()}
      change={unlock}
      action={{ kind: 'danger', children: 'Unlock' }}
    >
      <Facing
        rows={[
          ['Approved version', `v${version}`],
          payslip === undefined
            ? ['Net payout', <Money key="net" amount={summary.netPayout} currency={currency} />]
            : ['Payable', sumWords(sumByCurrency(payslip.pays, payslip.currency))],
        ]}
      />
      <p className="dim">
        The amounts follow the deals and plans again, and the payroll file leaves the person out until the next
        approval. Corrections of the period are reversed, because the new calculation pays the same difference.
      </p>
      {handover === undefined ? null : (
        <p>
          The file of {formatPeriod(period)} was handed over to payroll on {formatDay(handover.createdAt.slice(0, 10))}.
          It does not change.
        </p>
      )}
    </Dialog>
  );
}
