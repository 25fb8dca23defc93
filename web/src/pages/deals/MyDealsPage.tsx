import { useQueries, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import {
  breakdownQuery,
  closedDealsPage,
  closedDealsQuery,
  type Dashboard,
  type Deal,
  openDealsPage,
  openDealsQuery,
} from '../../api/queries.js';
import { useSession } from '../../app/session.js';
import { usePeriod } from '../../app/today.js';
import { type Column, DataTable } from '../../components/DataTable.js';
import { DealAmount } from '../../components/DealAmount.js';
import { combineQueries, FailedPart, Loaded, LoadFailure, orFailure } from '../../components/Loaded.js';
import { DealLink } from '../../components/links.js';
import { Card, Page } from '../../components/Page.js';
import { Pager } from '../../components/Pager.js';
import { PeriodPicker } from '../../components/PeriodPicker.js';
import { formatDay } from '../../shared/format/dates.js';
import { sumAmounts } from '../../shared/format/exact.js';
import { formatCount } from '../../shared/format/numbers.js';
import { formatPeriod } from '../../shared/format/periods.js';
import styles from './Deals.module.css';
import { lateWords, mainReason } from './reasons.js';

const route = getRouteApi('/_shell/me/deals');

type Closed = Dashboard['closedDeals'][number] & { readonly why: string };

/** Closed deals with what they paid or why they paid nothing, and open deals. */
export function MyDealsPage() {
  const { repId } = useSession();
  const { period: chosen, page = 0, open: openPage = 0 } = route.useSearch();
  const navigate = useNavigate({ from: '/me/deals' });
  const period = usePeriod(chosen);
  const dashboard = useQuery(closedDealsQuery(repId, period, page));
  const open = useQuery(openDealsQuery(repId, openPage));
  const toPage = (next: { page?: number | undefined; open?: number | undefined }) =>
    navigate({ search: (search) => ({ ...search, ...next }), resetScroll: false });
  const closed = useReasons(dashboard.data?.closedDeals ?? []);
  return (
    <Page
      title="Deals"
      crumbs={[{ label: 'Deals' }, { label: formatPeriod(period) }]}
      facts={[
        dashboard.data === undefined
          ? null
          : `${formatCount(dashboard.data.closedDealCount, 'deal')} closed in ${formatPeriod(period)}`,
      ]}
      actions={<PeriodPicker period={period} onChange={(next) => navigate({ search: { period: next } })} />}
    >
      <Loaded query={combineQueries({ dashboard, open: orFailure(open) })} height={560}>
        {({ dashboard: { closedDealCount }, open: loaded }) => (
          <>
            <Card title="Closed" isFlush>
              {closedDealCount === 0 ? (
                <p className={styles.none}>No deal closed in {formatPeriod(period)}.</p>
              ) : (
                <DataTable
                  caption="Closed deals"
                  columns={closed.some(({ why }) => why !== '') ? closedColumns : closedColumns.slice(0, -1)}
                  rows={closed}
                  rowKey={({ dealId }) => dealId}
                  isInset
                  total={closedDealCount > closedDealsPage ? undefined : findTotal(closed)}
                />
              )}
              {closedDealCount <= closedDealsPage ? null : (
                <Pager
                  page={page}
                  pageSize={closedDealsPage}
                  count={closedDealCount}
                  onChange={(next) => toPage({ page: next === 0 ? undefined : next })}
                />
              )}
            </Card>
            <OpenDeals
              open={loaded}
              page={openPage}
              onPage={(next) => toPage({ open: next === 0 ? undefined : next })}
            />
          </>
        )}
      </Loaded>
    </Page>
  );
}

/** Is displayed where the reason was not read: the page of the deal has it. */
const unreadReason = 'Open the deal to see why';

/** Reads why won deals without an amount were not paid; of the first ones, because each needs a calculation. */
function useReasons(deals: Dashboard['closedDeals']): readonly Closed[] {
  const unpaid = deals
    .filter((deal) => deal.commission === 0 && lateWords(deal) === null && !/lost/i.test(deal.stage ?? ''))
    .slice(0, 20);
  const answers = useQueries({ queries: unpaid.map(({ dealId }) => breakdownQuery(dealId)) });
  const reasons = new Map(
    unpaid.map(({ dealId }, index) => {
      const answer = answers[index];
      if (answer?.data !== undefined) return [dealId, mainReason(answer.data.outcomes)];
      return [dealId, answer?.error === null ? '…' : unreadReason];
    }),
  );
  return deals.map((deal) => {
    const late = lateWords(deal);
    if (late !== null) return { ...deal, why: late };
    if (deal.commission !== 0) return { ...deal, why: '' };
    if (/lost/i.test(deal.stage ?? '')) return { ...deal, why: 'Lost' };
    return { ...deal, why: reasons.get(deal.dealId) ?? unreadReason };
  });
}

/** The sum of the commission; none of several currencies. */
function findTotal(deals: readonly Closed[]) {
  const currencies = new Set(deals.map(({ commissionCurrency }) => commissionCurrency));
  const [currency] = currencies;
  if (currencies.size !== 1 || currency === undefined) return undefined;
  return {
    deal: 'Total',
    commission: <DealAmount amount={sumAmounts(deals.map(({ commission }) => commission))} currency={currency} />,
  };
}

const closedColumns: readonly Column<Closed>[] = [
  {
    key: 'deal',
    header: 'Deal',
    phone: 'title',
    cell: ({ dealId, name }) => <DealLink dealId={dealId} name={name} isRow />,
  },
  { key: 'id', header: 'ID', cell: ({ dealId }) => <span className="dim">{dealId}</span> },
  {
    key: 'closed',
    header: 'Closed',
    phone: 'detail',
    sortBy: ({ closeDate }) => closeDate,
    cell: ({ closeDate }) => formatDay(closeDate),
  },
  { key: 'stage', header: 'Stage', cell: ({ stage }) => stage },
  {
    key: 'amount',
    header: 'Amount',
    align: 'right',
    sortBy: ({ amount }) => amount ?? null,
    cell: ({ amount, currency }) => <DealAmount amount={amount} currency={currency} />,
  },
  {
    key: 'commission',
    header: 'Commission',
    align: 'right',
    phone: 'amount',
    sortBy: ({ commission }) => commission,
    cell: ({ commission, commissionCurrency }) => <DealAmount amount={commission} currency={commissionCurrency} />,
  },
  { key: 'why', header: 'Note', phone: 'detail', cell: ({ why }) => <span className="dim">{why}</span> },
];

interface OpenDealsProps {
  readonly open: { readonly deals: readonly Deal[]; readonly count: number } | LoadFailure;
  readonly page: number;
  readonly onPage: (page: number) => void;
}

function OpenDeals({ open, page, onPage }: OpenDealsProps) {
  if (open instanceof LoadFailure)
    return (
      <Card title="Open" isFlush>
        <p className={styles.none}>
          <FailedPart what="Your open deals" failure={open} />
        </p>
      </Card>
    );
  const { deals, count } = open;
  return (
    <Card title="Open" note={formatCount(count, 'deal')} isFlush action={<Link to="/me/simulate">If I close …</Link>}>
      {count === 0 ? (
        <p className={styles.none}>You have no open deals.</p>
      ) : (
        <DataTable caption="Open deals" columns={openColumns} rows={deals} rowKey={({ deal_id }) => deal_id} isInset />
      )}
      {count <= openDealsPage ? null : (
        <Pager page={page} pageSize={openDealsPage} count={count} labels={['Previous', 'Next']} onChange={onPage} />
      )}
    </Card>
  );
}

const openColumns: readonly Column<Deal>[] = [
  {
    key: 'deal',
    header: 'Deal',
    phone: 'title',
    cell: ({ deal_id: dealId, name }) => <DealLink dealId={dealId} name={name} isRow />,
  },
  { key: 'id', header: 'ID', cell: ({ deal_id }) => <span className="dim">{deal_id}</span> },
  {
    key: 'close',
    header: 'Expected',
    phone: 'detail',
    sortBy: ({ closeDate }) => closeDate ?? null,
    cell: ({ closeDate }) => (closeDate === null ? '–' : formatDay(closeDate)),
  },
  { key: 'stage', header: 'Stage', phone: 'detail', cell: ({ stage }) => stage },
  {
    key: 'amount',
    header: 'Amount',
    align: 'right',
    phone: 'amount',
    sortBy: ({ amount }) => amount ?? null,
    cell: ({ amount, currency }) => <DealAmount amount={amount} currency={currency} />,
  },
];
