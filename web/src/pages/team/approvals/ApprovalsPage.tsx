import { IconRefresh } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import {
  countOf,
  exceptionsQuery,
  finishedExceptions,
  type TeamStatement,
  type TeamStatements,
  teamOnPage,
  teamOverviewQuery,
  teamStatementsQuery,
  withIds,
} from '../../../api/team-queries.js';
import { useSession } from '../../../app/session.js';
import { useEndedPeriod } from '../../../app/today.js';
import { Button } from '../../../components/Button.js';
import { TeamExport } from '../../../components/ExportMenu.js';
import { Loaded } from '../../../components/Loaded.js';
import { useListPage } from '../../../components/list-page.js';
import { Page } from '../../../components/Page.js';
import { ListPager } from '../../../components/Pager.js';
import { PeriodPicker } from '../../../components/PeriodPicker.js';
import { ProgressBar } from '../../../components/ProgressBar.js';
import { EmptyState, Skeleton } from '../../../components/States.js';
import { DelegateButton } from '../../../features/approvals/DelegateButton.js';
import { WaitingForMe } from '../../../features/approvals/WaitingForMe.js';
import { ListedPeople, usePeopleQuery } from '../../../features/people/ListedPeople.js';
import { isFiltered, type PersonFilter, personFilterOf } from '../../../features/people/person-filter.js';
import { formatCount } from '../../../shared/format/numbers.js';
import { formatPeriod, hasDays, shiftPeriod } from '../../../shared/format/periods.js';
import { ApprovalList } from './ApprovalList.js';
import { ApprovalStrip, countOfAll, LargeStrip } from './ApprovalStrip.js';
import styles from './Approvals.module.css';
import { rejections } from './approval-outcome.js';
import { approvalRows } from './approval-rows.js';
import { useSeenStatements } from './seen-statements.js';
import { useApprove } from './use-approve.js';
import { type Failures, useGenerate } from './use-generate.js';

const route = getRouteApi('/_shell/approvals');

/** Approves what is clear in one step, and shows what needs a review first. */
export function ApprovalsPage() {
  const navigate = useNavigate({ from: '/approvals' });
  const search = route.useSearch();
  const period = useEndedPeriod(search.period);
  const filter = personFilterOf(search);
  const team = useQuery(teamStatementsQuery(period));
  const { found, visible, count, isLarge, ...pages } = useListed(period, filter, search.tab, team.data);
  const context = useApprovalContext(period, visible);
  const generate = useGenerate(period);
  const approve = useApprove(period);
  const generated = isFiltered(filter) ? ` for ${formatCount(visible.length, 'person', 'people')}` : '';
  const hasDrafts = visible.some(({ status }) => status !== 'none');
  return (
    <Page
      isInOrder
      title={`Approve ${formatPeriod(period)}`}
      crumbs={[{ label: 'Team', to: '/team' }, { label: 'Approvals' }]}
      facts={[team.data === undefined ? null : formatCount(count, 'person', 'people')]}
      actions={
        <>
          <div className={styles.buttons}>
            <Button
              icon={IconRefresh}
              className={team.isPending ? styles.loading : undefined}
              isBusy={generate.progress !== null}
              disabled={team.data !== undefined && visible.length === 0}
              onClick={() => generate.start(isFiltered(filter) ? visible : null)}
            >
              {hasDrafts ? 'Generate again' : 'Generate'}
              {generated}
            </Button>
            <TeamExport period={period} isOfSome={isFiltered(filter)} />
            <DelegateButton />
          </div>
          <PeriodPicker
            period={period}
            onChange={(next) => navigate({ search: { ...filter, period: next, tab: search.tab } })}
          />
        </>
      }
    >
      <Working what="Generating" progress={generate.progress}>
        It continues when you close this page.
      </Working>
      <Working what="Approving" progress={approve.progress}>
        It continues when you close this page.
      </Working>
      <WaitingForMe />
      <Loaded query={team} height={480}>
        {(statements) =>
          statements.statements.length === 0 ? (
            <EmptyState title={`No rep has a plan in ${formatPeriod(period)}`}>
              People appear here when a plan is assigned to them in the period, or when they have an amount in it.
            </EmptyState>
          ) : context.isPending ? (
            <Skeleton height={480} />
          ) : (
            <Approvals
              key={period}
              period={period}
              context={context}
              statements={found ?? statements}
              filter={filter}
              count={count}
              isLarge={isLarge}
              failures={new Map([...rejections(approve.latest, visible), ...generate.failures])}
              onApprove={approve.start}
            />
          )
        }
      </Loaded>
      <ListPager {...pages} pageSize={teamOnPage} count={countOf(found ?? {}, visible)} />
    </Page>
  );
}

interface WorkingProps {
  readonly what: 'Generating' | 'Approving';
  readonly progress: { readonly done: number; readonly total: number } | null;
  readonly children?: string;
}

function Working({ what, progress, children }: WorkingProps) {
  if (progress === null) return null;
  const { done, total } = progress;
  const text = `${what} statements: ${done} of ${total}`;
  return (
    <div className={styles.working}>
      {/* Read out at every quarter, not at every step. */}
      <span className="unseen" role="status">
        {`${what} statements: ${Math.floor((done / Math.max(1, total)) * 4) * 25} %`}
      </span>
      <span aria-hidden="true">{text}</span>
      {children === undefined ? null : <span className="dim"> {children}</span>}
      <ProgressBar ratio={done / Math.max(1, total)} label={text} />
    </div>
  );
}

/** The statements of the page. In a large workspace, the service divides them into those of the tabs. */
function useListed(period: string, filter: PersonFilter, tab = 'review', team: TeamStatements | undefined) {
  const count = team === undefined ? 0 : countOf(team, team.statements);
  const isLarge = count > teamOnPage;
  const statusOf = { review: { status: 'open' }, approved: { status: 'approved' } } as const;
  const status = isLarge && tab !== 'all' ? statusOf[tab as keyof typeof statusOf] : {};
  const listed = { ...usePeopleQuery(filter), ...status };
  const [page, onPage] = useListPage({ period, listed });
  const found = useQuery({ ...teamStatementsQuery(period, listed, page), enabled: team !== undefined }).data;
  return { found, visible: (found ?? team)?.statements ?? [], count, isLarge, page, onChange: onPage };
}

/** What the list displays beside the statements. It appears at once, since rows that arrive in parts would move. */
function useApprovalContext(period: string, listed: readonly TeamStatement[]) {
  const isListing = listed.length > 0;
  const overview = useQuery({ ...teamOverviewQuery(period, withIds(listed)), enabled: isListing });
  const before = shiftPeriod(period, -1);
  const previous = useQuery({
    ...teamStatementsQuery(before, withIds(listed)),
    enabled: isListing && hasDays(before),
  });
  const exceptions = useQuery(exceptionsQuery(period));
  return {
    overview: overview.data,
    previous: previous.data,
    exceptions: finishedExceptions(exceptions.data),
    isComplete: finishedExceptions(exceptions.data) !== undefined,
    isPending: overview.isLoading || previous.isLoading || exceptions.isPending,
  };
}

interface ApprovalsProps {
  readonly period: string;
  readonly context: ReturnType<typeof useApprovalContext>;
  /** Of the people who pass the filter. */
  readonly statements: TeamStatements;
  readonly filter: PersonFilter;
  /** Number of people in the unfiltered list. */
  readonly count: number;
  /** Whether they are too many for one page, so that the service counts and adds up. */
  readonly isLarge: boolean;
  readonly failures: Failures;
  /** Null while statements are being approved. */
  readonly onApprove: ((statements: readonly TeamStatement[]) => void) | null;
}

function Approvals(props: ApprovalsProps) {
  const { period, context, statements, filter, count, isLarge, failures, onApprove } = props;
  const { repId } = useSession();
  const { seenOf, accept } = useSeenStatements(repId, period, statements.statements);
  const navigate = useNavigate({ from: '/approvals' });
  const rows = approvalRows({
    period,
    ownRepId: repId,
    statements,
    overview: context.overview,
    previous: context.previous,
    exceptions: context.exceptions,
    seenOf,
  });
  return (
    <>
      <ListedPeople
        count={count}
        filter={filter}
        visible={isLarge ? countOfAll(statements) : rows.length}
        onFilter={(next) => navigate({ search: (present) => ({ ...present, ...next }), replace: true })}
      />
      {isLarge ? (
        <LargeStrip team={statements} isOfSome={isFiltered(filter)} />
      ) : (
        <ApprovalStrip currency={statements.currency} rows={rows} isOfSome={isFiltered(filter)} />
      )}
      <ApprovalList
        period={period}
        currency={statements.currency}
        rows={rows}
        statuses={isLarge ? statements.statuses : undefined}
        isOfSome={isFiltered(filter)}
        isReady={context.isComplete}
        failures={failures}
        onApprove={onApprove}
        onAccept={accept}
      />
    </>
  );
}
