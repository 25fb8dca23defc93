import { IconRefresh } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import {
  countOf,
  exceptionsQuery,
  finishedExceptions,
  isWhole,
  type StatementFilter,
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
import { EmptyState } from '../../../components/States.js';
import { ifSent, useTogether } from '../../../components/together.js';
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
  const people = usePeopleQuery(filter);
  const team = useQuery(teamStatementsQuery(period));
  const count = team.data === undefined ? 0 : countOf(team.data, team.data.statements);
  const isLarge = team.data !== undefined && !isWhole(team.data, team.data.statements);
  const [listed, pages] = useListed(
    period,
    { ...people, ...(isLarge ? statusOf[search.tab ?? 'review'] : {}) },
    team.data,
  );
  const found = listed.data?.found;
  const visible = found?.statements ?? [];
  const generate = useGenerate(period, people);
  const approve = useApprove(period);
  const generated =
    isFiltered(filter) && found !== undefined ? ` for ${formatCount(countOfAll(found), 'person', 'people')}` : '';
  const hasDrafts = found?.statuses !== undefined && found.statuses.none < countOfAll(found);
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
              className={found === undefined ? styles.loading : undefined}
              isBusy={generate.progress !== null}
              disabled={found !== undefined && countOfAll(found) === 0}
              onClick={() => generate.start()}
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
          ) : (
            <Loaded query={listed} height={480}>
              {(data) => (
                <Approvals
                  key={period}
                  {...{ period, data, filter, count, isLarge }}
                  isPlaceholder={pages.isPlaceholder}
                  failures={new Map([...rejections(approve.latest, visible), ...generate.failures])}
                  onApprove={approve.start}
                />
              )}
            </Loaded>
          )
        }
      </Loaded>
      <ListPager
        page={pages.page}
        onChange={pages.onChange}
        pageSize={teamOnPage}
        count={countOf(found ?? {}, visible)}
      />
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

/** In a large workspace, the service divides the statements into those of the tabs. */
const statusOf = { review: { status: 'open' }, approved: { status: 'approved' }, all: {} } as const;

/** The statements of a page with what the list displays beside them. */
function useListed(period: string, wanted: StatementFilter, team: TeamStatements | undefined) {
  const [page, onChange] = useListPage({ period, wanted });
  const found = useQuery({ ...teamStatementsQuery(period, wanted, page), enabled: team !== undefined });
  const rows = found.data?.statements ?? [];
  const hasRows = rows.length > 0;
  const overview = useQuery({ ...teamOverviewQuery(period, withIds(rows)), enabled: hasRows });
  const before = shiftPeriod(period, -1);
  const isSent = hasRows && hasDays(before);
  const previous = useQuery({ ...teamStatementsQuery(before, withIds(rows)), enabled: isSent });
  const exceptions = useQuery({ ...exceptionsQuery(period, withIds(rows)), enabled: hasRows });
  const listed = useTogether(
    {
      found,
      overview: ifSent(overview, hasRows),
      previous: ifSent(previous, isSent),
      exceptions: ifSent(exceptions, hasRows),
    },
    period,
  );
  return [
    listed,
    { page, onChange, isPlaceholder: listed.data?.found !== found.data || found.isPlaceholderData },
  ] as const;
}

type ListedStatements = NonNullable<ReturnType<typeof useListed>[0]['data']>;

interface ApprovalsProps {
  readonly period: string;
  readonly data: ListedStatements;
  readonly filter: PersonFilter;
  /** Number of people in the unfiltered list. */
  readonly count: number;
  /** Whether they are too many for one page, so that the service counts and adds up. */
  readonly isLarge: boolean;
  /** Whether the statements are those of the tab before, while those of the tab load. */
  readonly isPlaceholder: boolean;
  readonly failures: Failures;
  /** Null while statements are being approved. */
  readonly onApprove: ((statements: readonly TeamStatement[]) => void) | null;
}

function Approvals(props: ApprovalsProps) {
  const { period, data, filter, count, isLarge, isPlaceholder, failures, onApprove } = props;
  const { found: statements, overview, previous } = data;
  const exceptions = finishedExceptions(data.exceptions ?? undefined);
  const { repId } = useSession();
  const { seenOf, accept } = useSeenStatements(repId, period, statements.statements);
  const navigate = useNavigate({ from: '/approvals' });
  const rows = approvalRows({
    period,
    ownRepId: repId,
    statements,
    overview,
    previous,
    exceptions,
    seenOf,
  });
  return (
    <>
      <ListedPeople
        count={count}
        filter={filter}
        visible={countOfAll(statements)}
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
        isReady={exceptions !== undefined}
        isLoading={isPlaceholder}
        failures={failures}
        onApprove={onApprove}
        onAccept={accept}
      />
    </>
  );
}
