import { type PlanPreview } from '../../../api/plan-queries.js';
import { type Column, DataTable } from '../../../components/DataTable.js';
import { Money } from '../../../components/Money.js';
import { difference } from '../../../shared/format/exact.js';

type Taken = NonNullable<PlanPreview['refunds']>[number];

/** What refunds take back from each person now and after the change. */
export function TakenBack({ refunds }: { readonly refunds: readonly Taken[] }) {
  return (
    <DataTable
      caption="What refunds take back"
      columns={columns}
      rows={refunds}
      rowKey={({ repId, currency }) => repId + currency}
    />
  );
}

const columns: readonly Column<Taken>[] = [
  { key: 'name', header: 'Person', phone: 'title', sortBy: ({ name }) => name, cell: ({ name }) => name },
  {
    key: 'now',
    header: 'Takes back',
    align: 'right',
    phone: 'detail',
    cell: ({ before, currency }) => <Money amount={difference(0, before)} currency={currency} unit="none" dimsZero />,
  },
  {
    key: 'then',
    header: 'Would take back',
    align: 'right',
    phone: 'amount',
    sortBy: ({ after }) => -after,
    cell: ({ after, currency }) => <Money amount={difference(0, after)} currency={currency} dimsZero />,
  },
];
