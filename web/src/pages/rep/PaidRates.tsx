import { useQuery } from '@tanstack/react-query';
import { type Statement, statementQuery } from '../../api/queries.js';
import { useSession } from '../../app/session.js';
import { useToday } from '../../app/today.js';
import { type Column, DataTable } from '../../components/DataTable.js';
import { DealLink } from '../../components/links.js';
import { type PlanRule } from '../../features/plans/rules.js';
import { formatDay } from '../../shared/format/dates.js';
import { formatMoney, formatRate } from '../../shared/format/numbers.js';
import { compareTexts } from '../../shared/format/texts.js';
import styles from './MyPlan.module.css';

type Item = Statement['lineItems'][number];
type PaidProduct = NonNullable<Item['dealLines']>[number];

/** What a product was paid last. */
interface PaidRate {
  readonly product: string;
  readonly line: PaidProduct;
  readonly item: Item;
}

const columns: readonly Column<PaidRate>[] = [
  { key: 'product', header: 'Product', phone: 'title', cell: ({ product }) => product },
  {
    key: 'rate',
    header: 'Pays',
    align: 'right',
    phone: 'amount',
    cell: ({ line: { rate, amount }, item: { currency } }) => (
      <span className="num">{rate === null ? formatMoney(amount, currency) : formatRate(rate)}</span>
    ),
  },
  {
    key: 'deal',
    header: 'Last paid for',
    phone: 'note',
    cell: ({ item: { dealId, dealName, earnedOn } }) => (
      <>
        {dealId === null ? null : <DealLink dealId={dealId} name={dealName} />}{' '}
        <span className="dim">{formatDay(earnedOn)}</span>
      </>
    ),
  },
];

interface PaidRatesProps {
  readonly planId: string;
  readonly rule: PlanRule;
}

/** The rate that each product of the person's deals of this year got from the rate table of a rule. */
export function PaidRates({ planId, rule }: PaidRatesProps) {
  const { repId } = useSession();
  const { data } = useQuery(statementQuery(repId, useToday().slice(0, 4)));
  const rates = data === undefined ? [] : listPaidRates(data.lineItems, planId, rule.name);
  if (rates.length === 0) return null;
  return (
    <div className={styles.tiers}>
      <h3>What products paid this year</h3>
      <DataTable
        caption={`Rates of ${rule.name} by product`}
        columns={columns}
        rows={rates}
        rowKey={({ product }) => product}
      />
    </div>
  );
}

function listPaidRates(items: readonly Item[], planId: string, ruleName: string): readonly PaidRate[] {
  const last = new Map<string, PaidRate>();
  const own = items
    .filter((item) => item.planId === planId && item.ruleName === ruleName && item.status === 'earned')
    .toSorted((a, b) => compareTexts(a.earnedOn, b.earnedOn));
  for (const item of own)
    for (const line of item.dealLines ?? []) {
      const product = line.name ?? line.lineId;
      last.set(product, { product, line, item });
    }
  return [...last.values()].sort((a, b) => compareTexts(a.product, b.product));
}
