import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { disputesQuery, isWaiting, type Line, type Statement } from '../../api/queries.js';
import blocks from '../../components/Blocks.module.css';
import { Button } from '../../components/Button.js';
import { type Column, DataTable } from '../../components/DataTable.js';
import { FilterField } from '../../components/FilterField.js';
import { LedgerTotal, Money } from '../../components/Money.js';
import { EmptyState } from '../../components/States.js';
import { LineAmount } from '../../features/lines/LinesTable.js';
import { describeBase, lineTitle, orderedLines, rateWords, ruleWords } from '../../features/lines/words.js';
import { ZeroLines } from '../../features/lines/ZeroLines.js';
import { DifferenceLines } from '../../features/statements/DifferenceLines.js';
import { formatDay } from '../../shared/format/dates.js';
import { sumAmounts } from '../../shared/format/exact.js';
import { formatCount } from '../../shared/format/numbers.js';
import { EntryActions } from './EntryActions.js';
import styles from './StatementPage.module.css';

interface LineGroup {
  readonly key: string;
  readonly name: string;
  readonly currency: string;
  readonly lines: readonly Line[];
}

function nameOf({ kind, ruleName }: Line): string {
  return kind === 'commission_earned' ? (ruleName ?? 'Other') : 'Adjustments';
}

function keyOf(line: Line): string {
  return `${line.currency} ${nameOf(line)}`;
}

/** Lines by rule, the largest sum first; amounts that people entered last, and each currency by itself. */
export function groupLines(lines: readonly Line[]): readonly LineGroup[] {
  return [...Map.groupBy(lines, keyOf)]
    .map(([key, ofGroup]) => {
      const first = ofGroup[0] as Line;
      return { key, name: nameOf(first), currency: first.currency, lines: orderedLines(ofGroup) };
    })
    .sort((a, b) => Number(a.name === 'Adjustments') - Number(b.name === 'Adjustments') || sumLines(b) - sumLines(a));
}

function sumLines({ lines }: LineGroup): number {
  return Number(sumAmounts(lines.map(({ amount }) => amount)));
}

interface StatementLinesProps {
  readonly statement: Statement;
  /** The lines that are displayed. */
  readonly visible: readonly Line[];
  readonly showsAll: boolean;
  readonly find: string;
  readonly onFind: (text: string) => void;
  readonly tracedId: string | null;
}

/** From this number on, lines can be searched. */
const minSearched = 10;

/** All lines in one table, by rule with the sum of each. */
export function StatementLines({ statement, visible, showsAll, find, onFind, tracedId }: StatementLinesProps) {
  const { lineItems, currency, status, repId, period } = statement;
  const { disputes = [] } = useQuery(disputesQuery({ repId, period })).data ?? {};
  const questions = new Map(disputes.filter(isWaiting).map((dispute) => [dispute.eventId, dispute.disputeId]));
  const groups = groupLines(visible);
  const byKey = new Map(groups.map((group) => [group.key, group]));
  const hasFilter = lineItems.length >= minSearched || find !== '';
  return (
    <div className={styles.lines}>
      {hasFilter || visible.length < lineItems.length || showsAll ? (
        <div className={`${blocks.saveLine} ${styles.tools}`}>
          <span>
            <ZeroLines lines={lineItems} showsAll={showsAll} />
          </span>
          {hasFilter ? <FilterField label="Filter by deal or rule" text={find} onText={onFind} /> : null}
        </div>
      ) : null}
      {visible.length === 0 ? (
        <EmptyState
          title="No line contains this"
          actions={<Button onClick={() => onFind('')}>Clear the filter</Button>}
        >
          {formatCount(lineItems.length, 'line')} of the statement contain other deals and rules.
        </EmptyState>
      ) : (
        <DataTable
          caption="Lines of the statement"
          columns={buildColumns(currency, status === 'approved', questions)}
          rows={groups.flatMap(({ lines }) => lines)}
          rowKey={({ eventId }) => eventId}
          rowHeight={49}
          markedKey={tracedId}
          groups={{ keyOf, head: (line) => <GroupHead group={byKey.get(keyOf(line))} currency={currency} /> }}
          below={(line) =>
            line.lines === undefined ? null : (
              <div className={styles.parts}>
                <DifferenceLines lines={line.lines} currency={line.currency} isPaid />
              </div>
            )
          }
          total={
            find === ''
              ? {
                  line: `${statement.payslip === undefined ? 'Net payout' : 'Earned'}, ${currency}`,
                  amount: <LedgerTotal amount={statement.summary.netPayout} currency={currency} />,
                }
              : undefined
          }
        />
      )}
    </div>
  );
}

interface GroupHeadProps {
  readonly group: LineGroup | undefined;
  readonly currency: string;
}

function GroupHead({ group, currency }: GroupHeadProps) {
  if (group === undefined) return null;
  return (
    <span className={styles.groupHead}>
      {group.name}
      <Money
        amount={sumAmounts(group.lines.map(({ amount }) => amount))}
        currency={group.currency}
        unit={group.currency === currency ? 'none' : 'code'}
      />
    </span>
  );
}

/** Why a person entered the amount, or how a correction was paid. */
function describeNote(line: Line): string {
  return line.kind === 'true_up' ? ruleWords(line).toLowerCase() : (line.reason ?? rateWords(line));
}

function buildColumns(
  currency: string,
  isApproved: boolean,
  questions: ReadonlyMap<string | null, string>,
): readonly Column<Line>[] {
  return [
    {
      key: 'line',
      header: 'Line',
      phone: 'title',
      cell: (line) => (
        <>
          {lineTitle(line)}
          <span className="second">
            {formatDay(line.earnedOn)}, {line.kind === 'commission_earned' ? rateWords(line) : describeNote(line)}
            {line.kind === 'commission_earned' || isApproved ? null : <EntryActions line={line} />}
            <OpenQuestion disputeId={questions.get(line.eventId)} />
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
          <Money amount={describeBase(line)} currency={line.currency} unit="none" />
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

/** That a question about the line waits for an answer. */
function OpenQuestion({ disputeId }: { readonly disputeId: string | undefined }) {
  if (disputeId === undefined) return null;
  return (
    <>
      {', '}
      <Link to="/questions/$disputeId" params={{ disputeId }}>
        open question
      </Link>
    </>
  );
}
