import { IconAlertTriangle, IconLock } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { downloadStatement } from '../../api/download.js';
import { dashboardQuery, type Statement, statementQuery } from '../../api/queries.js';
import { findUrl } from '../../app/navigation.js';
import { onlyReads, useSession } from '../../app/session.js';
import { usePeriod } from '../../app/today.js';
import blocks from '../../components/Blocks.module.css';
import { buttonClass } from '../../components/Button.js';
import { EarningsBars } from '../../components/EarningsBars.js';
import { ExportMenu } from '../../components/ExportMenu.js';
import { Loaded } from '../../components/Loaded.js';
import { StatementLink } from '../../components/links.js';
import { Note } from '../../components/Note.js';
import { Card, Page } from '../../components/Page.js';
import { PeriodPicker } from '../../components/PeriodPicker.js';
import { EmptyState, Skeleton } from '../../components/States.js';
import { ApprovalChain } from '../../features/approvals/ApprovalChain.js';
import { selectLines } from '../../features/lines/visible-lines.js';
import { PayableList } from '../../features/payables/PayableList.js';
import { PaidBadge } from '../../features/payslip/PaidBadge.js';
import { OwnChanges } from '../../features/statements/OwnChanges.js';
import { ProposedAdjustments } from '../../features/statements/ProposedAdjustments.js';
import { livePaid } from '../../features/statements/pay-sums.js';
import { LazyTraceDrawer } from '../../features/trace/LazyTraceDrawer.js';
import { formatTimestamp } from '../../shared/format/dates.js';
import { formatMoney } from '../../shared/format/numbers.js';
import { formatPeriod, shortPeriod } from '../../shared/format/periods.js';
import { StatementActions } from './StatementActions.js';
import { groupLines, StatementLines } from './StatementLines.js';
import styles from './StatementPage.module.css';
import { StatementTotals } from './StatementTotals.js';

const CommentThread = lazy(() => import('./CommentThread.js').then((module) => ({ default: module.CommentThread })));
const StatementReview = lazy(() =>
  import('./StatementReview.js').then((module) => ({ default: module.StatementReview })),
);
const StatementQuestions = lazy(() =>
  import('./StatementQuestions.js').then((module) => ({ default: module.StatementQuestions })),
);

const route = getRouteApi('/_shell/statements/$repId');

/** One statement: totals, lines by rule, and what was said about it. */
export function StatementPage() {
  const { repId } = route.useParams();
  const { period: chosen, trace, lines, find = '' } = route.useSearch();
  const { role, repId: own } = useSession();
  const navigate = useNavigate({ from: '/statements/$repId' });
  const period = usePeriod(chosen);
  const query = useQuery(statementQuery(repId, period));
  const statement = query.data;
  const reviews = repId !== own && (role === 'manager' || role === 'admin');
  const showsAll = lines === 'all';
  const visible = selectLines(statement?.lineItems ?? [], { showsAll, tracedId: trace, find });
  const eventIds = groupLines(visible).flatMap((group) => group.lines.map(({ eventId }) => eventId));
  return (
    <Page
      title={repId === own ? 'Statement' : (statement?.repName ?? 'Statement')}
      crumbs={[
        reviews
          ? { label: 'Approvals', to: findUrl(role, 'Approvals') }
          : { label: 'Statements', to: findUrl(role, 'Statements') },
        { label: formatPeriod(period) },
      ]}
      facts={[repId === own ? statement?.repName : `Statement of ${formatPeriod(period)}`, planNames(statement)]}
      actions={
        <>
          {statement === undefined ? null : <StatementActions key={`${repId} ${period}`} statement={statement} />}
          <PeriodPicker period={period} onChange={(next) => navigate({ search: { period: next } })} />
        </>
      }
    >
      <Loaded query={query} height={600}>
        {(loaded) => (
          <>
            <StatusLine statement={loaded} />
            {reviews ? (
              <Suspense fallback={<Skeleton height={32} />}>
                <StatementReview repId={repId} period={period} />
              </Suspense>
            ) : null}
            <ProposedAdjustments statement={loaded} />
            <ApprovalChain statement={loaded} />
            <CoveredNote statement={loaded} />
            <OwnChangesNote statement={loaded} />
            <OwedNote statement={loaded} />
            <div className={`${blocks.columns} ${styles.columns}`}>
              <div>
                <StatementTotals statement={loaded} />
                <NotPaid statement={loaded} />
                {loaded.lineItems.length === 0 ? (
                  <EmptyState title={`No amounts for ${shortPeriod(period)}`} sum={formatMoney(0, loaded.currency)}>
                    Lines appear when a deal of the period closes.
                  </EmptyState>
                ) : (
                  <StatementLines
                    statement={loaded}
                    visible={visible}
                    showsAll={showsAll}
                    find={find}
                    onFind={(text) =>
                      navigate({
                        search: (search) => ({ ...search, find: text === '' ? undefined : text }),
                        replace: true,
                      })
                    }
                    tracedId={trace ?? null}
                  />
                )}
                {reviews ? <Months repId={repId} period={period} /> : null}
              </div>
              <aside className={`${blocks.inOrder} ${styles.side}`} aria-label="Questions and comments">
                <Suspense fallback={<Skeleton height={240} />}>
                  <StatementQuestions repId={repId} period={period} mayAsk={repId === own} />
                  <CommentThread repId={repId} period={period} />
                </Suspense>
              </aside>
            </div>
          </>
        )}
      </Loaded>
      {trace === undefined ? null : <LazyTraceDrawer eventId={trace} eventIds={eventIds} period={period} isBeside />}
    </Page>
  );
}

/** The months of the person, as they see them on their own page. */
function Months({ repId, period }: { readonly repId: string; readonly period: string }) {
  const dashboard = useQuery(dashboardQuery(repId, period)).data;
  if (dashboard === undefined) return null;
  return <EarningsBars months={dashboard.trend} period={period} currency={dashboard.currency} />;
}

/** What is earned in the period and waits or is held today: why the statement pays less than it earns. */
function NotPaid({ statement: { payslip } }: { readonly statement: Statement }) {
  if (payslip === undefined || payslip.notPaid.length === 0) return null;
  return (
    <Card title="Earned, and not paid yet">
      <PayableList label="Earned, and not paid yet" payables={payslip.notPaid} />
    </Card>
  );
}

/** Days that another approved statement covers are paid with it. */
function CoveredNote({ statement: { status, coveredBy = [], repId } }: { readonly statement: Statement }) {
  const [first] = coveredBy;
  if (first === undefined || status === 'approved') return null;
  return (
    <Note
      tone="neutral"
      icon={IconLock}
      title={`Paid with ${coveredBy.map(formatPeriod).join(', ')}`}
      actions={
        <StatementLink repId={repId} period={first} className="strong">
          Statement of {formatPeriod(first)}
        </StatementLink>
      }
    >
      <p>Its approved statement covers days of this period, and a day is paid once. This one cannot be approved.</p>
    </Note>
  );
}

/** What the person changed themself, for those who approve. */
function OwnChangesNote({ statement: { ownChanges = [], repName } }: { readonly statement: Statement }) {
  if (ownChanges.length === 0) return null;
  return (
    <Note tone="warning" icon={IconAlertTriangle} title={`Changed by ${repName} themself`}>
      <OwnChanges changes={ownChanges} />
    </Note>
  );
}

/** An approved statement that is out of date: by how much, and who decides. */
function OwedNote({ statement: { owed, period, repName, repId } }: { readonly statement: Statement }) {
  const { role, repId: own } = useSession();
  if (owed === undefined) return null;
  const { status, delta, currency, otherCurrencies, discrepancyId, since } = owed;
  const sums = [{ delta, currency }, ...otherCurrencies]
    .filter((otherCurrency) => otherCurrency.delta !== 0)
    .map((otherCurrency) => formatMoney(otherCurrency.delta, otherCurrency.currency, { signed: true }));
  const reads = role !== 'rep';
  return (
    <Note
      tone={status === 'open' ? 'warning' : 'neutral'}
      icon={IconAlertTriangle}
      title={`Changes after the approval: ${sums.join(', ')}`}
      actions={
        reads ? (
          <Link to="/discrepancies" search={{ status, open: discrepancyId }} className={buttonClass()}>
            {status === 'open' && !onlyReads(role) && own !== repId ? 'Decide' : 'See the difference'}
          </Link>
        ) : undefined
      }
    >
      <p>
        {status === 'open'
          ? `Since ${formatTimestamp(since)}, ${formatPeriod(period)} ${own === repId ? '' : `of ${repName} `}would pay another amount. Nothing is paid until a manager decides.`
          : `It was decided not to pay this difference.`}
      </p>
    </Note>
  );
}

function planNames(statement: Statement | undefined): string {
  const plans = new Set(
    (statement?.lineItems ?? []).flatMap(({ planName, planVersion }) =>
      planName === null || planVersion === null ? [] : [`${planName}, version ${planVersion}`],
    ),
  );
  return [...plans].slice(0, 2).join(', ');
}

const formats = [
  ['pdf', 'PDF'],
  ['xlsx', 'Excel workbook'],
  ['csv', 'CSV'],
] as const;

function StatusLine({ statement }: { readonly statement: Statement }) {
  const { status, version, generatedAt, approvedAt, approvedBy, stale, pending, currency } = statement;
  const live = livePaid(statement);
  const by = approvedBy === undefined ? '' : ` by ${approvedBy.name}`;
  const when =
    approvedAt !== undefined
      ? `approved${by} ${formatTimestamp(approvedAt)}`
      : generatedAt === null
        ? 'amounts so far'
        : `generated ${formatTimestamp(generatedAt)}`;
  return (
    <div className={styles.status}>
      <span className={styles.badge}>
        <PaidBadge status={status} version={version} payslip={statement.payslip} />
        <span className="dim">{when}</span>
        {stale === true && live !== undefined ? (
          <span className={styles.stale}>The ledger has changed since: now {formatMoney(live, currency)}.</span>
        ) : null}
        {pending === true ? <span className={styles.stale}>A calculation is running.</span> : null}
      </span>
      <ExportMenu
        files={formats}
        download={(format, onProgress) => downloadStatement(statement.repId, statement.period, format, onProgress)}
      />
    </div>
  );
}
