import { useQuery } from '@tanstack/react-query';
import { type Estimates, estimatesQuery } from '../../api/finance-queries.js';
import { type Column, DataTable } from '../../components/DataTable.js';
import { Loaded } from '../../components/Loaded.js';
import { Money } from '../../components/Money.js';
import { Card } from '../../components/Page.js';
import { formatPeriod } from '../../shared/format/periods.js';
import { type BooksProps } from './LiabilityCards.js';

type Row = Estimates['estimates'][number];

/** What is expected and not in the ledger, and how far it was from what was earned. Nothing without estimates. */
export function EstimatesCard({ month, entity }: BooksProps) {
  const query = useQuery(estimatesQuery(month));
  return (
    <Loaded query={query} height={160}>
      {({ estimates }) => {
        const rows = estimates.filter((row) => row.entity === entity);
        return rows.length === 0 ? null : (
          <Card title="Estimates" note="posted on the last day, reversed on the first day of the next month" isFlush>
            <DataTable
              caption="What is expected and not in the ledger"
              columns={columns}
              rows={rows}
              rowKey={({ repId, planId, ruleName, period, currency }) =>
                `${repId} ${planId} ${ruleName} ${period} ${currency}`
              }
              isInset
            />
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
  amount('inLedger', 'In the ledger'),
  amount('estimate', 'Estimate'),
  amount('outcome', 'Outcome'),
  amount('error', 'Error'),
];
