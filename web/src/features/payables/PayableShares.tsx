import { useQuery } from '@tanstack/react-query';
import { type PayableTotals, payablesOfRepQuery } from '../../api/payout-queries.js';
import blocks from '../../components/Blocks.module.css';
import { Money } from '../../components/Money.js';
import { Card } from '../../components/Page.js';
import { formatMoney } from '../../shared/format/numbers.js';
import styles from './Payables.module.css';
import { statusWords } from './words.js';

const statuses = ['paid', 'approved', 'payable', 'held', 'waiting'] as const;

/** How much of what a person has earned is paid, and where the rest is: as a bar and as figures. */
export function PayableShares({ repId }: { readonly repId: string }) {
  const { totals = [], paidOut = [] } = useQuery(payablesOfRepQuery(repId)).data ?? {};
  const converted = paidOut.filter(({ currency }) => totals.every((total) => total.currency !== currency));
  const cards = totals.map((total) => (
    <Card key={total.currency} title={`Earned ${formatMoney(total.earned, total.currency)}`}>
      <Bar total={total} />
      <ul className={blocks.rows}>
        {statuses.map((status) => (
          <li key={status}>
            <span className={styles.legend}>
              <span className={`${styles.mark} ${styles[status]}`} aria-hidden="true" />
              {statusWords[status]}
            </span>
            <Money amount={total[status]} currency={total.currency} />
          </li>
        ))}
        {total.balance === 0 ? null : (
          <li>
            <span>Paid too early, which later statements keep</span>
            <Money amount={total.balance} currency={total.currency} />
          </li>
        )}
      </ul>
    </Card>
  ));
  return (
    <>
      {cards}
      {converted.map(({ currency, amount }) => (
        <Card key={currency} title={`Paid in ${currency}`}>
          <ul className={blocks.rows}>
            <li>
              <span>{statusWords.paid}</span>
              <Money amount={amount} currency={currency} />
            </li>
          </ul>
        </Card>
      ))}
    </>
  );
}

/** Amounts that take back have no width. */
function Bar({ total }: { readonly total: PayableTotals }) {
  const sum = statuses.reduce((before, status) => before + Math.max(0, total[status]), 0);
  if (sum === 0) return null;
  return (
    <div className={styles.bar} aria-hidden="true">
      {statuses.map((status) => (
        <span
          key={status}
          className={styles[status]}
          style={{ width: `${(Math.max(0, total[status]) / sum) * 100}%` }}
        />
      ))}
    </div>
  );
}
