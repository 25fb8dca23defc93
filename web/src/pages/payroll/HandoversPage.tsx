import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type Handover, handoversQuery } from '../../api/payroll-queries.js';
import { useSession } from '../../app/session.js';
import { type Column, DataTable } from '../../components/DataTable.js';
import { Loaded } from '../../components/Loaded.js';
import { Card, Page } from '../../components/Page.js';
import { EmptyState } from '../../components/States.js';
import { formatTimestamp } from '../../shared/format/dates.js';
import { formatCount, formatNumber } from '../../shared/format/numbers.js';
import { formatPeriod } from '../../shared/format/periods.js';
import { describeFile } from './layouts.js';
import { SumLines } from './SumLines.js';
import { handedSums } from './sums.js';

/** Every file that was handed over, the latest first. */
export function HandoversPage() {
  const { workspace } = useSession();
  const handovers = useQuery(handoversQuery);
  const count = handovers.data?.handovers.length;
  return (
    <Page
      title="Hand-overs"
      crumbs={[{ label: 'Pay periods', to: '/payroll' }, { label: 'Hand-overs' }]}
      facts={[count === undefined ? null : formatCount(count, 'file'), `amounts in ${workspace.currency}`]}
    >
      <Loaded query={handovers} height={480}>
        {({ handovers: all }) =>
          all.length === 0 ? (
            <EmptyState title="No file was handed over yet">
              Files appear here when a period is marked as handed over.
            </EmptyState>
          ) : (
            <Card isFlush>
              <DataTable
                caption="Files that were handed over"
                columns={buildColumns(workspace.currency)}
                rows={all}
                rowKey={({ handoverId }) => handoverId}
                rowHeight={53}
                isInset
              />
            </Card>
          )
        }
      </Loaded>
    </Page>
  );
}

function buildColumns(currency: string): readonly Column<Handover>[] {
  return [
    {
      key: 'period',
      header: 'Period',
      phone: 'title',
      sortBy: ({ period }) => period,
      cell: ({ period, note }) => (
        <>
          <Link to="/payroll" search={{ period }}>
            {formatPeriod(period)}
          </Link>
          {note === null ? null : <span className="second">{note}</span>}
        </>
      ),
    },
    {
      key: 'at',
      header: 'Handed over',
      phone: 'detail',
      sortBy: ({ createdAt }) => createdAt,
      cell: ({ actor, createdAt }) => (
        <>
          {formatTimestamp(createdAt)}
          <span className="second">{actor.name}</span>
        </>
      ),
    },
    {
      key: 'file',
      header: 'File',
      phone: 'note',
      cell: (handover) => (
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
      sortBy: ({ rowCount }) => rowCount,
      cell: ({ rowCount }) => <span className="num">{formatNumber(rowCount)}</span>,
    },
    {
      key: 'sum',
      header: 'Net payout',
      align: 'right',
      phone: 'amount',
      cell: ({ totals }) => <SumLines sums={handedSums(totals)} main={currency} />,
    },
  ];
}
