import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import {
  type Deal,
  dealsQuery,
  type Plan,
  plansOf,
  plansQuery,
  type SimulatedDeal,
  simulationQuery,
} from '../../api/queries.js';
import { useSession } from '../../app/session.js';
import { useToday } from '../../app/today.js';
import { InlineInput } from '../../components/Inline.js';
import { allOf, Loaded } from '../../components/Loaded.js';
import { HeroMoney } from '../../components/Money.js';
import { Card, Page } from '../../components/Page.js';
import { HeroAttainment, StatCard, StatStrip } from '../../components/StatCard.js';
import { EmptyState, ErrorState } from '../../components/States.js';
import { difference } from '../../format/exact.js';
import { formatCount } from '../../format/numbers.js';
import { formatPeriod, periodAt } from '../../format/periods.js';
import { wonStage } from '../../plans/attainment.js';
import { NoPlan } from './NoPlan.js';
import styles from './Simulate.module.css';

interface Variation {
  readonly isChosen: boolean;
  readonly amount: string;
  readonly closeDate: string;
}

/** What the person would earn if open deals closed. Nothing is written. */
export function SimulatePage() {
  const { repId } = useSession();
  const plans = useQuery(plansQuery);
  const deals = useQuery(dealsQuery({ repId, isWon: 'false', limit: '500' }));
  return (
    <Page
      title="If I close …"
      crumbs={[{ label: 'If I close …' }]}
      facts={['A calculation with your plan. It changes nothing.']}
    >
      <Loaded query={allOf({ plans, deals })} height={480}>
        {({ plans: all, deals: { deals: notWon } }) => {
          const open = notWon.filter(({ isClosed }) => !isClosed);
          const [plan] = plansOf(all, repId);
          if (plan === undefined) return <NoPlan />;
          if (open.length === 0)
            return (
              <EmptyState title="You have no open deals" actions={<Link to="/me/deals">See your deals</Link>}>
                Open deals from the CRM appear here. Choose some to see what they would pay.
              </EmptyState>
            );
          return <Simulator plan={plan} deals={open} />;
        }}
      </Loaded>
    </Page>
  );
}

interface SimulatorProps {
  readonly plan: Plan;
  readonly deals: readonly Deal[];
}

function Simulator({ plan, deals }: SimulatorProps) {
  const today = useToday();
  const [variations, setVariations] = useState<Readonly<Record<string, Variation>>>({});
  const variationOf = (deal: Deal): Variation =>
    variations[deal.deal_id] ?? {
      isChosen: false,
      amount: String(deal.amount ?? ''),
      closeDate: deal.closeDate === null || deal.closeDate < today ? today : deal.closeDate,
    };
  const change = (deal: Deal, part: Partial<Variation>) =>
    setVariations({ ...variations, [deal.deal_id]: { ...variationOf(deal), ...part } });
  const stage = wonStage(plan);
  const chosen = deals
    .filter((deal) => variationOf(deal).isChosen)
    .map((deal): SimulatedDeal => {
      const { amount, closeDate } = variationOf(deal);
      return { dealId: deal.deal_id, amount: Number(amount), stage, closeDate };
    });
  return (
    <>
      <Result plan={plan} chosen={chosen} today={today} />
      <Card title="Open deals" note="Choose the deals that close; change amount and date">
        <ul>
          {deals.map((deal) => (
            <DealRow
              key={deal.deal_id}
              deal={deal}
              variation={variationOf(deal)}
              onChange={(part) => change(deal, part)}
            />
          ))}
        </ul>
      </Card>
    </>
  );
}

interface DealRowProps {
  readonly deal: Deal;
  readonly variation: Variation;
  readonly onChange: (part: Partial<Variation>) => void;
}

function DealRow({ deal, variation: { isChosen, amount, closeDate }, onChange }: DealRowProps) {
  const name = deal.name ?? deal.deal_id;
  return (
    <li className={styles.deal}>
      <label className={styles.name}>
        <input
          type="checkbox"
          checked={isChosen}
          onChange={({ currentTarget }) => onChange({ isChosen: currentTarget.checked })}
        />
        <span>
          <b className="strong">{name}</b>
          <span className="second">
            {deal.deal_id}, {deal.stageLabel}
          </span>
        </span>
      </label>
      <InlineInput
        type="date"
        label={`Close date of ${name}`}
        value={closeDate}
        onChange={({ currentTarget }) => onChange({ closeDate: currentTarget.value })}
      />
      <InlineInput
        type="number"
        inputMode="decimal"
        step="0.01"
        label={`Amount of ${name}, ${deal.currency ?? ''}`}
        value={amount}
        onChange={({ currentTarget }) => onChange({ amount: currentTarget.value })}
      />
    </li>
  );
}

interface ResultProps {
  readonly plan: Plan;
  readonly chosen: readonly SimulatedDeal[];
  readonly today: string;
}

/** What the period pays with and without the deals. */
function Result({ plan, chosen, today }: ResultProps) {
  const { repId, workspace } = useSession();
  const [tried] = useDebouncedValue(chosen, 400);
  const period = periodAt(
    tried.reduce((latest, { closeDate }) => (closeDate > latest ? closeDate : latest), today),
    3,
  );
  const valid = tried.filter(({ closeDate, amount }) => periodAt(closeDate, 3) === period && Number.isFinite(amount));
  const before = useQuery({ ...simulationQuery(plan.planId, repId, period, []), placeholderData: (old) => old });
  const after = useQuery({ ...simulationQuery(plan.planId, repId, period, valid), placeholderData: (old) => old });
  const problem = before.error ?? after.error;
  if (problem !== null) return <ErrorState error={problem} onRetry={() => after.refetch()} />;
  const currency = after.data?.currency ?? plan.currency ?? workspace.currency;
  const [now, then] = [before.data?.total, after.data?.total];
  const attainment = after.data?.reps[0]?.attainment.find((one) => one.target !== null)?.attainment;
  const left = tried.length - valid.length;
  return (
    <div aria-live="polite">
      <StatStrip label="Result" columns="1.25fr 1fr 1fr">
        <StatCard
          label={`You would earn more in ${formatPeriod(period)}`}
          figure={
            <HeroMoney
              amount={now === undefined || then === undefined ? null : difference(then, now)}
              currency={currency}
              signed
            />
          }
          note={`${formatCount(valid.length, 'deal')} chosen${left === 0 ? '' : `, ${left} in another quarter not counted`}`}
        />
        <StatCard
          label={`${formatPeriod(period)} in total`}
          figure={<HeroMoney amount={then ?? null} currency={currency} />}
          note={plan.name}
        />
        <StatCard label="Attainment then" figure={<HeroAttainment ratio={attainment} />} />
      </StatStrip>
    </div>
  );
}
