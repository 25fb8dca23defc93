import { useQuery } from '@tanstack/react-query';
import { type WaitingApproval, waitingForMeQuery } from '../../api/approval-queries.js';
import blocks from '../../components/Blocks.module.css';
import { StatementLink } from '../../components/links.js';
import { Money } from '../../components/Money.js';
import { Card } from '../../components/Page.js';
import { formatPeriod } from '../../shared/format/periods.js';
import { SignButton } from './ApprovalChain.js';
import { describeChanges, describeUsual } from './chain-words.js';

/** The statements that the person may sign now, with what changed since the last signature first. */
export function WaitingForMe() {
  const waiting = useQuery(waitingForMeQuery).data;
  if (waiting === undefined || waiting.count === 0) return null;
  return (
    <Card title="Waits for you" note={String(waiting.count)}>
      <ul className={blocks.rows}>
        {waiting.approvals.map((approval) => (
          <WaitingRow key={`${approval.repId} ${approval.period}`} waiting={approval} />
        ))}
      </ul>
    </Card>
  );
}

function WaitingRow({ waiting }: { readonly waiting: WaitingApproval }) {
  const { repId, repName, period, amount, currency, approval } = waiting;
  const usual = describeUsual(waiting);
  return (
    <li>
      <div>
        <p>{describeChanges(waiting)}</p>
        <p>
          <StatementLink repId={repId} period={period} className="strong">
            {repName}
          </StatementLink>{' '}
          <span className="dim">
            {formatPeriod(period)}, {approval.next?.name}
            {approval.next?.overdue === true ? ', overdue' : ''}
            {usual === null ? '' : `, ${usual}`}
          </span>
        </p>
      </div>
      <span className={blocks.actions}>
        <Money amount={amount} currency={currency} />
        <SignButton statement={waiting} />
      </span>
    </li>
  );
}
