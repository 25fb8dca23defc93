import { type ReactNode } from 'react';
import { useSession } from '../../app/session.js';
import { Button } from '../../components/Button.js';
import { Badge } from '../../components/StatusBadge.js';
import styles from './Finance.module.css';

const badges = { proposed: 'info', approved: 'good', withdrawn: 'neutral' } as const;
const words = { proposed: 'Proposed', approved: 'Approved', withdrawn: 'Withdrawn' } as const;

interface Step {
  readonly isBusy: boolean;
  readonly send: () => void;
}

interface ProposalLineProps {
  readonly status: keyof typeof words;
  readonly approve: Step;
  readonly withdraw: Step;
  readonly children: ReactNode;
}

/** What one admin has proposed; another one approves it. */
export function ProposalLine({ status, approve, withdraw, children }: ProposalLineProps) {
  const { role } = useSession();
  return (
    <li>
      <Badge tone={badges[status]}>{words[status]}</Badge> {children}
      {status === 'proposed' && role === 'admin' ? (
        <span className={styles.steps}>
          <Button isBusy={approve.isBusy} onClick={() => approve.send()}>
            Approve
          </Button>
          <Button isBusy={withdraw.isBusy} onClick={() => withdraw.send()}>
            Withdraw
          </Button>
        </span>
      ) : null}
    </li>
  );
}
