import { type Line } from '../../api/queries.js';
import { type Column, DataTable } from '../../components/DataTable.js';
import { Money } from '../../components/Money.js';
import { formatDay } from '../../format/dates.js';
import { sumOf } from '../../format/exact.js';
import { baseOf, LineAmount, lineTitle, orderedLines, rateWords } from '../../lines/LinesTable.js';
import { DifferenceLines } from '../../statements/DifferenceLines.js';
import styles from './StatementPage.module.css';

interface LineGroup {
  readonly name: string;
  readonly currency: string;
  readonly lines: readonly Line[];
}

/** Lines by rule, the largest sum first; amounts that people entered last, and each currency by itself. */
export function groupsOf(lines: readonly Line[]): readonly LineGroup[] {
  const nameOf = ({ kind, ruleName }: Line) => (kind === 'commission_earned' ? (ruleName ?? 'Other') : 'Adjustments');
  const groups = Map.groupBy(lines, (line) => `${line.currency} ${nameOf(line)}`);
  return [...groups.values()]
    .map((ofGroup) => {
      const first = ofGroup[0] as Line;
      return { name: nameOf(first), currency: first.currency, lines: orderedLines(ofGroup) };
    })
    .sort((a, b) => Number(a.name === 'Adjustments') - Number(b.name === 'Adjustments') || totalOf(b) - totalOf(a));
}

function totalOf({ lines }: LineGroup): number {
  return Number(sumOf(lines.map(({ amount }) => amount)));
}

interface StatementLinesProps {
  readonly lines: readonly Line[];
  readonly currency: string;
  readonly tracedId: string | null;
}

export function StatementLines({ lines, currency, tracedId }: StatementLinesProps) {
  return groupsOf(lines).map((group, index) => (
    <section key={`${group.currency} ${group.name}`} className={styles.group}>
      <div className={styles.groupHead}>
        <h2>{group.name}</h2>
        <span className={styles.groupTotal}>
          <Money
            amount={sumOf(group.lines.map(({ amount }) => amount))}
            currency={group.currency}
            unit={group.currency === currency ? 'none' : 'code'}
          />
        </span>
      </div>
      <DataTable
        caption={`Lines of ${group.name}`}
        columns={columnsOf(currency)}
        rows={group.lines}
        rowKey={({ eventId }) => eventId}
        rowHeight={49}
        hasQuietHeader={index > 0}
        markedKey={tracedId}
        below={(line) =>
          line.lines === undefined ? null : (
            <div className={styles.parts}>
              <DifferenceLines lines={line.lines} currency={line.currency} />
            </div>
          )
        }
      />
    </section>
  ));
}

function columnsOf(currency: string): readonly Column<Line>[] {
  return [
    {
      key: 'line',
      header: 'Line',
      phone: 'title',
      cell: (line) => (
        <>
          {lineTitle(line)}
          <span className={styles.second}>
            {formatDay(line.earnedOn)},{' '}
            {line.kind === 'commission_earned' ? rateWords(line) : (line.reason ?? rateWords(line))}
          </span>
        </>
      ),
    },
    {
      key: 'base',
      header: 'Base',
      align: 'right',
      width: '22%',
      cell: (line) => (
        <span className="dim">
          <Money amount={baseOf(line)} currency={line.currency} unit="none" />
        </span>
      ),
    },
    {
      key: 'amount',
      header: 'Amount',
      align: 'right',
      width: '20%',
      phone: 'amount',
      cell: (line) => <LineAmount line={line} workspaceCurrency={currency} />,
    },
  ];
}
