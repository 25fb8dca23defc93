import { IconAlertTriangle, IconCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type Discrepancy, discrepanciesQuery } from '../../../api/team-queries.js';
import { useToday } from '../../../app/today.js';
import { Dialog } from '../../../components/Dialog.js';
import { Facing } from '../../../components/Facing.js';
import { Loaded } from '../../../components/Loaded.js';
import { Note } from '../../../components/Note.js';
import { earnedSums, hasPayouts, netSums, sumWords } from '../../../features/statements/pay-sums.js';
import { formatDay } from '../../../shared/format/dates.js';
import { formatCount, formatNumber } from '../../../shared/format/numbers.js';
import { daysOf, formatPeriod } from '../../../shared/format/periods.js';
import styles from './Approvals.module.css';
import { type ApprovalRow, approvalVerb, countApproved } from './approval-rows.js';
import { confirmableWith, undecidedBefore } from './undecided.js';

interface ApproveDialogProps {
  /** The currency of the workspace. */
  readonly currency: string;
  readonly period: string;
  readonly selected: readonly ApprovalRow[];
  readonly onClose: () => void;
  readonly onConfirm: () => void;
}

/** Count, sum and effect. The request contains the versions that were displayed, so nothing else is approved. */
export function ApproveDialog({ currency, period, selected, onClose, onConfirm }: ApproveDialogProps) {
  const { to } = daysOf(period);
  const statements = selected.map(({ statement }) => statement);
  const pays = hasPayouts(statements);
  const hasEnded = to < useToday();
  const verb = approvalVerb(statements);
  const approved = countApproved(statements);
  const open = useQuery(discrepanciesQuery('open'));
  return (
    <Dialog
      title={`${verb} ${formatCount(selected.length, 'statement')}`}
      onClose={onClose}
      onSubmit={onConfirm}
      action={{
        icon: IconCheck,
        children: `${verb} ${selected.length}${hasEnded ? '' : ' early'}`,
        ...confirmableWith(open),
      }}
    >
      <Facing
        rows={[
          ['Period', formatPeriod(period)],
          ['Statements', String(selected.length)],
          [
            pays ? 'Payable' : 'Net payout',
            <span key="sum" className="num ledger-total">
              {sumWords(netSums(statements, currency))}
            </span>,
          ],
          ...(pays ? [['Earned', sumWords(earnedSums(statements, currency))] as const] : []),
        ]}
      />
      {hasEnded ? null : (
        <Note tone="warning" icon={IconAlertTriangle} title={`${formatPeriod(period)} has not ended`}>
          <p>
            It ends on {formatDay(to, 'long')}. Deals that close until then are not part of these statements and appear
            as discrepancies.
          </p>
        </Note>
      )}
      <Loaded query={open} height={0}>
        {(differences) => <Undecided {...{ period, selected, differences }} />}
      </Loaded>
      <p className={styles.names}>
        {selected.map(({ statement }) => `${statement.name} v${statement.version}`).join(', ')}
      </p>
      {verb === 'Sign' ? <p>{signedWords(selected.length, approved)}</p> : null}
      {approved === 0 ? null : (
        <p className="dim">
          The period is frozen for the people whose statements are approved, and payroll can export it. Later changes
          are not paid by themselves: they appear as discrepancies. A manager or admin can unlock a statement again.
        </p>
      )}
    </Dialog>
  );
}

/** What the signatures do: the last one of a chain approves. */
function signedWords(signed: number, approved: number): string {
  if (approved === signed) return 'These are the last signatures: the statements are approved.';
  const waiting = `${formatCount(signed - approved, 'statement')} then ${signed - approved === 1 ? 'waits' : 'wait'} for the next step`;
  return approved === 0 ? `${waiting}.` : `${waiting}, and ${formatNumber(approved)} are approved.`;
}

interface UndecidedProps extends Pick<ApproveDialogProps, 'period' | 'selected'> {
  /** The open ones of the team. */
  readonly differences: readonly Discrepancy[];
}

/** Earlier differences of these people: they are not in the statements, and move their tiers once they are decided. */
function Undecided({ period, selected, differences }: UndecidedProps) {
  const undecided = undecidedBefore(differences, period, new Set(selected.map(({ repId }) => repId)));
  if (undecided.length === 0) return null;
  return (
    <Note
      tone="warning"
      icon={IconAlertTriangle}
      title="Earlier periods are not decided"
      actions={
        <Link to="/discrepancies" className="strong">
          Discrepancies
        </Link>
      }
    >
      <p>
        Decide them first: what they change in {formatPeriod(period)} becomes a difference of it as soon as it is
        approved.
      </p>
      <ul>
        {undecided.map(({ discrepancyId, words }) => (
          <li key={discrepancyId}>{words}</li>
        ))}
      </ul>
    </Note>
  );
}
