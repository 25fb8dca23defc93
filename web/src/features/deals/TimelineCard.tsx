import { useQuery } from '@tanstack/react-query';
import { holdsQuery, invoicesQuery, payablesOfDealQuery } from '../../api/payout-queries.js';
import { type Breakdown } from '../../api/queries.js';
import { refundsQuery } from '../../api/refund-queries.js';
import { usePersistedDialog } from '../../app/persisted-state.js';
import { mayPay, seesPayments, useSession } from '../../app/session.js';
import { Button } from '../../components/Button.js';
import { Card } from '../../components/Page.js';
import { formatDay } from '../../shared/format/dates.js';
import { HoldDialog } from '../payables/HoldDialog.js';
import { HoldList } from '../payables/HoldList.js';
import { sumWords } from '../statements/pay-sums.js';
import styles from './Timeline.module.css';
import { listTimeline, type TimelineEntry } from './timeline.js';

interface TimelineCardProps {
  readonly dealId: string;
  readonly breakdown: Breakdown;
}

/** What happened to the money of a deal, from the win to the bank, and what is still to come; nothing in workspaces without payouts. */
export function TimelineCard({ dealId, breakdown }: TimelineCardProps) {
  const { role, repId: ownRepId } = useSession();
  const sees = seesPayments(role);
  const payables = useQuery(payablesOfDealQuery(dealId)).data?.payables ?? [];
  const invoices = useQuery({ ...invoicesQuery(dealId), enabled: sees }).data ?? [];
  const refunds = useQuery({ ...refundsQuery(dealId), enabled: sees }).data ?? [];
  const storageKey = `hold ${dealId}`;
  const [isHolding, setHolding] = usePersistedDialog(storageKey);
  if (payables.length === 0) return null;
  return (
    <Card
      title="From the deal to the bank"
      action={mayPay(role) ? <Button onClick={() => setHolding(true)}>Hold pay</Button> : undefined}
    >
      <ol className={styles.timeline}>
        {listTimeline({ breakdown, payables, invoices, refunds, ownRepId }).map((entry) => (
          <Entry key={entry.key} entry={entry} />
        ))}
      </ol>
      {sees ? <HoldsOfDeal dealId={dealId} /> : null}
      {isHolding ? <HoldDialog dealId={dealId} storageKey={storageKey} onClose={() => setHolding(false)} /> : null}
    </Card>
  );
}

function HoldsOfDeal({ dealId }: { readonly dealId: string }) {
  const holds = useQuery(holdsQuery(dealId)).data ?? [];
  return holds.length === 0 ? null : <HoldList holds={holds} />;
}

function Entry({ entry: { day, title, detail, sums, isChange } }: { readonly entry: TimelineEntry }) {
  return (
    <li className={day === null ? styles.ahead : undefined}>
      <span className={`num dim ${styles.day}`}>{day === null ? 'ahead' : formatDay(day, 'year')}</span>
      <span className={styles.what}>
        <b className="strong">{title}</b> <span className="dim">{detail}</span>
      </span>
      <span className={`num ${isChange ? 'dim' : 'strong'}`}>
        {sums.length === 0 ? null : isChange ? `earned ${sumWords(sums, ' and ', true)}` : sumWords(sums, ' and ')}
      </span>
    </li>
  );
}
