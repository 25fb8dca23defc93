import { useState } from 'react';
import { type Updates } from '../../api/updates-query.js';
import blocks from '../../components/Blocks.module.css';
import { LinkButton } from '../../components/Button.js';
import { InfoDialog } from '../../components/InfoDialog.js';
import { DealLink, StatementLink } from '../../components/links.js';
import { Money } from '../../components/Money.js';
import { Badge } from '../../components/StatusBadge.js';
import { changeWords } from '../../features/updates/words.js';
import { formatDay } from '../../shared/format/dates.js';
import { formatPeriod } from '../../shared/format/periods.js';

interface UpdatesProps {
  readonly updates: Updates;
}

/** How much is new since the last visit. It opens the list. */
export function UpdatesBadge({ updates }: UpdatesProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <LinkButton onClick={() => setOpen(true)}>
        <Badge tone="info">{updates.count} new since your last visit</Badge>
      </LinkButton>
      {isOpen ? (
        <InfoDialog title="New since your last visit" onClose={() => setOpen(false)} size={520}>
          <UpdatesList updates={updates} />
        </InfoDialog>
      ) : null}
    </>
  );
}

function UpdatesList({ updates: { repId, changes, statements, payments, count } }: UpdatesProps) {
  const more = count - changes.length - statements.length - payments.length;
  return (
    <ul className={blocks.rows}>
      {statements.map(({ period, status }) => (
        <li key={`statement ${period}`}>
          <StatementLink repId={repId} period={period}>
            Statement of {formatPeriod(period)}
          </StatementLink>
          <span>{status === 'approved' ? 'approved' : 'draft'}</span>
        </li>
      ))}
      {payments.map(({ period, currency, amount, paidOn }) => (
        <li key={`payment ${period} ${currency} ${paidOn}`}>
          <span>
            Paid on {formatDay(paidOn, 'year')} for {formatPeriod(period)}
          </span>
          <Money amount={amount} currency={currency} />
        </li>
      ))}
      {changes.map((change) => (
        <li key={`${change.dealId} ${change.changedAt} ${change.currency} ${change.reason}`}>
          <span>
            {change.dealId === null ? (
              <b className="strong">{change.reason ?? change.ruleNames.join(', ')}</b>
            ) : (
              <DealLink dealId={change.dealId} name={change.dealName} />
            )}
            <span className="second">{changeWords(change)}</span>
          </span>
          <span style={{ whiteSpace: 'nowrap' }}>
            <Money amount={change.change} currency={change.currency} signed />
          </span>
        </li>
      ))}
      {more === 0 ? null : <li>and {more} more</li>}
    </ul>
  );
}
