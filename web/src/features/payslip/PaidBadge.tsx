import { IconCash } from '@tabler/icons-react';
import { Badge, StatusBadge } from '../../components/StatusBadge.js';
import { type PayHeadline, paidWords } from './words.js';

interface PaidBadgeProps {
  readonly status: 'none' | 'draft' | 'approved';
  readonly version?: number;
  readonly payslip?: Pick<PayHeadline, 'status' | 'paidOn'> | undefined;
  /** Whether the day is said beside the badge. */
  readonly isShort?: boolean;
  readonly shrinks?: boolean;
}

/** The state of a statement; once it is paid, the day. */
export function PaidBadge({ status, version, payslip, isShort = false, shrinks }: PaidBadgeProps) {
  const words = payslip === undefined ? null : paidWords(payslip);
  if (payslip === undefined || words === null)
    return <StatusBadge status={status} version={version} shrinks={shrinks} />;
  return (
    <Badge tone={payslip.status === 'paid' ? 'good' : 'info'} icon={IconCash} shrinks={shrinks}>
      {isShort && payslip.paidOn !== null ? 'Paid' : words}
    </Badge>
  );
}
