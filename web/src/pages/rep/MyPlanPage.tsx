import { useQueries, useQuery } from '@tanstack/react-query';
import { countsMoney } from '#src/client.js';
import { dashboardQuery, overridesQuery, ownPlansQuery, type Plan } from '../../api/queries.js';
import { useSession } from '../../app/session.js';
import { useToday } from '../../app/today.js';
import { type Column, DataTable } from '../../components/DataTable.js';
import { Loaded } from '../../components/Loaded.js';
import { Card, Facts, Page } from '../../components/Page.js';
import { PayoutCurve } from '../../components/PayoutCurve.js';
import { Skeleton } from '../../components/States.js';
import { amountWords } from '../../components/TierMeter.js';
import { PlansToAccept } from '../../features/acceptance/PlanToAccept.js';
import { type Attainment, isCounted, prorationWords } from '../../features/plans/attainment.js';
import { payoutCurve } from '../../features/plans/curve.js';
import { payoutSentences } from '../../features/plans/payout.js';
import {
  countMonths,
  listRules,
  measureOf,
  type OwnTier,
  type PlanRule,
  tiersFor,
} from '../../features/plans/rules.js';
import { conditionLines, payWords, ruleSentences, tablesOf } from '../../features/plans/words.js';
import { formatDay } from '../../shared/format/dates.js';
import { multiplyAmounts } from '../../shared/format/exact.js';
import { formatAttainment, formatNumber } from '../../shared/format/numbers.js';
import { formatPeriod, periodAt } from '../../shared/format/periods.js';
import styles from './MyPlan.module.css';
import { NoPlan } from './NoPlan.js';
import { PaidRates } from './PaidRates.js';

/** The plan in words: what it pays on, each rule, the tiers with the person's own terms, and its dates. */
export function MyPlanPage() {
  const { repId } = useSession();
  const plans = useQuery(ownPlansQuery(repId));
  return (
    <Page title="My plan" crumbs={[{ label: 'My plan' }]}>
      <PlansToAccept />
      <Loaded query={plans} height={480}>
        {(own) => (own.length === 0 ? <NoPlan /> : <OwnPlans plans={own} />)}
      </Loaded>
    </Page>
  );
}

/** The plans, once their quotas and own terms are known: curves that appear later would move what is being read. */
function OwnPlans({ plans }: { readonly plans: readonly Plan[] }) {
  const { repId } = useSession();
  const today = useToday();
  const periods = new Set(plans.flatMap(listRules).map((rule) => periodAt(today, countMonths(rule), rule.calendar)));
  const quotas = useQueries({ queries: [...periods].map((period) => dashboardQuery(repId, period)) });
  const terms = useQueries({ queries: plans.map(({ planVersionId }) => overridesQuery(planVersionId, repId)) });
  if ([...quotas, ...terms].some(({ isLoading }) => isLoading)) return <Skeleton height={480} />;
  return plans.map((plan) => <PlanInWords key={plan.planId} plan={plan} />);
}

function PlanInWords({ plan }: { readonly plan: Plan }) {
  const { workspace } = useSession();
  const conditions = conditionLines(plan.dealConditions as never);
  return (
    <section className={styles.plan}>
      <header>
        <h2 className={styles.name}>{plan.name}</h2>
        <Facts facts={[`Version ${plan.version}`, describeDates(plan), plan.currency]} />
      </header>
      {conditions.length === 0 ? null : (
        <p>
          It pays on deals where: <b className="strong">{conditions.join('; ')}</b>.
        </p>
      )}
      {listRules(plan).map((rule) => (
        <RuleInWords key={rule.id} rule={rule} plan={plan} currency={plan.currency ?? workspace.currency} />
      ))}
    </section>
  );
}

function describeDates({ inForce, timeline }: Plan): string {
  const next = timeline.find(({ from }) => inForce?.to != null && from !== null && from > inForce.to);
  const since = inForce?.from == null ? 'in force' : `in force since ${formatDay(inForce.from, 'long')}`;
  const until = inForce?.to == null ? '' : ` to ${formatDay(inForce.to, 'long')}`;
  return next?.from == null ? `${since}${until}` : `${since}${until}, then version ${next.version}`;
}

/** How much of the quota is reached. */
function reachedWords(quota: Attainment): string {
  if (!isCounted(quota)) return 'it counts at the end of the period.';
  const late = quota.countsAtEnd === undefined ? '' : ', which counts at the end of the period';
  return `you are at ${formatAttainment(quota.attainment)}${late}.`;
}

interface RuleInWordsProps {
  readonly rule: PlanRule;
  readonly plan: Plan;
  readonly currency: string;
}

function RuleInWords({ rule, plan, currency }: RuleInWordsProps) {
  const { repId } = useSession();
  const overrides = useQuery(overridesQuery(plan.planVersionId, repId)).data;
  const today = useToday();
  const tiers = tiersFor(rule, repId, today, overrides);
  const period = periodAt(today, countMonths(rule), rule.calendar);
  const { attainment = [] } = useQuery(dashboardQuery(repId, period)).data ?? {};
  const quota = attainment.find(
    (quota) =>
      quota.planId === plan.planId && quota.measure === measureOf(rule) && quota.period === period && quota.target > 0,
  );
  const prorated = quota === undefined ? null : prorationWords(quota);
  const isMoney = countsMoney(rule);
  const curve =
    quota === undefined || tiers.length < 2
      ? null
      : payoutCurve({ ...rule, tiers: tiers.map(tierOfRule) }, quota.target);
  const conditions = conditionLines(rule.conditions);
  const pays: Column<OwnTier> = {
    key: 'pays',
    header: 'Pays',
    align: 'right',
    phone: 'amount',
    cell: (tier) => <span className="num">{payWords(tier, currency)}</span>,
  };
  return (
    <Card title={rule.name}>
      {conditions.length === 0 ? null : <p>Only if: {conditions.join('; ')}.</p>}
      {[...ruleSentences(rule, currency), ...payoutSentences(rule)].map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
      {quota === undefined || rule.tierBy !== 'attainment' ? null : (
        <p>
          Your quota for {formatPeriod(period)} is {amountWords(quota.target, currency, isMoney)}
          {prorated === null ? '' : ` (${prorated})`}; {reachedWords(quota)}
        </p>
      )}
      <div className={styles.terms}>
        {curve === null ? null : (
          <div className={styles.curve}>
            <PayoutCurve
              now={curve}
              nowName={formatPeriod(period)}
              before={null}
              beforeName={null}
              thresholds={tiers.map(({ minThreshold }) => minThreshold)}
              currency={currency}
              own={quota?.attainment ?? undefined}
            />
          </div>
        )}
        <div className={styles.tiers}>
          <DataTable
            caption={`Tiers of ${rule.name}`}
            columns={
              tiers.length < 2
                ? [tierColumn, pays]
                : [tierColumn, fromColumn(rule, { currency, target: quota?.target ?? null }), pays]
            }
            rows={tiers}
            rowKey={({ tierIndex }) => String(tierIndex)}
          />
        </div>
      </div>
      {tablesOf(rule).length === 0 ? null : <PaidRates planId={plan.planId} rule={rule} />}
    </Card>
  );
}

const tierColumn: Column<OwnTier> = {
  key: 'tier',
  header: 'Tier',
  phone: 'title',
  cell: ({ name, isOwn }) => (
    <>
      {name}
      {isOwn ? <span className="dim"> (agreed with you)</span> : null}
    </>
  ),
};

function tierOfRule({ tierIndex, minThreshold, rate, flatAmount, table, column }: OwnTier): PlanRule['tiers'][number] {
  return {
    tierIndex,
    minThreshold,
    ...(rate === null ? {} : { rate }),
    ...(flatAmount === null ? {} : { flatAmount }),
    ...(table === null ? {} : { table }),
    ...(column === null ? {} : { column }),
  };
}

interface Terms {
  readonly currency: string;
  /** The present quota; null if none is set. */
  readonly target: number | null;
}

/** Where a tier begins, with the amount that is the threshold at the present quota. */
function fromColumn(rule: PlanRule, { currency, target }: Terms): Column<OwnTier> {
  const { tierBy, tierValueField } = rule;
  const words = (threshold: number) => {
    if (tierBy === 'rank') return formatNumber(threshold);
    if (tierBy === 'value') return amountWords(threshold, currency, tierValueField === 'amount');
    const share = formatAttainment(threshold);
    return target === null
      ? share
      : `${share}, ${amountWords(Number(multiplyAmounts(threshold, target)), currency, countsMoney(rule))}`;
  };
  return {
    key: 'from',
    header: { attainment: 'From attainment', value: 'From', rank: 'From position' }[tierBy],
    align: 'right',
    phone: 'note',
    cell: ({ minThreshold }) => (
      <span className="num">
        <span className={styles.onPhone}>from {tierBy === 'rank' ? 'position ' : ''}</span>
        {words(minThreshold)}
      </span>
    ),
  };
}
