import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { disputesQuery } from '../../api/queries.js';
import { discrepanciesQuery, exceptionsQuery, teamOverviewQuery, waiting } from '../../api/team-queries.js';
import { useSession } from '../../app/session.js';
import { HeroMoney } from '../../components/Money.js';
import { Page } from '../../components/Page.js';
import { PeriodPicker } from '../../components/PeriodPicker.js';
import { StatCard, StatStrip } from '../../components/StatCard.js';
import { todayIn } from '../../format/dates.js';
import { sumOf } from '../../format/exact.js';
import { formatCount, formatMoney } from '../../format/numbers.js';
import { formatPeriod, monthOf, shortPeriod } from '../../format/periods.js';
import { Connections } from './Connections.js';
import { distinctAmount, ExceptionList } from './ExceptionList.js';
import { Jobs } from './Jobs.js';
import { OpenDiscrepancies } from './OpenDiscrepancies.js';
import styles from './Overview.module.css';
import { SetUp } from './SetUp.js';

const route = getRouteApi('/_shell/overview');

/** What needs an action today, the largest amounts first. */
export function OverviewPage() {
  const { workspace } = useSession();
  const navigate = useNavigate({ from: '/overview' });
  const period = route.useSearch().period ?? monthOf(todayIn(workspace.timezone));
  const disputes = useQuery(disputesQuery({}));
  const open = disputes.data === undefined ? 0 : waiting(disputes.data.disputes).length;
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
      <Strip period={period} />
      <div className={styles.columns}>
        <div className={styles.main}>
          <ExceptionList period={period} />
          <OpenDiscrepancies />
        </div>
        <div className={styles.side}>
          <Connections />
          <SetUp />
          <Jobs />
        </div>
      </div>
    </Page>
  );
}

function Strip({ period }: { readonly period: string }) {
  const { workspace } = useSession();
  const { currency } = workspace;
  const team = useQuery(teamOverviewQuery(period));
  const exceptions = useQuery(exceptionsQuery(period));
  const discrepancies = useQuery(discrepanciesQuery('open'));
  const unpaid = (exceptions.data?.exceptions ?? []).flatMap(({ totals }) => totals);
  const others = [...new Set(unpaid.map((one) => one.currency))].filter((one) => one !== currency);
  const ofCurrency = (code: string) => distinctAmount(exceptions.data?.exceptions ?? [], code);
  const open = discrepancies.data?.discrepancies ?? [];
  const reps = team.data?.reps ?? [];
  const paid = reps.filter(({ earnings }) => earnings.total !== 0).length;
  return (
    <StatStrip label="Summary" columns="1.2fr 1fr 1fr">
      <StatCard
        label={`Commission in ${shortPeriod(period)}`}
        figure={<HeroMoney amount={team.data?.totals.total} currency={team.data?.currency ?? currency} />}
        note={team.data === undefined ? ' ' : `${paid} of ${formatCount(reps.length, 'person', 'people')} earned`}
      />
      <StatCard
        label="Deals that pay nothing"
        figure={<HeroMoney amount={exceptions.data === undefined ? null : ofCurrency(currency)} currency={currency} />}
        note={[
          formatCount(exceptions.data?.deals ?? 0, 'deal'),
          ...others.map((code) => `plus ${formatMoney(ofCurrency(code), code, { unit: 'code' })}`),
        ].join(', ')}
      />
      <StatCard
        label="Open discrepancies"
        figure={
          <HeroMoney
            amount={
              discrepancies.data === undefined
                ? null
                : sumOf(open.filter((one) => one.currency === currency).map(({ delta }) => delta))
            }
            currency={currency}
            signed
          />
        }
        note={open.length === 0 ? 'none' : `${open.length}, in approved periods`}
      />
    </StatStrip>
  );
}
