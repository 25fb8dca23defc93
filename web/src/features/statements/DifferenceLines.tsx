import { type Line } from '../../api/queries.js';
import { type Column, DataTable } from '../../components/DataTable.js';
import { DealLink } from '../../components/links.js';
import { LedgerTotal, Money } from '../../components/Money.js';
import { sumAmounts } from '../../shared/format/exact.js';

type DifferenceLine = NonNullable<Line['lines']>[number];

interface DifferenceLinesProps {
  readonly lines: readonly DifferenceLine[];
  readonly currency: string;
  /** Number of all lines, of which `lines` are the largest. Without all of them there is no sum. */
  readonly count?: number;
  /** Whether the other lines are on other pages. Default: false. */
  readonly isPaged?: boolean;
  /** Whether the lines are of a correction that was paid: later changes are not in them. Default: false. */
  readonly isPaid?: boolean;
}

/** What a true-up pays or a discrepancy owes, by deal and rule. */
export function DifferenceLines(props: DifferenceLinesProps) {
  const { lines, currency, count = props.lines.length, isPaged = false, isPaid = false } = props;
  const sum = sumAmounts(lines.map(({ delta }) => delta));
  const total = {
    deal: 'Difference',
    delta: <LedgerTotal amount={sum} currency={currency} signed />,
  };
  return (
    <div>
      <DataTable
        caption={isPaid ? 'What the correction pays, by deal and rule' : 'Differences by deal and rule'}
        columns={columns(currency, isPaid)}
        rows={lines}
        rowKey={({ dealId, planId, ruleName }) => JSON.stringify([dealId, planId, ruleName])}
        total={lines.length === count ? total : undefined}
      />
      {lines.length === count || isPaged ? null : (
        <p className="dim">
          The {lines.length} largest of {count} lines.
        </p>
      )}
    </div>
  );
}

function columns(currency: string, isPaid: boolean): readonly Column<DifferenceLine>[] {
  const amount = (key: 'approved' | 'live', header: string): Column<DifferenceLine> => ({
    key,
    header,
    align: 'right',
    cell: (line) => <Money amount={line[key]} currency={currency} unit="none" />,
  });
  return [
    {
      key: 'deal',
      header: 'Deal',
      phone: 'title',
      cell: ({ dealId, dealName }) => (dealId === null ? 'Whole period' : <DealLink dealId={dealId} name={dealName} />),
    },
    { key: 'rule', header: 'Rule', phone: 'detail', cell: ({ ruleName }) => ruleName },
    amount('approved', isPaid ? 'Approved before' : 'Approved'),
    amount('live', isPaid ? 'Corrected to' : 'Now'),
    {
      key: 'delta',
      header: 'Difference',
      align: 'right',
      phone: 'amount',
      cell: ({ delta }) => <Money amount={delta} currency={currency} unit="none" signed />,
    },
  ];
}
