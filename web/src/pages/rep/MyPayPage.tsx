import { IconCalculator, IconChevronLeft } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import {
  type Dashboard,
  type Deal,
  dashboardQuery,
  dealsQuery,
  type Line,
  type OwnStatement,
  ownPlansQuery,
  ownStatementsQuery,
  type Plan,
  type Statement,
  statementQuery,
} from '../../api/queries.js';
import { updatesQuery } from '../../api/updates-query.js';
import { useSession } from '../../app/session.js';
import { usePeriod, useToday } from '../../app/today.js';
import blocks from '../../components/Blocks.module.css';
import { ButtonContent, buttonClass } from '../../components/Button.js';
import { EarningsBars } from '../../components/EarningsBars.js';
import { RowHints } from '../../components/Kbd.js';
import { combineQueries, Loaded, LoadFailure, orFailure } from '../../components/Loaded.js';
import { Card, Page } from '../../components/Page.js';
import { PeriodPicker } from '../../components/PeriodPicker.js';
import { EmptyState, Skeleton } from '../../components/States.js';
import { LinesTable } from '../../features/lines/LinesTable.js';
import { selectLines } from '../../features/lines/visible-lines.js';
import { orderedLines } from '../../features/lines/words.js';
import { ZeroLines } from '../../features/lines/ZeroLines.js';
import { mainQuota } from '../../features/plans/attainment.js';
import { listRules, needsQuota } from '../../features/plans/rules.js';
import { LazyTraceDrawer } from '../../features/trace/LazyTraceDrawer.js';
import { formatInstant } from '../../shared/format/dates.js';
import { formatCount } from '../../shared/format/numbers.js';
import { daysOf, formatPeriod, hasDays, shiftPeriod, shortPeriod } from '../../shared/format/periods.js';
import { ChangeFeed } from './ChangeFeed.js';
import { NoPlan } from './NoPlan.js';
import { PaySummary } from './PaySummary.js';
import { TierCard } from './TierCard.js';
import { UpdatesBadge } from './UpdatesBadge.js';

const YourMoney = lazy(() =>
  import('../../features/payslip/YourMoney.js').then((module) => ({ default: module.YourMoney })),
);

const PayCalendarCard = lazy(() =>
  import('../../features/payslip/PayCalendarCard.js').then((module) => ({ default: module.PayCalendarCard })),
);

const ForecastCard = lazy(() => import('./ForecastCard.js').then((module) => ({ default: module.ForecastCard })));

const route = getRouteApi('/_shell/me');

/** What did I earn, why, and how far is the next tier. */
export function MyPayPage() {
  const session = useSession();
  const navigate = useNavigate({ from: '/me' });
  const { period: chosen, trace, lines: visible } = route.useSearch();
  const period = usePeriod(chosen);
  const dashboard = useQuery(dashboardQuery(session.repId, period));
  const plans = useQuery(ownPlansQuery(session.repId));
  const live = useQuery(statementQuery(session.repId, period, true));
  const statements = useQuery(ownStatementsQuery(session.repId));
  const open = useQuery(dealsQuery({ repId: session.repId, isClosed: 'false', closedFrom: useToday(), limit: '200' }));
  const { data: updates } = useQuery(updatesQuery(session.repId));
  const showsAll = visible === 'all';
  const lines = selectLines(orderedLines(live.data?.lineItems ?? []), { showsAll, tracedId: trace });
  return (
    <Page
      isInOrder
      title={`${greet(new Date().getHours())}, ${session.name.split(' ')[0]}`}
      crumbs={[{ label: 'My pay', to: '/me' }, { label: formatPeriod(period) }]}
      facts={[
        (plans.data ?? []).map(({ name, version }) => `${name}, version ${version}`).join(', '),
        dashboard.dataUpdatedAt === 0
          ? null
          : `updated ${formatInstant(new Date(dashboard.dataUpdatedAt).toISOString())}`,
        updates == null || updates.count === 0 ? null : <UpdatesBadge key="updates" updates={updates} />,
      ]}
      actions={<PeriodPicker period={period} onChange={(next) => navigate({ search: { period: next } })} />}
    >
      <Loaded
        query={combineQueries({
          dashboard,
          plans,
          live,
          statements: orFailure(statements),
          open: orFailure(open),
        })}
        height={900}
      >
        {(loaded) => <Content {...loaded} period={period} traced={trace ?? null} visible={lines} showsAll={showsAll} />}
      </Loaded>
      {trace === undefined ? null : <LazyTraceDrawer eventId={trace} eventIds={lines.map(({ eventId }) => eventId)} />}
    </Page>
  );
}

/** By the clock of the reader. */
function greet(hour: number): string {
  if (hour < 12) return 'Good morning';
  return hour < 18 ? 'Good afternoon' : 'Good evening';
}

interface ContentProps {
  readonly dashboard: Dashboard;
  readonly plans: readonly Plan[];
  readonly live: Statement;
  readonly statements: readonly OwnStatement[] | LoadFailure;
  readonly open: { readonly deals: readonly Deal[] } | LoadFailure;
  readonly period: string;
  readonly traced: string | null;
  /** The lines that are displayed. */
  readonly visible: readonly Line[];
  readonly showsAll: boolean;
}

function Content({ dashboard, plans, live, statements, open, period, traced, visible, showsAll }: ContentProps) {
  const main = mainQuota(dashboard.attainment, plans);
  const { currency, earnings, trend } = dashboard;
  const lines = live.lineItems;
  const isOver = useToday() > daysOf(period).to;
  if (lines.length === 0 && plans.length === 0) return <NoPlan />;
  return (
    <>
      {paysOut(live, statements) ? (
        <Suspense fallback={<Skeleton height={220} />}>
          <YourMoney repId={dashboard.repId} />
          <PayCalendarCard repId={dashboard.repId} currency={currency} />
        </Suspense>
      ) : null}
      <PaySummary
        dashboard={dashboard}
        main={main}
        needsQuota={plans.some((plan) => listRules(plan).some(needsQuota))}
        statements={statements}
        period={period}
      />
      {main === null ? null : (
        <TierCard main={main} openDeals={open instanceof LoadFailure ? open : open.deals} currency={currency} />
      )}
      {trend.every(({ total, otherCurrencies }) => total === 0 && otherCurrencies === undefined) ? null : (
        <div className={blocks.cardColumns}>
          <EarningsBars months={trend} period={period} currency={currency} />
          <ChangeFeed lines={live.lineItems} currency={currency} />
        </div>
      )}
      {lines.length === 0 ? (
        <NothingEarned period={period} />
      ) : (
        <Card
          title="Line items"
          note={`${formatCount(visible.length, 'line')}, amounts in ${currency}`}
          isFlush
          action={
            <span className={blocks.actions}>
              <ZeroLines lines={lines} showsAll={showsAll} />
              <RowHints action="explain" />
            </span>
          }
        >
          <LinesTable
            lines={visible}
            currency={currency}
            tracedId={traced}
            totalLabel={`Earned in ${formatPeriod(period)}`}
            total={earnings.total}
          />
        </Card>
      )}
      {isOver || plans.length === 0 ? null : (
        <Suspense fallback={<Skeleton height={200} />}>
          <ForecastCard repId={dashboard.repId} period={period} />
        </Suspense>
      )}
    </>
  );
}

/** Whether statements pay what is payable, and not what is earned. */
function paysOut(live: Statement, statements: ContentProps['statements']): boolean {
  if (live.payslip !== undefined) return true;
  return !(statements instanceof LoadFailure) && statements.some(({ payslip }) => payslip !== undefined);
}

function NothingEarned({ period }: { readonly period: string }) {
  const before = shiftPeriod(period, -1);
  const isOver = useToday() > daysOf(period).to;
  return (
    <EmptyState
      title={`No commissions for ${formatPeriod(period)}${isOver ? '' : ' yet'}`}
      actions={
        <>
          {hasDays(before) ? (
            <Link to="/me" search={{ period: before }} className={buttonClass()}>
              <ButtonContent icon={IconChevronLeft}>See {shortPeriod(before)}</ButtonContent>
            </Link>
          ) : null}
          {isOver ? null : (
            <Link to="/me/simulate" className={buttonClass()}>
              <ButtonContent icon={IconCalculator}>If I close …</ButtonContent>
            </Link>
          )}
        </>
      }
    >
      {isOver
        ? 'No deal of yours closed in this period, or none paid commission.'
        : 'They appear here when one of your deals closes, usually within a minute.'}
    </EmptyState>
  );
}
