import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type Discrepancy, discrepanciesQuery } from '../../api/team-queries.js';
import { useSession } from '../../app/session.js';
import { type Column, DataTable } from '../../components/DataTable.js';
import { Loaded } from '../../components/Loaded.js';
import { LedgerTotal, Money } from '../../components/Money.js';
import { rowAction } from '../../components/row-keys.js';
import { sumAmounts } from '../../shared/format/exact.js';
import { formatPeriod } from '../../shared/format/periods.js';
import styles from './Overview.module.css';

const maxVisible = 6;

/** Approved statements that would differ today, the largest difference first. */
export function OpenDiscrepancies() {
  const { workspace } = useSession();
  const open = useQuery(discrepanciesQuery('open'));
  return (
    <section>
      <div className={styles.head}>
        <h2>Changed after approval</h2>
        <Link to="/discrepancies">All discrepancies</Link>
      </div>
      <Loaded query={open} height={160}>
        {(discrepancies) =>
          discrepancies.length === 0 ? (
            <p className="dim">Approved statements are as they would be today.</p>
          ) : (
            <DataTable
              caption="Open discrepancies"
              columns={columns}
              rows={[...discrepancies].sort((a, b) => Math.abs(b.delta) - Math.abs(a.delta)).slice(0, maxVisible)}
              rowKey={({ discrepancyId }) => discrepancyId}
              rowHeight={50}
              total={{
                person: 'Nothing is paid until you decide',
                delta: (
                  <LedgerTotal
                    amount={sumAmounts(
                      discrepancies
                        .filter((discrepancy) => discrepancy.currency === workspace.currency)
                        .map(({ delta }) => delta),
                    )}
                    currency={workspace.currency}
                    signed
                  />
                ),
              }}
            />
          )
        }
      </Loaded>
    </section>
  );
}

const columns: readonly Column<Discrepancy>[] = [
  {
    key: 'person',
    header: 'Person',
    phone: 'title',
    cell: ({ discrepancyId, repName, period }) => (
      <>
        <Link to="/discrepancies" search={{ open: discrepancyId }} className="ink strong" {...rowAction}>
          {repName}
        </Link>
        <span className="second">{formatPeriod(period)}</span>
      </>
    ),
  },
  {
    key: 'approved',
    header: 'Approved',
    align: 'right',
    cell: ({ approved, currency }) => (
      <span className="dim">
        <Money amount={approved} currency={currency} unit="none" />
      </span>
    ),
  },
  {
    key: 'live',
    header: 'Now',
    align: 'right',
    phone: 'detail',
    cell: ({ live, currency }) => <Money amount={live} currency={currency} unit="none" />,
  },
  {
    key: 'delta',
    header: 'Difference',
    align: 'right',
    phone: 'amount',
    cell: ({ delta, currency }) => (
      <span className="strong">
        <Money amount={delta} currency={currency} unit="none" signed />
      </span>
    ),
  },
];
