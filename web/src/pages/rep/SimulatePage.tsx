import { useDebouncedValue } from '@mantine/hooks';
import { IconAlertTriangle } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { type Deal, openDealsPage, openDealsQuery, ownPlansQuery, type Plan } from '../../api/queries.js';
import { whatIfQuery } from '../../api/what-if-query.js';
import { useSession } from '../../app/session.js';
import { useToday } from '../../app/today.js';
import { type Column, DataTable } from '../../components/DataTable.js';
import { DecimalInput } from '../../components/DecimalInput.js';
import { InlineInput } from '../../components/Inline.js';
import { combineQueries, Loaded } from '../../components/Loaded.js';
import { HeroMoney, Money } from '../../components/Money.js';
import { Note } from '../../components/Note.js';
import { Card, Page } from '../../components/Page.js';
import { Pager } from '../../components/Pager.js';
import { HeroAttainment, StatCard, StatStrip } from '../../components/StatCard.js';
import { EmptyState, ErrorState } from '../../components/States.js';
import {
  type ChosenDeal,
  chosenProblem,
  type EnteredDeal,
  type QuarterResult,
  readChosenDeals,
  sumAdditions,
} from '../../features/plans/what-if.js';
import { type AddedPart, type ReleasedAddition, releaseWords } from '../../features/plans/what-if-pay.js';

import { formatAttainment, formatCount } from '../../shared/format/numbers.js';
import { formatPeriod, periodAt } from '../../shared/format/periods.js';
import { NoPlan } from './NoPlan.js';
import styles from './Simulate.module.css';

const route = getRouteApi('/_shell/me/simulate');

/** What the person would earn if open deals closed. Nothing is written. */
export function SimulatePage() {
  const { repId } = useSession();
  const plans = useQuery(ownPlansQuery(repId));
  const { page = 0 } = route.useSearch();
  const deals = useQuery(openDealsQuery(repId, page));
  return (
    <Page
      title="If I close …"
      crumbs={[{ label: 'If I close …' }]}
      facts={['A calculation with your plan. It changes nothing.']}
    >
      <Loaded query={combineQueries({ plans, deals })} height={480}>
        {({ plans: own, deals: { deals: open, count } }) => {
          if (own.length === 0) return <NoPlan />;
          if (count === 0)
            return (
              <EmptyState title="You have no open deals" actions={<Link to="/me/deals">See your deals</Link>}>
                Open deals from the CRM appear here. Choose some to see what they would pay.
              </EmptyState>
            );
          return <Simulator plans={own} deals={open} count={count} />;
        }}
      </Loaded>
    </Page>
  );
}

interface SimulatorProps {
  readonly plans: readonly Plan[];
  /** The open deals of the page. */
  readonly deals: readonly Deal[];
  /** The number of open deals on all pages. */
  readonly count: number;
}

/** Deals that are chosen on one page stay chosen on the others. */
function Simulator({ plans, deals, count }: SimulatorProps) {
  const today = useToday();
  const { page = 0 } = route.useSearch();
  const navigate = useNavigate({ from: '/me/simulate' });
  const [variations, setVariations] = useState<Readonly<Record<string, EnteredDeal>>>({});
  const toVariation = (deal: Deal): EnteredDeal =>
    variations[deal.deal_id] ?? {
      isChosen: false,
      amount: String(deal.amount ?? ''),
      closeDate: deal.closeDate === null || deal.closeDate < today ? today : deal.closeDate,
    };
  const change = (deal: Deal, part: Partial<EnteredDeal>) =>
    setVariations({ ...variations, [deal.deal_id]: { ...toVariation(deal), ...part } });
  return (
    <>
      <Result
        plans={plans}
        chosen={readChosenDeals(variations)}
        names={new Map(deals.map(({ deal_id: dealId, name }) => [dealId, name ?? dealId]))}
        today={today}
      />
      <Card title="Open deals" note="Choose the deals that close; change amount and date">
        <ul>
          {deals.map((deal) => (
            <DealRow
              key={deal.deal_id}
              deal={deal}
              variation={toVariation(deal)}
              onChange={(part) => change(deal, part)}
            />
          ))}
        </ul>
        {count <= openDealsPage ? null : (
          <Pager
            page={page}
            pageSize={openDealsPage}
            count={count}
            labels={['Previous', 'Next']}
            onChange={(next) => navigate({ search: { page: next === 0 ? undefined : next }, resetScroll: false })}
          />
        )}
      </Card>
    </>
  );
}

interface DealRowProps {
  readonly deal: Deal;
  readonly variation: EnteredDeal;
  readonly onChange: (part: Partial<EnteredDeal>) => void;
}

function DealRow({ deal, variation, onChange }: DealRowProps) {
  const { isChosen, amount, closeDate } = variation;
  const name = deal.name ?? deal.deal_id;
  const problem = chosenProblem(variation);
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
        isWrong={problem !== null && closeDate === ''}
        onChange={({ currentTarget }) => onChange({ closeDate: currentTarget.value })}
      />
      <DecimalInput
        label={`Amount of ${name}, ${deal.currency ?? ''}`}
        value={amount === '' ? undefined : Number(amount)}
        isWrong={problem !== null && amount === ''}
        onValue={(entered) => onChange({ amount: entered === undefined ? '' : String(entered) })}
      />
      {problem === null ? null : (
        <p role="alert" className={`negative ${styles.problem}`}>
          {problem}
        </p>
      )}
    </li>
  );
}

interface ResultProps {
  readonly plans: readonly Plan[];
  readonly chosen: readonly ChosenDeal[];
  readonly names: ReadonlyMap<string, string>;
  readonly today: string;
}

/** What the quarters pay with the deals: every quarter in which one closes or that one changes. */
function Result({ plans, chosen, names, today }: ResultProps) {
  const { repId, workspace } = useSession();
  const [deals] = useDebouncedValue(chosen, 400);
  const query = useQuery({ ...whatIfQuery(plans, repId, deals, today), placeholderData: keepPreviousData });
  if (query.error !== null) return <ErrorState error={query.error} onRetry={() => query.refetch()} />;
  const results = query.data?.results ?? [];
  const missing = query.data?.missing ?? [];
  const count = `${formatCount(query.data?.deals ?? deals.length, 'deal')} chosen`;
  const [only] = results;
  return (
    <div aria-live="polite" className={styles.result}>
      {results.length > 1 ? (
        <>
          <StatStrip label="Result" columns={results.length > 2 ? '1.25fr 1fr 1fr' : '1fr 1fr'}>
            {sumAdditions(results).map(([currency, sum]) => (
              <StatCard
                key={currency}
                label="You would earn more"
                figure={<HeroMoney amount={sum} currency={currency} signed />}
                note={count}
              />
            ))}
          </StatStrip>
          <Card title="By quarter" note="With everything that you have earned, as on My pay" isFlush>
            <DataTable
              caption="Results by quarter"
              columns={quarterColumns}
              rows={results}
              rowKey={({ period, currency }) => `${period} ${currency}`}
              isInset
            />
          </Card>
        </>
      ) : (
        <StatStrip label="Result" columns="1.25fr 1fr 1fr">
          <StatCard
            label={`You would earn more${only === undefined ? '' : ` in ${formatPeriod(only.period)}`}`}
            figure={<HeroMoney amount={only?.addition} currency={only?.currency ?? workspace.currency} signed />}
            note={count}
          />
          <StatCard
            label={`${formatPeriod(only?.period ?? periodAt(today, 3))} in total`}
            figure={<HeroMoney amount={only?.total} currency={only?.currency ?? workspace.currency} />}
            note="With everything that you have earned, as on My pay"
          />
          <StatCard label="Attainment then" figure={<HeroAttainment ratio={only?.attainment ?? undefined} />} />
        </StatStrip>
      )}
      {query.data === undefined ? null : <Addition {...query.data} names={names} />}
      {missing.map(({ period, rules }) => (
        <Note
          key={period}
          tone="warning"
          icon={IconAlertTriangle}
          title={`No quota for ${formatPeriod(period)} yet: ${new Intl.ListFormat('en').format(rules)} ${rules.length === 1 ? 'is' : 'are'} not included`}
        >
          <p>The result will be higher once your quota is set.</p>
        </Note>
      ))}
    </div>
  );
}

interface AdditionProps {
  readonly releases: readonly ReleasedAddition[];
  readonly parts: readonly AddedPart[];
  readonly names: ReadonlyMap<string, string>;
}

/** When the addition is paid, and what of it each deal adds. */
function Addition({ releases, parts, names }: AdditionProps) {
  return (
    <>
      {releases.length === 0 ? null : <p className="dim">Paid: {releaseWords(releases)}.</p>}
      {parts.length === 0 ? null : (
        <Card title="What each deal adds" isFlush>
          <DataTable
            caption="What each deal adds"
            columns={partColumns(names)}
            rows={parts}
            rowKey={({ dealId, currency }) => `${dealId} ${currency}`}
            isInset
          />
        </Card>
      )}
    </>
  );
}

const partColumns = (names: ReadonlyMap<string, string>): readonly Column<AddedPart>[] => [
  {
    key: 'deal',
    header: 'Deal',
    phone: 'title',
    cell: ({ dealId }) => (dealId === null ? 'More on other deals' : (names.get(dealId) ?? dealId)),
  },
  {
    key: 'amount',
    header: 'Adds',
    align: 'right',
    phone: 'amount',
    cell: ({ amount, currency }) => <Money amount={amount} currency={currency} signed />,
  },
];

const quarterColumns: readonly Column<QuarterResult>[] = [
  { key: 'period', header: 'Quarter', phone: 'title', cell: ({ period }) => formatPeriod(period) },
  {
    key: 'addition',
    header: 'More',
    align: 'right',
    phone: 'amount',
    cell: ({ addition, currency }) => <Money amount={addition} currency={currency} signed dimsZero />,
  },
  {
    key: 'total',
    header: 'In total',
    align: 'right',
    phone: 'detail',
    cell: ({ total, currency }) => <Money amount={total} currency={currency} />,
  },
  {
    key: 'attainment',
    header: 'Attainment then',
    align: 'right',
    phone: 'note',
    cell: ({ attainment }) => (attainment === null ? '–' : formatAttainment(attainment)),
  },
];
