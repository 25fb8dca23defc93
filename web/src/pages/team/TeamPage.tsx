import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { disputeCountsQuery } from '../../api/queries.js';
import {
  countOf,
  exceptionsQuery,
  finishedExceptions,
  isWhole,
  type PeopleQuery,
  type TeamOverview,
  type TeamStatements,
  teamOnPage,
  teamOverviewQuery,
  teamStatementsQuery,
  teamSumsQuery,
  toApproveQuery,
  withIds,
} from '../../api/team-queries.js';
import { useEndedPeriod, usePeriod, useToday } from '../../app/today.js';
import blocks from '../../components/Blocks.module.css';
import { Delta } from '../../components/Delta.js';
import { TeamExport } from '../../components/ExportMenu.js';
import { combineQueries, Loaded } from '../../components/Loaded.js';
import { useListPage } from '../../components/list-page.js';
import { HeroMoney } from '../../components/Money.js';
import { Card, Page } from '../../components/Page.js';
import { ListPager } from '../../components/Pager.js';
import { PeriodPicker } from '../../components/PeriodPicker.js';
import { HeroText, StatCard, StatStrip } from '../../components/StatCard.js';
import { EmptyState } from '../../components/States.js';
import { ifSent, useTogether } from '../../components/together.js';
import { EarnedParts } from '../../features/fx/EarnedParts.js';
import { earnedTotal, leavesOut } from '../../features/fx/earned-sum.js';
import { ListedPeople, usePeopleQuery } from '../../features/people/ListedPeople.js';
import { isFiltered, personFilterOf } from '../../features/people/person-filter.js';
import { sumByCurrency, sumWords } from '../../features/statements/pay-sums.js';
import { difference } from '../../shared/format/exact.js';
import { formatCount, formatMoney } from '../../shared/format/numbers.js';
import { formatPeriod, hasDays, shiftPeriod, shortPeriod } from '../../shared/format/periods.js';
import { AttainmentBands } from './AttainmentBands.js';
import { mainAttainment } from './attainment.js';
import { paceWords } from './pace.js';
import { type PayableByRep, TeamTable } from './TeamTable.js';

const route = getRouteApi('/_shell/team');

/** What the team earned, how far everyone is, and what waits for the manager. */
export function TeamPage() {
  const navigate = useNavigate({ from: '/team' });
  const search = route.useSearch();
  const period = usePeriod(search.period);
  const filter = personFilterOf(search);
  const people = usePeopleQuery(filter);
  const [page, onPage] = useListPage({ period, people });
  const overview = useQuery(teamOverviewQuery(period, people, page));
  const reps = overview.data?.reps ?? [];
  const hasRows = reps.length > 0;
  const statements = useQuery({ ...teamStatementsQuery(period, withIds(reps)), enabled: hasRows });
  const query = useTogether(
    {
      team: overview,
      previous: usePrevious(search.beside ?? shiftPeriod(period, -1), people, reps),
      statements: ifSent(statements, hasRows),
    },
    period,
  );
  return (
    <Page
      isInOrder
      title={`Team in ${formatPeriod(period)}`}
      crumbs={[{ label: 'Team' }]}
      facts={[query.data === undefined ? null : formatCount(peopleIn(query.data.team), 'person', 'people')]}
      actions={
        <>
          <TeamExport period={period} isOfSome={isFiltered(filter)} />
          <PeriodPicker
            period={period}
            onChange={(next) => navigate({ search: { ...filter, period: next, beside: search.beside } })}
          />
        </>
      }
    >
      <Loaded query={query} height={600}>
        {({ team, previous, statements: paid }) => (
          <>
            <ListedPeople
              filter={filter}
              visible={peopleIn(team)}
              onFilter={(next) => navigate({ search: (present) => ({ ...present, ...next }), replace: true })}
            />
            {team.reps.length === 0 ? (
              isFiltered(filter) ? (
                <EmptyState title={`No one of these people has an amount or a plan in ${formatPeriod(period)}`}>
                  Clear the filters to see everyone.
                </EmptyState>
              ) : (
                <EmptyState title={`No rep has a plan in ${formatPeriod(period)}`} sum={formatMoney(0, team.currency)}>
                  People appear here when a plan is assigned to them in the period, or when they have an amount in it.
                </EmptyState>
              )
            ) : (
              <>
                <Strip team={team} previous={previous} isOfSome={isFiltered(filter)} />
                <div className={blocks.cardColumns}>
                  <Card
                    title="Attainment"
                    note={`people${isWhole(team, team.reps) ? '' : ' of this page'} by their main quota, ${shortPeriod(period)}`}
                  >
                    <Pace team={team} />
                    <AttainmentBands team={team} chosen={search.band} />
                  </Card>
                  <ToDo period={period} discrepancies={team.openDiscrepancies.count} />
                </div>
                <TeamTable
                  team={team}
                  previous={previous}
                  payable={payableByRep(paid)}
                  beside={search.beside}
                  onBeside={(beside) => navigate({ search: (present) => ({ ...present, beside }), replace: true })}
                  band={search.band}
                  onAllBands={() => navigate({ search: (present) => ({ ...present, band: undefined }), replace: true })}
                />
                <ListPager page={page} pageSize={teamOnPage} count={peopleIn(team)} onChange={onPage} />
              </>
            )}
          </>
        )}
      </Loaded>
    </Page>
  );
}

/** Attainment beside the share of the period that is over. */
function Pace({ team: { reps, period } }: { readonly team: TeamOverview }) {
  const quotas = reps.flatMap((rep) => mainAttainment(rep.attainment, period) ?? []);
  const words = paceWords(quotas, useToday());
  return words === null ? null : <p className="dim">{words}</p>;
}

/** The sums of the people in the period before, with the rows of those on the page. */
function usePrevious(period: string, people: PeopleQuery, page: TeamOverview['reps']) {
  const enabled = hasDays(period) && page.length > 0;
  const { data, ...query } = combineQueries({
    sums: useQuery({ ...teamSumsQuery(period, people), enabled }),
    rows: useQuery({ ...teamOverviewQuery(period, withIds(page)), enabled }),
  });
  return ifSent({ ...query, data: data && { ...data.sums, reps: data.rows.reps } }, enabled);
}

function peopleIn(team: TeamOverview): number {
  return countOf(team, team.reps);
}

/** What the statements of people pay, by id; null in workspaces without payouts. */
function payableByRep(team: TeamStatements | null): PayableByRep | null {
  const paid = (team?.statements ?? []).flatMap(({ repId, payslip }) =>
    payslip === undefined ? [] : [[repId, sumByCurrency(payslip.pays, payslip.currency)] as const],
  );
  return paid.length === 0 ? null : new Map(paid);
}

interface StripProps {
  /** Whether the sums are those of filtered people. */
  readonly isOfSome: boolean;
  readonly team: TeamOverview;
  readonly previous: TeamOverview | null;
}

function Strip({ team, previous, isOfSome }: StripProps) {
  const { currency, totals, reps, period, openDiscrepancies, bookings = [] } = team;
  const sums = { ...team, earnings: totals };
  const before = previous === null ? undefined : { ...previous, earnings: previous.totals };
  const withQuota = reps.flatMap((rep) => mainAttainment(rep.attainment, period) ?? []);
  const atTarget = withQuota.filter(({ attainment }) => attainment >= 1).length;
  return (
    <StatStrip label={isOfSome ? 'Sums of the people in the list' : 'Sums of the team'} columns="1.35fr 1fr 1fr">
      <StatCard
        label={isOfSome ? `Earned by ${formatCount(peopleIn(team), 'person', 'people')}` : 'Earned'}
        figure={<HeroMoney amount={earnedTotal(sums)} currency={currency} />}
        note={
          <>
            {before === undefined || before.currency !== currency || leavesOut(sums) || leavesOut(before) ? null : (
              <p>
                <Delta amount={difference(earnedTotal(sums), earnedTotal(before))} currency={currency} /> vs{' '}
                {shortPeriod(before.period)}
              </p>
            )}
            <EarnedParts sums={sums} />
            {bookings.length === 0 ? null : <p className="num">{bookingWords(bookings, currency)}</p>}
          </>
        }
      />
      <StatCard
        label={isWhole(team, reps) ? 'At or above target' : 'At or above target, this page'}
        figure={<HeroText unit={`of ${withQuota.length}`}>{atTarget}</HeroText>}
        note={
          withQuota.length === reps.length
            ? `everyone${isWhole(team, reps) ? '' : ' of this page'} has a quota`
            : `${formatCount(reps.length - withQuota.length, 'person', 'people')} have no quota or need none`
        }
      />
      <StatCard
        label="Open discrepancies"
        figure={<HeroMoney amount={openDiscrepancies.total} currency={currency} signed />}
        note={
          openDiscrepancies.count === 0
            ? 'no approved period differs'
            : `in ${formatCount(openDiscrepancies.count, 'approved statement')}`
        }
      />
    </StatStrip>
  );
}

/** What was sold, in one line for all currencies, and what people are credited with if that is not the same. */
function bookingWords(bookings: NonNullable<TeamOverview['bookings']>, currency: string): string {
  const words = (name: 'bookings' | 'credited') =>
    sumWords(
      sumByCurrency(
        bookings.map((sold) => ({ currency: sold.currency, amount: sold[name] })),
        currency,
      ),
      ', ',
    );
  const [sold, credited] = [words('bookings'), words('credited')];
  return `on bookings of ${sold}, each deal once${sold === credited ? '' : `; credited ${credited}`}`;
}

/** What waits for the manager, each with its page. What there is to approve is the same whatever period is displayed. */
function ToDo({ period, discrepancies }: { readonly period: string; readonly discrepancies: number }) {
  const toApprove = useEndedPeriod();
  const statements = useQuery(toApproveQuery(toApprove)).data;
  const questions = useQuery(disputeCountsQuery).data?.waiting;
  const exceptions = finishedExceptions(useQuery(exceptionsQuery(period)).data);
  const month = shortPeriod(toApprove);
  const missing = statements === undefined || statements.none === 0 ? '' : `, ${statements.none} not generated`;
  return (
    <Card title="Waiting for you">
      <ul className={blocks.rows}>
        <Item
          count={statements?.toApprove}
          one={`statement of ${month} to approve${missing}`}
          many={`statements of ${month} to approve${missing}`}
        >
          <Link to="/approvals" search={{ period: toApprove }}>
            Approvals
          </Link>
        </Item>
        <Item count={questions} one="question" many="questions">
          <Link to="/questions">Questions</Link>
        </Item>
        <Item count={discrepancies} one="discrepancy" many="discrepancies">
          <Link to="/discrepancies">Discrepancies</Link>
        </Item>
        <Item count={exceptions?.deals} one="deal not paid" many="deals not paid">
          <Link to="/exceptions" search={{ period }}>
            Exceptions
          </Link>
        </Item>
      </ul>
    </Card>
  );
}

interface ItemProps {
  readonly count: number | undefined;
  readonly one: string;
  readonly many: string;
  readonly children: React.ReactNode;
}

/** Has the height of the words. */
const loading = '\u00a0';

function Item({ count, one, many, children }: ItemProps) {
  return (
    <li>
      {count === undefined ? (
        <span>{loading}</span>
      ) : (
        <span className={count === 0 ? 'dim' : undefined}>
          <span className="num strong">{count}</span> {count === 1 ? one : many}
        </span>
      )}
      {children}
    </li>
  );
}
