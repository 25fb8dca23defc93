import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { type Estimates, estimatesQuery } from '../../api/finance-queries.js';
import { usePersistedDialog } from '../../app/persisted-state.js';
import { useSession } from '../../app/session.js';
import { Button, buttonClass } from '../../components/Button.js';
import { type Column, DataTable } from '../../components/DataTable.js';
import { Loaded } from '../../components/Loaded.js';
import { Money } from '../../components/Money.js';
import { Card } from '../../components/Page.js';
import { formatCount, formatMoney, formatNumber } from '../../shared/format/numbers.js';
import { formatPeriod } from '../../shared/format/periods.js';
import styles from './Finance.module.css';
import { type BooksProps } from './LiabilityCards.js';

type Row = Estimates['estimates'][number];

const EstimatesDialog = lazy(() =>
  import('./EstimatesDialog.js').then((module) => ({ default: module.EstimatesDialog })),
);

interface EstimatesProps extends BooksProps {
  /** Whether the month can still change. */
  readonly isOpen: boolean;
}

/** What is expected and not in the ledger, and how far it was from what was earned. */
export function EstimatesCard({ month, entity, isOpen }: EstimatesProps) {
  const query = useQuery(estimatesQuery(month));
  const { role } = useSession();
  const [isEntering, setEntering] = usePersistedDialog(`estimates ${month}`);
  const canEnter = isOpen && (role === 'admin' || role === 'payroll');
  return (
    <Loaded query={query} height={160}>
      {({ estimates, errors }) => {
        const rows = estimates.filter((row) => row.entity === entity);
        if (rows.length === 0 && !canEnter) return null;
        return (
          <Card
            title="Estimates"
            note="posted on the last day, reversed on the first day of the next month"
            action={
              canEnter ? (
                <div className={styles.buttons}>
                  {role === 'admin' ? (
                    <Link to="/imports/$kind" params={{ kind: 'estimates' }} className={buttonClass()}>
                      Import estimates
                    </Link>
                  ) : null}
                  <Button onClick={() => setEntering(true)}>Enter estimates</Button>
                </div>
              ) : undefined
            }
            isFlush={rows.length > 0}
          >
            {rows.length === 0 ? (
              <p className="dim">None. Rules that pay at the end of a period belong in part to the months before.</p>
            ) : (
              <DataTable
                caption="What is expected and not in the ledger"
                columns={columns}
                rows={rows}
                rowKey={({ repId, planId, ruleName, period, currency }) =>
                  `${repId} ${planId} ${ruleName} ${period} ${currency}`
                }
                isInset
              />
            )}
            {errors.length === 0 ? null : (
              <p className={styles.errors}>
                Mean error of the month, without signs:{' '}
                {errors.map(({ currency, meanAbsoluteError }) => formatMoney(meanAbsoluteError, currency)).join(', ')}
              </p>
            )}
            <Suspense fallback={null}>
              {isEntering && canEnter ? (
                <EstimatesDialog month={month} stored={estimates} onClose={() => setEntering(false)} />
              ) : null}
            </Suspense>
          </Card>
        );
      }}
    </Loaded>
  );
}

const amount = (key: 'inLedger' | 'estimate' | 'outcome' | 'error', header: string): Column<Row> => ({
  key,
  header,
  align: 'right',
  ...(key === 'estimate' ? { phone: 'amount' as const } : {}),
  cell: (row) => {
    const value = row[key];
    return value === null ? null : <Money amount={value} currency={row.currency} unit="none" dimsZero />;
  },
});

const columns: readonly Column<Row>[] = [
  { key: 'person', header: 'Person', phone: 'title', cell: ({ repName }) => repName },
  { key: 'rule', header: 'Rule', phone: 'detail', cell: ({ ruleName }) => ruleName },
  { key: 'period', header: 'Period', phone: 'detail', cell: ({ period }) => formatPeriod(period) },
  { key: 'currency', header: 'Currency', phone: 'detail', cell: ({ currency }) => currency },
  {
    key: 'elapsed',
    header: 'Ended',
    align: 'right',
    cell: ({ elapsed, months }) => `${elapsed} of ${formatCount(months, 'month')}`,
  },
  amount('inLedger', 'In the ledger'),
  amount('estimate', 'Estimate'),
  amount('outcome', 'Outcome'),
  amount('error', 'Error'),
  {
    key: 'errorPercent',
    header: 'Error, %',
    align: 'right',
    cell: ({ errorPercent }) =>
      errorPercent === null ? null : <span className="num">{formatNumber(errorPercent)}</span>,
  },
];
