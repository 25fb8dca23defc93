import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { allPayoutBatchesQuery } from '../../api/payout-queries.js';
import { handoversQuery } from '../../api/payroll-queries.js';
import { mayOpen } from '../../app/navigation.js';
import { useSession } from '../../app/session.js';
import { useToday } from '../../app/today.js';
import { type Column, DataTable } from '../../components/DataTable.js';
import { combineQueries, Loaded } from '../../components/Loaded.js';
import { Card, Page } from '../../components/Page.js';
import { rowAction } from '../../components/row-keys.js';
import { Badge } from '../../components/StatusBadge.js';
import { SumLines } from '../../features/statements/SumLines.js';
import { formatDay, formatTimestamp } from '../../shared/format/dates.js';
import { formatCount, formatNumber } from '../../shared/format/numbers.js';
import { formatPeriod } from '../../shared/format/periods.js';
import { describeFile, layouts } from './layouts.js';
import { batchStates } from './PayoutCard.js';
import { listPayPeriods, type PayPeriod } from './pay-periods.js';

/** Every file that was handed over, every payout batch, and the periods that wait for one, the latest period first. */
export function HandoversPage() {
  const { workspace, role } = useSession();
  const opens = mayOpen(role, '/payroll');
  const today = useToday();
  const handovers = useQuery(handoversQuery);
  const batches = useQuery({ ...allPayoutBatchesQuery, enabled: role !== 'manager' });
  const listed = role === 'manager' ? { ...batches, data: [] } : batches;
  return (
    <Page
      title="Hand-overs"
      crumbs={[{ label: 'Pay periods', to: opens ? '/payroll' : undefined }, { label: 'Hand-overs' }]}
      facts={[
        handovers.data === undefined || listed.data === undefined
          ? null
          : formatCount(handovers.data.handovers.length + listed.data.length, 'file'),
        `amounts in ${workspace.currency}`,
      ]}
    >
      <Loaded query={combineQueries({ handovers, batches: listed })} height={480}>
        {(data) => (
          <Card isFlush>
            <DataTable
              caption="Pay periods and the files that were handed over or paid"
              columns={buildColumns(workspace.currency, opens)}
              rows={listPayPeriods({ ...data.handovers, batches: data.batches }, today)}
              rowKey={({ period, handover, batch }) => handover?.handoverId ?? batch?.batchId ?? period}
              rowHeight={53}
              isInset
            />
          </Card>
        )}
      </Loaded>
    </Page>
  );
}

function State({ row: { handover, batch, waiting } }: { readonly row: PayPeriod }) {
  if (handover !== null)
    return (
      <>
        {formatTimestamp(handover.createdAt)}
        <span className="second">{handover.actor.name}</span>
      </>
    );
  if (batch !== null) {
    const { tone, words } = batchStates[batch.status];
    return (
      <>
        <Badge tone={tone}>{batch.paidOn === null ? words : `Paid on ${formatDay(batch.paidOn, 'year')}`}</Badge>
        <span className="second">
          {batch.actor.name}, {formatTimestamp(batch.createdAt)}
        </span>
      </>
    );
  }
  return (
    <>
      <Badge tone="warning">Not handed over</Badge>
      <span className="second">
        {waiting === null ? 'in no file' : `${formatCount(waiting.people, 'person', 'people')} approved`}
      </span>
    </>
  );
}

/** `opens`: whether the reader may open the period. */
function buildColumns(currency: string, opens: boolean): readonly Column<PayPeriod>[] {
  return [
    {
      key: 'period',
      header: 'Period',
      phone: 'title',
      sortBy: ({ period }) => period,
      cell: ({ period, handover, batch }) => (
        <>
          {opens ? (
            <Link to="/payroll" search={{ period }} className="strong ink" {...rowAction}>
              {formatPeriod(period)}
            </Link>
          ) : (
            <span className="strong">{formatPeriod(period)}</span>
          )}
          {note(handover, batch)}
        </>
      ),
    },
    {
      key: 'at',
      header: 'Handed over or paid',
      phone: 'detail',
      sortBy: ({ handover, batch }) => (handover ?? batch)?.createdAt ?? null,
      cell: (row) => <State row={row} />,
    },
    {
      key: 'file',
      header: 'File',
      phone: 'note',
      cell: ({ handover, batch }) => {
        if (handover === null && batch === null) return null;
        return (
          <>
            {handover === null ? layouts[batch?.layout ?? 'generic'].label : describeFile(handover)}
            <span className="second">{(handover ?? batch)?.filename}</span>
          </>
        );
      },
    },
    {
      key: 'rows',
      header: 'Rows',
      align: 'right',
      sortBy: ({ handover, batch }) => (handover ?? batch)?.rowCount ?? null,
      cell: ({ handover, batch }) => {
        const count = (handover ?? batch)?.rowCount;
        return count === undefined ? null : <span className="num">{formatNumber(count)}</span>;
      },
    },
    {
      key: 'sum',
      header: 'Sum',
      align: 'right',
      phone: 'amount',
      cell: ({ handover, batch, waiting }) => {
        const totals = batch?.totals.map(({ currency: code, payable }) => ({ currency: code, netPayout: payable }));
        const sums = handover?.totals ?? totals ?? waiting?.totals;
        return sums === undefined ? null : (
          <SumLines
            sums={sums.map((sum) => ({ currency: sum.currency, amount: String(sum.netPayout) }))}
            main={currency}
          />
        );
      },
    },
  ];
}

function note(handover: PayPeriod['handover'], batch: PayPeriod['batch']) {
  const words = handover?.note ?? batch?.reference ?? null;
  return words === null ? null : <span className="second">{words}</span>;
}
