import { Link } from '@tanstack/react-router';
import { type Line } from '../../api/queries.js';
import { type Column, DataTable } from '../../components/DataTable.js';
import { LedgerTotal, Money } from '../../components/Money.js';
import { rowAction } from '../../components/row-keys.js';
import { formatDay } from '../../shared/format/dates.js';
import { signOf } from '../../shared/format/exact.js';
import { formatMoney } from '../../shared/format/numbers.js';
import { opensTrace } from '../trace/opens-trace.js';
import styles from './Lines.module.css';
import { describeBase, lineTitle, rateWords, ruleWords } from './words.js';

interface LinesTableProps {
  readonly lines: readonly Line[];
  readonly currency: string;
  readonly tracedId: string | null;
  readonly totalLabel: string;
  readonly total: number;
}

/** The amounts of a period, one line for each deal and rule. A line opens its explanation. */
export function LinesTable({ lines, currency, tracedId, totalLabel, total }: LinesTableProps) {
  const firsts = new Set(
    lines.filter((line, index) => lines[index - 1]?.dealId !== line.dealId).map((line) => line.eventId),
  );
  const columns: readonly Column<Line>[] = [
    {
      key: 'deal',
      header: 'Deal',
      phone: 'title',
      cell: (line) => <span className={firsts.has(line.eventId) ? 'strong' : undefined}>{lineTitle(line)}</span>,
    },
    {
      key: 'closed',
      header: 'Closed',
      phone: 'detail',
      width: '11%',
      cell: (line) => <span className="dim">{formatDay(line.earnedOn)}</span>,
    },
    { key: 'rule', header: 'Rule', phone: 'detail', cell: ruleWords },
    {
      key: 'tier',
      header: 'Tier',
      width: '14%',
      cell: (line) => <span className={line.rate === null ? 'dim' : 'num'}>{rateWords(line)}</span>,
    },
    {
      key: 'base',
      header: 'Base',
      align: 'right',
      width: '15%',
      phone: 'note',
      cell: (line) => <Money amount={describeBase(line)} currency={line.currency} unit="none" />,
    },
    {
      key: 'amount',
      header: 'Commission',
      align: 'right',
      width: '15%',
      phone: 'amount',
      cell: (line) => <LineAmount line={line} workspaceCurrency={currency} />,
    },
  ];
  return (
    <DataTable
      caption="Amounts of the period"
      columns={columns}
      rows={lines}
      rowKey={(line) => line.eventId}
      markedKey={tracedId}
      isInset
      total={{ deal: totalLabel, amount: <LedgerTotal amount={total} currency={currency} /> }}
    />
  );
}

interface LineAmountProps {
  readonly line: Line;
  readonly workspaceCurrency: string;
}

/** The amount of a line; it opens the explanation at its own address. */
export function LineAmount({ line, workspaceCurrency }: LineAmountProps) {
  return (
    <Link
      {...rowAction}
      {...opensTrace}
      search={((search: object) => ({ ...search, trace: line.eventId })) as never}
      className={signOf(line.amount) === 0 ? styles.zero : styles.amount}
      aria-label={`${formatMoney(line.amount, line.currency)}, explain ${lineTitle(line)}, ${ruleWords(line)}`}
    >
      <Money
        amount={line.amount}
        currency={line.currency}
        unit={line.currency === workspaceCurrency ? 'none' : 'code'}
      />
    </Link>
  );
}
