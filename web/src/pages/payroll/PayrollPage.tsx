import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { heldPayablesQuery, payoutBatchesQuery } from '../../api/payout-queries.js';
import {
  handoversQuery,
  type Layout,
  type PayrollTerms,
  payrollTermsQuery,
  type Scope,
} from '../../api/payroll-queries.js';
import { allPeopleQuery, type Person } from '../../api/person-list-queries.js';
import { allStatementsQuery, type TeamStatements } from '../../api/team-queries.js';
import { useSession } from '../../app/session.js';
import { useEndedPeriod } from '../../app/today.js';
import blocks from '../../components/Blocks.module.css';
import { combineQueries, Loaded } from '../../components/Loaded.js';
import { Page } from '../../components/Page.js';
import { PeriodPicker } from '../../components/PeriodPicker.js';
import { EmptyState } from '../../components/States.js';
import { ListedPeople, usePeopleQuery } from '../../features/people/ListedPeople.js';
import { isFiltered, type PersonFilter, personFilterOf } from '../../features/people/person-filter.js';
import { hasPayouts } from '../../features/statements/pay-sums.js';
import { formatSpan, zoneName } from '../../shared/format/dates.js';
import { formatMoney } from '../../shared/format/numbers.js';
import { formatPeriod } from '../../shared/format/periods.js';
import { FileAndHandover } from './FileAndHandover.js';
import { MissingPeople } from './MissingPeople.js';
import { missingPeople } from './missing.js';
import { NextBatch } from './NextBatch.js';
import { PayoutCard } from './PayoutCard.js';
import { HeldCard, PayRun } from './PayRun.js';
import { PayRunStrip } from './PayRunStrip.js';
import styles from './Payroll.module.css';
import { PayrollStrip } from './PayrollStrip.js';
import { type Held, listHeld, listRunRows, listWithoutRow } from './pay-run.js';
import { ReadyByTeam } from './ReadyByTeam.js';

const route = getRouteApi('/_shell/payroll');

/** One correct file for payroll, and certainty about who is not in it. */
export function PayrollPage() {
  const { workspace } = useSession();
  const navigate = useNavigate({ from: '/payroll' });
  const search = route.useSearch();
  const period = useEndedPeriod(search.period);
  const team = useQuery(allStatementsQuery(period));
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
      <Loaded query={team} height={480}>
        {(statements) =>
          statements.statements.length === 0 ? (
            <EmptyState title={`No amounts in ${formatPeriod(period)}`} sum={formatMoney(0, statements.currency)}>
              People appear here when a plan is assigned to them in the period, or when they have an amount in it.
            </EmptyState>
          ) : (
            <PayrollPeriod
              period={period}
              team={statements}
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
  readonly team: TeamStatements;
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
function PayrollPeriod({ period, team, filter, file }: PayrollPeriodProps) {
  const navigate = useNavigate({ from: '/payroll' });
  const query = combineQueries({
    everyone: useQuery(allPeopleQuery()),
    meant: useQuery(allPeopleQuery(usePeopleQuery(filter))),
    handovers: useQuery(handoversQuery),
    terms: useQuery(payrollTermsQuery),
  });
  const { data, ...state } = query;
  const found = data && { ...data, visible: isFiltered(filter) ? statementsOf(team, data.meant) : team };
  const pays = hasPayouts(team.statements);
  return (
    <>
      <ListedPeople
        count={team.statements.length}
        filter={filter}
        visible={found?.visible.statements.length}
        onFilter={(next) => navigate({ search: (present) => ({ ...present, ...next }), replace: true })}
      />
      <Loaded query={{ ...state, data: found }} height={900}>
        {({ visible, everyone: people, handovers: { handovers: recorded }, terms: codes }) => (
          <>
            {pays ? <PaySums team={visible} /> : <PayrollStrip team={visible} />}
            <div className={`${blocks.columns} ${styles.tables}`}>
              <MissingPeople
                period={period}
                currency={team.currency}
                missing={missingPeople(visible.statements, byId(people))}
              />
              <ReadyByTeam team={visible} people={byId(people)} />
            </div>
            {isFiltered(filter) ? <p className="dim">{wholePeriod(pays)}</p> : null}
            {pays ? (
              <Payout key={period} period={period} team={team} terms={codes} file={file} />
            ) : (
              <FileAndHandover
                key={period}
                period={period}
                team={team}
                handovers={recorded}
                terms={codes}
                layout={file.layout ?? recorded[0]?.layout ?? 'gusto'}
                scope={recorded.some((handover) => handover.period === period) ? (file.scope ?? 'new') : 'full'}
              />
            )}
          </>
        )}
      </Loaded>
    </>
  );
}

/** Those of the people. What was handed over is known for everyone only. */
function statementsOf(team: TeamStatements, people: readonly Person[]): TeamStatements {
  const ids = new Set(people.map(({ id }) => id));
  return { ...team, statements: team.statements.filter(({ repId }) => ids.has(repId)), handedOver: [] };
}

interface PaySumsProps {
  /** Of the people who pass the filter of the page. */
  readonly team: TeamStatements;
}

/** The sums of a pay period and its people. Holds are those of today, so earlier periods have none. */
function PaySums({ team }: PaySumsProps) {
  const listed = new Set(team.statements.map(({ repId }) => repId));
  const isPresent = team.period >= useEndedPeriod();
  const held = useHeld(isPresent).filter(({ repId }) => listed.has(repId));
  const rows = listRunRows(team.statements);
  return (
    <>
      <PayRunStrip team={team} rows={rows} held={isPresent ? held : null} />
      <PayRun period={team.period} currency={team.currency} rows={rows} />
      <HeldCard held={held} />
    </>
  );
}

function useHeld(isPresent: boolean): readonly Held[] {
  const payables = useQuery({ ...heldPayablesQuery, enabled: isPresent }).data?.payables ?? [];
  return listHeld(payables);
}

interface PayoutProps extends Pick<PayrollPeriodProps, 'period' | 'team' | 'file'> {
  readonly terms: PayrollTerms;
}

/** The next batch and the ones before, for those who pay. */
function Payout({ period, team, terms, file }: PayoutProps) {
  const { role } = useSession();
  const batches = useQuery({ ...payoutBatchesQuery(period), enabled: role !== 'manager' });
  const held = useHeld(period >= useEndedPeriod());
  const rows = listRunRows(team.statements);
  if (role === 'manager') return null;
  return (
    <Loaded query={batches} height={480}>
      {(loaded) => (
        <>
          <NextBatch
            {...{ period, team, rows, terms }}
            withoutRow={listWithoutRow(rows, held)}
            layout={file.layout ?? loaded[0]?.layout}
            paidIn={file.currency}
            open={loaded.filter(({ status }) => status === 'open')}
          />
          <PayoutCard batches={loaded} />
        </>
      )}
    </Loaded>
  );
}

function byId(people: readonly Person[]): ReadonlyMap<string, Person> {
  return new Map(people.map((person) => [person.id, person]));
}

/** What is paid does not depend on the filter. */
function wholePeriod(pays: boolean): string {
  return pays
    ? 'The payout batches below contain everyone, whatever the filter is.'
    : 'The file and the hand-over below contain everyone, whatever the filter is.';
}
