import { useQuery } from '@tanstack/react-query';
import { overridesQuery, type Plan, plansQuery } from '../../api/queries.js';
import { useSession } from '../../app/session.js';
import { Loaded } from '../../components/Loaded.js';
import { Card, Facts, Page } from '../../components/Page.js';
import { EmptyState } from '../../components/States.js';
import { formatDay } from '../../format/dates.js';
import { formatAttainment, formatNumber } from '../../format/numbers.js';
import { type PlanRule, rulesOf, tiersFor } from '../../plans/rules.js';
import { conditionLines, payWords, ruleSentences } from '../../plans/words.js';
import styles from './MyPlan.module.css';

/** The plan in words: what it pays on, each rule, the tiers with the person's own terms, and its dates. */
export function MyPlanPage() {
  const { repId } = useSession();
  const plans = useQuery(plansQuery);
  return (
    <Page title="My plan" crumbs={[{ label: 'My plan' }]}>
      <Loaded query={plans} height={480}>
        {(all) => {
          const own = all.filter(({ assignedReps }) => assignedReps.some((rep) => rep.repId === repId));
          if (own.length === 0)
            return (
              <EmptyState title="You are on no plan">
                An admin assigns plans. Your deals earn commission from then on.
              </EmptyState>
            );
          return own.map((plan) => <PlanInWords key={plan.planId} plan={plan} />);
        }}
      </Loaded>
    </Page>
  );
}

function PlanInWords({ plan }: { readonly plan: Plan }) {
  const { workspace } = useSession();
  const conditions = conditionLines(plan.dealConditions as never);
  return (
    <section className={styles.plan}>
      <header>
        <h2 className={styles.name}>{plan.name}</h2>
        <Facts facts={[`Version ${plan.version}`, datesOf(plan), plan.currency]} />
      </header>
      {conditions.length === 0 ? null : (
        <p>
          It pays on deals where: <b className="strong">{conditions.join('; ')}</b>.
        </p>
      )}
      {rulesOf(plan).map((rule) => (
        <RuleInWords key={rule.id} rule={rule} plan={plan} currency={plan.currency ?? workspace.currency} />
      ))}
    </section>
  );
}

function datesOf({ inForce, timeline }: Plan): string {
  const next = timeline.find(({ from }) => inForce?.to != null && from !== null && from > inForce.to);
  const since = inForce?.from == null ? 'in force' : `in force since ${formatDay(inForce.from, 'long')}`;
  const until = inForce?.to == null ? '' : ` to ${formatDay(inForce.to, 'long')}`;
  return next?.from == null ? `${since}${until}` : `${since}${until}, then version ${next.version}`;
}

interface RuleInWordsProps {
  readonly rule: PlanRule;
  readonly plan: Plan;
  readonly currency: string;
}

function RuleInWords({ rule, plan, currency }: RuleInWordsProps) {
  const { repId } = useSession();
  const overrides = useQuery(overridesQuery(plan.planVersionId, repId)).data;
  const tiers = tiersFor(rule, repId, overrides);
  const conditions = conditionLines(rule.conditions);
  const from = (threshold: number) =>
    rule.tierBy === 'attainment' ? formatAttainment(threshold) : formatNumber(threshold);
  return (
    <Card title={rule.name}>
      {conditions.length === 0 ? null : <p>Only if: {conditions.join('; ')}.</p>}
      {ruleSentences(rule, currency).map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
      <table className={styles.tiers}>
        <caption className="unseen">Tiers of {rule.name}</caption>
        <thead>
          <tr>
            <th scope="col">Tier</th>
            {tiers.length < 2 ? null : (
              <th scope="col">
                {{ attainment: 'From attainment', value: 'From', rank: 'From position' }[rule.tierBy]}
              </th>
            )}
            <th scope="col">Pays</th>
          </tr>
        </thead>
        <tbody>
          {tiers.map((tier) => (
            <tr key={tier.tierIndex}>
              <td>
                {tier.name}
                {tier.isOwn ? <span className="dim"> (agreed with you)</span> : null}
              </td>
              {tiers.length < 2 ? null : <td className="num">{from(tier.minThreshold)}</td>}
              <td className="num">{payWords(tier, currency)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
}
