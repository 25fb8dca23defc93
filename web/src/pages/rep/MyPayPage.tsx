import { IconCalculator, IconChevronLeft } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import {
  type Dashboard,
  dashboardQuery,
  type Plan,
  plansQuery,
  type Statement,
  statementQuery,
} from '../../api/queries.js';
import { useSession } from '../../app/session.js';
import { ButtonContent, buttonClass } from '../../components/Button.js';
import { EarningsBars } from '../../components/EarningsBars.js';
import { KeyHints } from '../../components/Kbd.js';
import { Card, Page } from '../../components/Page.js';
import { PeriodPicker } from '../../components/PeriodPicker.js';
import { EmptyState, ErrorState, Skeleton } from '../../components/States.js';
import { formatInstant, todayIn } from '../../format/dates.js';
import { formatCount, formatMoney } from '../../format/numbers.js';
import { formatPeriod, monthOf, shiftPeriod, shortPeriod } from '../../format/periods.js';
import { LinesTable, orderedLines } from '../../lines/LinesTable.js';
import { mainQuota } from '../../plans/attainment.js';
import { TraceDrawer } from '../../trace/TraceDrawer.js';
import { ChangeFeed } from './ChangeFeed.js';
import styles from './MyPay.module.css';
import { PaySummary } from './PaySummary.js';
import { TierCard } from './TierCard.js';

const route = getRouteApi('/_shell/me');

/** What did I earn, why, and how far is the next tier. */
export function MyPayPage() {
  const session = useSession();
  const navigate = useNavigate({ from: '/me' });
  const { period: chosen, trace } = route.useSearch();
  const period = chosen ?? monthOf(todayIn(session.workspace.timezone));
  const dashboard = useQuery(dashboardQuery(session.repId, period));
  const plans = useQuery(plansQuery);
  const live = useQuery(statementQuery(session.repId, period, true));
  const lines = orderedLines(live.data?.lineItems ?? []);
  const own = (plans.data ?? []).filter(({ assignedReps }) =>
    assignedReps.some(({ repId }) => repId === session.repId),
  );
  return (
    <Page
      title={`${greeting(session.workspace.timezone)}, ${session.name.split(' ')[0]}`}
      crumbs={[{ label: 'My pay', to: '/me' }, { label: formatPeriod(period) }]}
      facts={[
        own.map(({ name, version }) => `${name}, version ${version}`).join(', '),
        dashboard.dataUpdatedAt === 0
          ? null
          : `updated ${formatInstant(new Date(dashboard.dataUpdatedAt).toISOString())}`,
      ]}
      actions={<PeriodPicker period={period} onChange={(next) => navigate({ search: { period: next } })} />}
    >
      {dashboard.data === undefined || plans.data === undefined || live.data === undefined ? (
        <Waiting queries={[dashboard, live, plans]} />
      ) : (
        <Content
          dashboard={dashboard.data}
          plans={plans.data}
          live={live.data}
          period={period}
          traced={trace ?? null}
        />
      )}
      {trace === undefined ? null : (
        <TraceDrawer
          eventId={trace}
          eventIds={lines.map(({ eventId }) => eventId)}
          onShow={(eventId) => navigate({ search: (search) => ({ ...search, trace: eventId }) })}
          onClose={() => navigate({ search: ({ period: of }) => ({ period: of }) })}
        />
      )}
    </Page>
  );
}

interface WaitingProps {
  readonly queries: readonly { readonly error: Error | null; readonly refetch: () => unknown }[];
}

/** Until all data is there: a skeleton, or the first error. */
function Waiting({ queries }: WaitingProps) {
  const failed = queries.find(({ error }) => error !== null);
  if (failed !== undefined) return <ErrorState error={failed.error} onRetry={failed.refetch} />;
  return <Skeleton height={900} />;
}

function greeting(timeZone: string): string {
  const hour = Number(
    new Intl.DateTimeFormat('en-GB', { hour: '2-digit', hourCycle: 'h23', timeZone }).format(new Date()),
  );
  if (hour < 12) return 'Good morning';
  return hour < 18 ? 'Good afternoon' : 'Good evening';
}

interface ContentProps {
  readonly dashboard: Dashboard;
  readonly plans: readonly Plan[];
  readonly live: Statement;
  readonly period: string;
  readonly traced: string | null;
}

function Content({ dashboard, plans, live, period, traced }: ContentProps) {
  const main = mainQuota(dashboard.attainment, plans);
  const { currency, earnings, trend } = dashboard;
  const lines = orderedLines(live.lineItems);
  if (lines.length === 0 && dashboard.closedDeals.length === 0)
    return <NothingYet period={period} currency={currency} />;
  return (
    <>
      <PaySummary dashboard={dashboard} main={main} period={period} />
      {main === null ? null : <TierCard main={main} currency={currency} />}
      <div className={styles.columns}>
        <EarningsBars months={trend} currency={currency} />
        <ChangeFeed lines={live.lineItems} currency={currency} />
      </div>
      <Card
        title="Line items"
        note={`${formatCount(lines.length, 'line')}, amounts in ${currency}`}
        isFlush
        action={
          <KeyHints
            hints={[
              { keys: ['j', 'k'], action: 'move' },
              { keys: ['Enter'], action: 'explain' },
            ]}
          />
        }
      >
        <LinesTable
          lines={lines}
          currency={currency}
          tracedId={traced}
          totalLabel={`Earned in ${formatPeriod(period)}`}
          total={earnings.total}
        />
      </Card>
    </>
  );
}

function NothingYet({ period, currency }: { readonly period: string; readonly currency: string }) {
  const before = shiftPeriod(period, -1);
  return (
    <EmptyState
      title={`No commissions for ${shortPeriod(period)} yet`}
      sum={formatMoney(0, currency)}
      actions={
        <>
          <Link to="/me" search={{ period: before }} className={buttonClass()}>
            <ButtonContent icon={IconChevronLeft}>See {shortPeriod(before)}</ButtonContent>
          </Link>
          <Link to="/me/simulate" className={buttonClass()}>
            <ButtonContent icon={IconCalculator}>If I close …</ButtonContent>
          </Link>
        </>
      }
    >
      They appear here when one of your deals closes, usually within a minute.
    </EmptyState>
  );
}
