import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { heldPayablesQuery, payoutBatchesQuery } from '../../api/payout-queries.js';
import {
  handoversQuery,
  type Layout,
  maxPeopleAtOnce,
  type PayrollSums,
  type PayrollTerms,
  payrollSumsQuery,
  payrollTermsQuery,
  peopleOf,
  type Scope,
} from '../../api/payroll-queries.js';
import { type PeopleQuery } from '../../api/team-queries.js';
import { mayPay, useSession } from '../../app/session.js';
import { useEndedPeriod } from '../../app/today.js';
import blocks from '../../components/Blocks.module.css';
import { combineQueries, Loaded } from '../../components/Loaded.js';
import { useListPage } from '../../components/list-page.js';
import { Page } from '../../components/Page.js';
import { PeriodPicker } from '../../components/PeriodPicker.js';
import { EmptyState } from '../../components/States.js';
import { ifSent } from '../../components/together.js';
import { ListedPeople, usePeopleQuery } from '../../features/people/ListedPeople.js';
import { isFiltered, type PersonFilter, personFilterOf } from '../../features/people/person-filter.js';
import { sumByCurrency } from '../../features/statements/pay-sums.js';
import { formatSpan, zoneName } from '../../shared/format/dates.js';
import { formatMoney } from '../../shared/format/numbers.js';
import { daysOf, formatPeriod } from '../../shared/format/periods.js';
import { FileAndHandover } from './FileAndHandover.js';
import { MissingPeople, useMissingPeople } from './MissingPeople.js';
import { NextBatch } from './NextBatch.js';
import { PayoutCard } from './PayoutCard.js';
import { HeldCard, PayRun, useRunPage } from './PayRun.js';
import { PayRunStrip } from './PayRunStrip.js';
import styles from './Payroll.module.css';
import { PayrollStrip } from './PayrollStrip.js';
import { type Held, listHeld, listWithoutRow, type Run } from './pay-run.js';
import { ReadyByTeam } from './ReadyByTeam.js';

const route = getRouteApi('/_shell/payroll');

/** One correct file for payroll, and certainty about who is not in it. */
export function PayrollPage() {
  const { workspace } = useSession();
  const navigate = useNavigate({ from: '/payroll' });
  const search = route.useSearch();
  const period = useEndedPeriod(search.period);
  const query = useQuery(payrollSumsQuery(period));
  return (
    <Page
      isInOrder
      title={`Payroll for ${formatPeriod(period)}`}
      crumbs={[{ label: 'Pay periods', to: '/payroll' }, { label: formatPeriod(period) }]}
      facts={[formatSpan(period), zoneName(workspace.timezone), `amounts in ${workspace.currency}`]}
      actions={
        <PeriodPicker
          period={period}
          onChange={(next) => navigate({ search: { ...personFilterOf(search), period: next, layout: search.layout } })}
        />
      }
    >
      <Loaded query={query} height={480}>
        {(sums) =>
          peopleOf(sums) === 0 ? (
            <EmptyState title={`No amounts in ${formatPeriod(period)}`} sum={formatMoney(0, sums.currency)}>
              People appear here when a plan is assigned to them in the period, or when they have an amount in it.
            </EmptyState>
          ) : (
            <PayrollPeriod
              period={period}
              sums={sums}
              filter={personFilterOf(search)}
              file={{ layout: search.layout, scope: search.scope, currency: search.currency }}
            />
          )
        }
      </Loaded>
    </Page>
  );
}

interface PayrollPeriodProps {
  readonly period: string;
  /** Of everyone. */
  readonly sums: PayrollSums;
  readonly filter: PersonFilter;
  /** The layout, the scope and the currency of the file in the address. */
  readonly file: FileChoice;
}

interface FileChoice {
  readonly layout: Layout | undefined;
  readonly scope: Scope | undefined;
  readonly currency: string | undefined;
}

/** Everything appears at once, so that nothing moves. */
function PayrollPeriod({ period, sums, filter, file }: PayrollPeriodProps) {
  const navigate = useNavigate({ from: '/payroll' });
  const people = usePeopleQuery(filter);
  const [missingPage, onMissingPage] = useListPage({ period, people });
  const [teamPage, onTeamPage] = useListPage({ period, people });
  const { run } = sums;
  const pays = run !== null;
  const listed = useRunPage(period, people, pays);
  const query = combineQueries({
    visible: useQuery(payrollSumsQuery(period, people, teamPage)),
    missing: useMissingPeople(period, people, missingPage),
    handovers: useQuery(handoversQuery),
    terms: useQuery(payrollTermsQuery),
    team: ifSent(listed.query, pays),
  });
  return (
    <>
      <ListedPeople
        count={peopleOf(sums)}
        filter={filter}
        visible={query.data && peopleOf(query.data.visible)}
        onFilter={(next) => navigate({ search: (present) => ({ ...present, ...next }), replace: true })}
      />
      <Loaded query={query} height={900}>
        {({ visible, missing, handovers: { handovers: recorded }, terms: codes, team }) => (
          <>
            {team === null || visible.run === null ? (
              <PayrollStrip sums={visible} />
            ) : (
              <PaySums {...{ period, people, team, listed }} sums={visible} run={visible.run} />
            )}
            <div className={`${blocks.columns} ${styles.tables}`}>
              <MissingPeople
                {...{ period, ...missing }}
                currency={sums.currency}
                sums={sumByCurrency(visible.missing.sums, sums.currency)}
                page={missingPage}
                onPage={onMissingPage}
              />
              <ReadyByTeam sums={visible} people={peopleOf(visible)} page={teamPage} onPage={onTeamPage} />
            </div>
            {isFiltered(filter) ? <p className="dim">{wholePeriod(pays)}</p> : null}
            {run === null ? (
              <FileAndHandover
                key={period}
                period={period}
                sums={sums}
                handovers={recorded}
                terms={codes}
                layout={file.layout ?? recorded[0]?.layout ?? 'gusto'}
                scope={recorded.some((handover) => handover.period === period) ? (file.scope ?? 'new') : 'full'}
              />
            ) : (
              <Payout key={period} {...{ period, sums, run, file }} terms={codes} />
            )}
          </>
        )}
      </Loaded>
    </>
  );
}

/** Of the people who pass the filter of the page. */
interface PaySumsProps extends Pick<Parameters<typeof PayRun>[0], 'period' | 'run' | 'team' | 'listed'> {
  readonly people: PeopleQuery;
  readonly sums: PayrollSums;
}

/** The sums of a pay period and its people. */
function PaySums({ period, people, sums, run, team, listed }: PaySumsProps) {
  const held = useHeld(period, sums, people);
  return (
    <>
      <PayRunStrip {...{ sums, run, held }} />
      <PayRun {...{ period, run, team, listed }} currency={sums.currency} people={peopleOf(sums)} />
      <HeldCard held={held ?? []} />
    </>
  );
}

/**
 * What is held of the people; null for an earlier period, because holds are those of today, and for more people than one request
 * evaluates.
 */
function useHeld(period: string, sums: PayrollSums, people?: PeopleQuery): readonly Held[] | null {
  const isPresent = daysOf(period).to >= daysOf(useEndedPeriod()).to;
  const isRead = isPresent && peopleOf(sums) <= maxPeopleAtOnce;
  const { data } = useQuery({ ...heldPayablesQuery(people), enabled: isRead });
  return isRead ? listHeld(data?.payables ?? []) : null;
}

interface PayoutProps extends Pick<PayrollPeriodProps, 'period' | 'sums' | 'file'> {
  readonly run: Run;
  readonly terms: PayrollTerms;
}

/** The next batch, for those who pay, and the ones before. */
function Payout({ period, sums, run, terms, file }: PayoutProps) {
  const { role } = useSession();
  const batches = useQuery({ ...payoutBatchesQuery(period), enabled: role !== 'manager' });
  const held = useHeld(period, sums);
  if (role === 'manager') return null;
  return (
    <Loaded query={batches} height={480}>
      {(loaded) => (
        <>
          {mayPay(role) ? (
            <NextBatch
              {...{ period, run, terms }}
              currency={sums.currency}
              withoutRow={listWithoutRow(run, held ?? [])}
              layout={file.layout ?? loaded[0]?.layout}
              paidIn={file.currency}
              open={loaded.filter(({ status }) => status === 'open')}
            />
          ) : null}
          <PayoutCard batches={loaded} />
        </>
      )}
    </Loaded>
  );
}

/** What is paid does not depend on the filter. */
function wholePeriod(pays: boolean): string {
  return pays
    ? 'The payout batches below contain everyone, whatever the filter is.'
    : 'The file and the hand-over below contain everyone, whatever the filter is.';
}
