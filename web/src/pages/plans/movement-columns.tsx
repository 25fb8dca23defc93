import { type PlanPreview } from '../../api/plan-queries.js';
import { type Column } from '../../components/DataTable.js';
import { Money } from '../../components/Money.js';
import { formatPeriod } from '../../shared/format/periods.js';

type Rep = NonNullable<PlanPreview['byRep']>[number];
type PayPeriod = NonNullable<PlanPreview['byPayPeriod']>[number];
type Locked = NonNullable<PlanPreview['locked']>[number];

/** Commission now and after a change, and the difference. */
export function moneyColumns<
  Row extends { before: number; after: number; delta: number; currency: string },
>(): Column<Row>[] {
  return [
    {
      key: 'before',
      header: 'Now',
      align: 'right',
      cell: ({ before, currency }) => <Money amount={before} currency={currency} unit="none" />,
    },
    {
      key: 'after',
      header: 'After',
      align: 'right',
      phone: 'detail',
      cell: ({ after, currency }) => <Money amount={after} currency={currency} unit="none" />,
    },
    {
      key: 'delta',
      header: 'Change',
      align: 'right',
      phone: 'amount',
      sortBy: ({ delta }) => delta,
      cell: ({ delta, currency }) => <Money amount={delta} currency={currency} signed />,
    },
  ];
}

export const repColumns: readonly Column<Rep>[] = [
  { key: 'name', header: 'Person', phone: 'title', sortBy: ({ name }) => name, cell: ({ name }) => name },
  ...moneyColumns<Rep>(),
];

export const payPeriodColumns: readonly Column<PayPeriod>[] = [
  {
    key: 'period',
    header: 'Paid with',
    phone: 'title',
    cell: ({ period }) => (period === null ? 'Waits, day not known' : formatPeriod(period)),
  },
  ...moneyColumns<PayPeriod>(),
];

export const lockedColumns: readonly Column<Locked>[] = [
  { key: 'name', header: 'Person', phone: 'title', cell: ({ name }) => name },
  { key: 'period', header: 'Period', phone: 'detail', cell: ({ period }) => formatPeriod(period) },
  {
    key: 'delta',
    header: 'Difference',
    align: 'right',
    phone: 'amount',
    cell: ({ delta, currency }) => <Money amount={delta} currency={currency} signed />,
  },
];
