import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { disputeCountsQuery } from '../../api/queries.js';
import {
  discrepanciesQuery,
  type Exceptions,
  exceptionsQuery,
  finishedExceptions,
  teamSumsQuery,
} from '../../api/team-queries.js';
import { useSession } from '../../app/session.js';
import { usePeriod } from '../../app/today.js';
import blocks from '../../components/Blocks.module.css';
import { MailNote } from '../../components/MailNote.js';
import { HeroMoney } from '../../components/Money.js';
import { Page } from '../../components/Page.js';
import { PeriodPicker } from '../../components/PeriodPicker.js';
import { StatCard, StatStrip } from '../../components/StatCard.js';
import { EarnedParts } from '../../features/fx/EarnedParts.js';
import { earnedTotal } from '../../features/fx/earned-sum.js';
import { sumAmounts } from '../../shared/format/exact.js';
import { formatCount, formatMoney } from '../../shared/format/numbers.js';
import { formatPeriod, shortPeriod } from '../../shared/format/periods.js';
import { Connections } from './Connections.js';
import { distinctAmount, ExceptionList } from './ExceptionList.js';
import { Jobs } from './Jobs.js';
import { OpenDiscrepancies } from './OpenDiscrepancies.js';
import styles from './Overview.module.css';
import { SetUp } from './SetUp.js';
import { wasSetUp } from './was-set-up.js';

const route = getRouteApi('/_shell/overview');

/** What needs an action today, the largest amounts first. */
export function OverviewPage() {
  const navigate = useNavigate({ from: '/overview' });
  const period = usePeriod(route.useSearch().period);
  const open = useQuery(disputeCountsQuery).data?.waiting ?? 0;
  // Read once, so that the list does not move while it is completed.
  const { workspace } = useSession();
  const [isSetUp] = useState(() => wasSetUp(workspace.workspaceId));
  return (
    <Page
      title="Overview"
      crumbs={[{ label: 'Overview' }]}
      facts={[
        formatPeriod(period),
        open === 0 ? null : (
          <Link key="questions" to="/questions">
            {formatCount(open, 'question')} waiting for an answer
          </Link>
        ),
      ]}
      actions={<PeriodPicker period={period} onChange={(next) => navigate({ search: { period: next } })} />}
    >
      <MailNote />
      <div className={`${isSetUp ? '' : blocks.inOrder} ${styles.blocks}`}>
        {isSetUp ? null : <SetUp />}
        <Strip period={period} />
        <div className={blocks.columns}>
          <div className={`${blocks.inOrder} ${styles.main}`}>
            {isSetUp ? <SetUp /> : null}
            <ExceptionList period={period} />
            <OpenDiscrepancies />
          </div>
          <div className={`${blocks.inOrder} ${styles.side}`}>
            <Connections />
            <Jobs />
          </div>
        </div>
      </div>
    </Page>
  );
}

/** Each cell appears when its own figure is loaded. */
function Strip({ period }: { readonly period: string }) {
  const { currency } = useSession().workspace;
  const { data: team } = useQuery(teamSumsQuery(period));
  const exceptions = finishedExceptions(useQuery(exceptionsQuery(period)).data);
  const open = useQuery(discrepanciesQuery('open')).data;
  const sums = team && { ...team, earnings: team.totals };
  return (
    <StatStrip label="Summary" columns="1.2fr 1fr 1fr">
      <StatCard
        label={`Commission in ${shortPeriod(period)}`}
        figure={<HeroMoney amount={sums && earnedTotal(sums)} currency={team?.currency ?? currency} />}
        note={
          team === undefined || sums === undefined ? (
            loading
          ) : (
            <>
              <p>
                {team.earners ?? 0} of {formatCount(team.count ?? 0, 'person', 'people')} earned
              </p>
              <EarnedParts sums={sums} />
            </>
          )
        }
      />
      <StatCard
        label="Deals that pay nothing"
        figure={
          <HeroMoney amount={exceptions && distinctAmount(exceptions.exceptions, currency)} currency={currency} />
        }
        note={exceptions === undefined ? loading : unpaidWords(exceptions, currency)}
      />
      <StatCard
        label="Open discrepancies"
        figure={
          <HeroMoney
            amount={open && sumAmounts(open.filter((total) => total.currency === currency).map(({ delta }) => delta))}
            currency={currency}
            signed
          />
        }
        note={open === undefined ? loading : open.length === 0 ? 'none' : `${open.length}, in approved periods`}
      />
    </StatStrip>
  );
}

/** Has the height of a note. */
const loading = '\u00a0';

/** The number of deals, and their amounts in other currencies. */
function unpaidWords({ exceptions, deals }: Exceptions, currency: string): string {
  const currencies = new Set(exceptions.flatMap(({ totals }) => totals.map((total) => total.currency)));
  currencies.delete(currency);
  return [
    formatCount(deals, 'deal'),
    ...[...currencies].map(
      (currency) => `plus ${formatMoney(distinctAmount(exceptions, currency), currency, { unit: 'code' })}`,
    ),
  ].join(', ');
}
