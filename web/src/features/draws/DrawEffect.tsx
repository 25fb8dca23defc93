import { describeError } from '../../api/describe-error.js';
import { type DrawEffect } from '../../api/draw-queries.js';
import { type Column, DataTable } from '../../components/DataTable.js';
import { Money } from '../../components/Money.js';
import { formatPeriod } from '../../shared/format/periods.js';

interface EffectOfDrawProps {
  readonly effect: DrawEffect | undefined;
  readonly error: Error | null;
}

type Row = DrawEffect['byPeriod'][number];

/** How many statements are displayed. */
const maxVisible = 6;

/** What a change of a draw does to the statements that are not approved yet. */
export function EffectOfDraw({ effect, error }: EffectOfDrawProps) {
  if (error !== null) return <p className="negative">{describeError(error).message}</p>;
  if (effect === undefined) return <p className="dim">Calculating the statements …</p>;
  if (effect.byPeriod.length === 0) return <p className="dim">No open statement changes.</p>;
  return (
    <div>
      <DataTable
        caption="What it does to open statements"
        columns={columns}
        rows={effect.byPeriod.slice(0, maxVisible)}
        rowKey={({ period, currency }) => `${period} ${currency}`}
      />
      <p className="dim">With what is earned by now, if each statement is approved in turn.</p>
    </div>
  );
}

const amount = (key: 'before' | 'after' | 'owedAfter', header: string): Column<Row> => ({
  key,
  header,
  align: 'right',
  phone: key === 'after' ? 'amount' : 'detail',
  cell: (row) => <Money amount={row[key]} currency={row.currency} dimsZero />,
});

const columns: readonly Column<Row>[] = [
  { key: 'period', header: 'Statement', phone: 'title', cell: ({ period }) => formatPeriod(period) },
  amount('before', 'Pays now'),
  amount('after', 'Would pay'),
  amount('owedAfter', 'Owed after it'),
];
