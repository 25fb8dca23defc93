import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { handoversQuery } from '../../api/payroll-queries.js';
import { useSession } from '../../app/session.js';
import { useToday } from '../../app/today.js';
import { type Column, DataTable } from '../../components/DataTable.js';
import { Loaded } from '../../components/Loaded.js';
import { Card, Page } from '../../components/Page.js';
import { rowAction } from '../../components/row-keys.js';
import { Badge } from '../../components/StatusBadge.js';
import { formatTimestamp } from '../../shared/format/dates.js';
import { formatCount, formatNumber } from '../../shared/format/numbers.js';
import { formatPeriod } from '../../shared/format/periods.js';
import { describeFile } from './layouts.js';
import { listPayPeriods, type PayPeriod } from './pay-periods.js';
import { SumLines } from './SumLines.js';
import { handedSums } from './sums.js';

/** Every file that was handed over, and the periods that wait for one, the latest period first. */
export function HandoversPage() {
  const { workspace } = useSession();
  const today = useToday();
  const handovers = useQuery(handoversQuery);
  const count = handovers.data?.handovers.length;
  return (
    <Page
      title="Hand-overs"
      crumbs={[{ label: 'Pay periods', to: '/payroll' }, { label: 'Hand-overs' }]}
      facts={[count === undefined ? null : formatCount(count, 'file'), `amounts in ${workspace.currency}`]}
    >
      <Loaded query={handovers} height={480}>
        {(data) => (
          <Card isFlush>
            <DataTable
              caption="Pay periods and the files that were handed over"
              columns={buildColumns(workspace.currency)}
              rows={listPayPeriods(data, today)}
              rowKey={({ period, handover }) => handover?.handoverId ?? period}
              rowHeight={53}
              isInset
            />
          </Card>
        )}
      </Loaded>
    </Page>
  );
}

function buildColumns(currency: string): readonly Column<PayPeriod>[] {
  return [
    {
      key: 'period',
      header: 'Period',
      phone: 'title',
      sortBy: ({ period }) => period,
      cell: ({ period, handover }) => (
        <>
          <Link to="/payroll" search={{ period }} className="strong ink" {...rowAction}>
            {formatPeriod(period)}
          </Link>
          {handover?.note == null ? null : <span className="second">{handover.note}</span>}
        </>
      ),
    },
    {
      key: 'at',
      header: 'Handed over',
      phone: 'detail',
      sortBy: ({ handover }) => handover?.createdAt ?? null,
      cell: ({ handover, waiting }) =>
        handover === null ? (
          <>
            <Badge tone="warning">Not handed over</Badge>
            <span className="second">
              {waiting === null ? 'nothing approved' : `${formatCount(waiting.people, 'person', 'people')} approved`}
            </span>
          </>
        ) : (
          <>
            {formatTimestamp(handover.createdAt)}
            <span className="second">{handover.actor.name}</span>
          </>
        ),
    },
    {
      key: 'file',
      header: 'File',
      phone: 'note',
      cell: ({ handover }) =>
        handover === null ? null : (
          <>
            {describeFile(handover)}
            <span className="second">{handover.filename}</span>
          </>
        ),
    },
    {
      key: 'rows',
      header: 'Rows',
      align: 'right',
      sortBy: ({ handover }) => handover?.rowCount ?? null,
      cell: ({ handover }) =>
        handover === null ? null : <span className="num">{formatNumber(handover.rowCount)}</span>,
    },
    {
      key: 'sum',
      header: 'Net payout',
      align: 'right',
      phone: 'amount',
      cell: ({ handover, waiting }) => {
        const totals = handover?.totals ?? waiting?.totals;
        return totals === undefined ? null : <SumLines sums={handedSums(totals)} main={currency} />;
      },
    },
  ];
}
