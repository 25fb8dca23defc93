import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { handoversQuery, type Layout, payrollTermsQuery, peopleQuery, type Scope } from '../../api/payroll-queries.js';
import { type TeamStatements, teamStatementsQuery } from '../../api/team-queries.js';
import { useSession } from '../../app/session.js';
import { useEndedPeriod } from '../../app/today.js';
import blocks from '../../components/Blocks.module.css';
import { combineQueries, Loaded } from '../../components/Loaded.js';
import { Page } from '../../components/Page.js';
import { PeriodPicker } from '../../components/PeriodPicker.js';
import { EmptyState } from '../../components/States.js';
import { ListedPeople, usePersonFilter } from '../../features/people/ListedPeople.js';
import { isFiltered, type PersonFilter, personFilterOf } from '../../features/people/person-filter.js';
import { formatSpan, zoneName } from '../../shared/format/dates.js';
import { formatMoney } from '../../shared/format/numbers.js';
import { formatPeriod } from '../../shared/format/periods.js';
import { FileAndHandover } from './FileAndHandover.js';
import { MissingPeople } from './MissingPeople.js';
import { missingPeople } from './missing.js';
import { PayoutCard } from './PayoutCard.js';
import { PayRun } from './PayRun.js';
import styles from './Payroll.module.css';
import { PayrollStrip } from './PayrollStrip.js';
import { ReadyByTeam } from './ReadyByTeam.js';

const route = getRouteApi('/_shell/payroll');

/** One correct file for payroll, and certainty about who is not in it. */
export function PayrollPage() {
  const { workspace } = useSession();
  const navigate = useNavigate({ from: '/payroll' });
  const search = route.useSearch();
  const period = useEndedPeriod(search.period);
  const team = useQuery(teamStatementsQuery(period));
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
              layout={search.layout}
              scope={search.scope}
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
  /** The layout in the address. */
  readonly layout: Layout | undefined;
  /** The scope in the address. */
  readonly scope: Scope | undefined;
}

/** Everything appears at once, so that nothing moves. */
function PayrollPeriod({ period, team, filter, layout, scope }: PayrollPeriodProps) {
  const navigate = useNavigate({ from: '/payroll' });
  const isFound = usePersonFilter(filter);
  const shown = isFiltered(filter) ? restrict(team, isFound) : team;
  const people = useQuery(peopleQuery);
  const handovers = useQuery(handoversQuery);
  const terms = useQuery(payrollTermsQuery);
  const hasPayouts = team.statements.some(({ summary }) => summary.payable !== undefined);
  return (
    <>
      <ListedPeople
        repIds={team.statements.map(({ repId }) => repId)}
        filter={filter}
        shown={shown.statements.length}
        onFilter={(next) => navigate({ search: (present) => ({ ...present, ...next }), replace: true })}
      />
      <PayrollStrip team={shown} />
      {hasPayouts ? <PayRun team={shown} isFound={isFound} /> : null}
      <Loaded query={combineQueries({ people, handovers, terms })} height={900}>
        {({ people: { reps }, handovers: { handovers: recorded }, terms: codes }) => (
          <>
            <div className={`${blocks.columns} ${styles.tables}`}>
              <MissingPeople
                period={period}
                currency={team.currency}
                missing={missingPeople(shown.statements, reps)}
                people={reps}
              />
              <ReadyByTeam team={shown} people={reps} />
            </div>
            {isFiltered(filter) ? <p className="dim">{wholePeriod(hasPayouts)}</p> : null}
            {hasPayouts ? (
              <PayoutCard key={period} period={period} layout={layout ?? 'gusto'} />
            ) : (
              <FileAndHandover
                key={period}
                period={period}
                team={team}
                handovers={recorded}
                terms={codes}
                layout={layout ?? recorded[0]?.layout ?? 'gusto'}
                scope={recorded.some((handover) => handover.period === period) ? (scope ?? 'new') : 'full'}
              />
            )}
          </>
        )}
      </Loaded>
    </>
  );
}

/** The statements of the people who match, without what is known of the whole period only. */
function restrict(team: TeamStatements, isFound: (repId: string, name: string) => boolean): TeamStatements {
  return { ...team, statements: team.statements.filter(({ repId, name }) => isFound(repId, name)), handedOver: [] };
}

/** What is paid does not depend on the filter. */
function wholePeriod(hasPayouts: boolean): string {
  return hasPayouts
    ? 'The payout batches below contain everyone, whatever the filter is.'
    : 'The file and the hand-over below contain everyone, whatever the filter is.';
}
