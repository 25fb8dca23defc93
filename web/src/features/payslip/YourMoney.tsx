import { useQueries, useQuery } from '@tanstack/react-query';
import { payCalendarQuery } from '../../api/pay-calendar-query.js';
import { payablesOfRepQuery } from '../../api/payout-queries.js';
import { type OwnStatement, ownStatementsQuery, statementQuery } from '../../api/queries.js';
import { useEndedPeriod, usePayPeriod } from '../../app/today.js';
import blocks from '../../components/Blocks.module.css';
import { Loaded } from '../../components/Loaded.js';
import { StatementLink } from '../../components/links.js';
import { Card } from '../../components/Page.js';
import { formatDay } from '../../shared/format/dates.js';
import { formatPeriod } from '../../shared/format/periods.js';
import { PayableList } from '../payables/PayableList.js';
import { present, type Sum, sumByCurrency, sumWords } from '../statements/pay-sums.js';
import { SumLines } from '../statements/SumLines.js';
import { expectedSums } from './calendar.js';
import {
  holdWords,
  listComing,
  listPaid,
  type MoneyPart,
  moneyParts,
  type PaidStatement,
  shareMoney,
  sumStatements,
  waitWords,
} from './money.js';
import { PaidBadge } from './PaidBadge.js';
import styles from './YourMoney.module.css';

/** Where what a person has earned is: in the bank, coming, waiting, held, owed. Nothing in workspaces without payouts. */
export function YourMoney({ repId }: { readonly repId: string }) {
  const payables = useQuery(payablesOfRepQuery(repId));
  const stored = useQuery(ownStatementsQuery(repId)).data ?? [];
  const calendar = useQuery(payCalendarQuery(repId)).data;
  const statements = [...useOpenPeriods(repId, stored), ...stored];
  return (
    <Loaded query={payables} height={200}>
      {({ totals, paidOut, payables: parts }) => {
        if (totals.length === 0) return null;
        const main =
          statements.find(({ payslip }) => payslip !== undefined)?.payslip?.currency ?? totals[0]?.currency ?? '';
        const sumOf = (name: 'earned' | 'waiting' | 'held' | 'balance') =>
          sumByCurrency(
            totals.map((total) => ({ currency: total.currency, amount: total[name] })),
            main,
          );
        const expected = calendar === undefined ? [] : expectedSums(calendar, main);
        const [paid, coming] = [listPaid(statements), listComing(statements)];
        const [waiting, held] = (['waiting', 'held'] as const).map((status) =>
          parts.filter((part) => part.status === status),
        );
        return (
          <Card title="Your money" note={`${sumWords(sumOf('earned'))} earned`}>
            {totals.map((total) => (
              <Bar key={total.currency} shares={shareMoney(total, amountIn(expected, total.currency))} />
            ))}
            <div className={blocks.rows}>
              <Part part="paid" label="Paid" words={lastPaid(paid)} sums={sumByCurrency(paidOut, main)}>
                <StatementList label="Paid" repId={repId} statements={paid} />
              </Part>
              <Part part="coming" label="Coming" words={comingWords(coming)} sums={sumStatements(coming, main)}>
                <StatementList label="Coming" repId={repId} statements={coming} />
              </Part>
              <Part part="waiting" label="Waiting" words={waitWords(waiting ?? [])} sums={sumOf('waiting')}>
                <PayableList label="Waiting" payables={waiting ?? []} />
              </Part>
              <Part part="held" label="Held" words={holdWords(held ?? [])} sums={sumOf('held')}>
                <PayableList label="Held" payables={held ?? []} />
              </Part>
              {present(expected).length === 0 ? null : (
                <Row part="expected" label="Expected" words="from deals that are open" sums={expected} />
              )}
              {present(sumOf('balance')).length === 0 ? null : (
                <Row label="Owed" words="later pay is reduced by it" sums={sumOf('balance')} />
              )}
            </div>
          </Card>
        );
      }}
    </Loaded>
  );
}

/** The last and the present period, as far as no statement of them is stored. */
function useOpenPeriods(repId: string, stored: readonly OwnStatement[]) {
  const periods = [usePayPeriod(), useEndedPeriod()].filter((period) => stored.every((each) => each.period !== period));
  return useQueries({ queries: periods.map((period) => statementQuery(repId, period)) }).flatMap(
    ({ data }) => data ?? [],
  );
}

function amountIn(sums: readonly Sum[], currency: string): number {
  return Number(sums.find((sum) => sum.currency === currency)?.amount ?? 0);
}

function Bar({ shares }: { readonly shares: ReturnType<typeof shareMoney> }) {
  return (
    <div className={styles.bar} aria-hidden="true">
      {moneyParts.map((part) => (
        <span key={part} className={styles[part]} style={{ width: `${(shares[part] ?? 0) * 100}%` }} />
      ))}
    </div>
  );
}

interface RowProps {
  readonly part?: MoneyPart;
  readonly label: string;
  readonly words: string;
  readonly sums: readonly Sum[];
}

function Row({ part, label, words, sums }: RowProps) {
  return (
    <div className={styles.row}>
      <span className={styles.legend}>
        <span className={`${styles.mark} ${part === undefined ? '' : styles[part]}`} aria-hidden="true" />
        <span>
          <span className={styles.label}>{label}</span> <span className="dim">{words}</span>
        </span>
      </span>
      <SumLines sums={sums} />
    </div>
  );
}

/** A part of the money, which opens its list. Nothing for an empty one. */
function Part({ children, ...row }: RowProps & { readonly children: React.ReactNode }) {
  if (present(row.sums).length === 0 && row.part !== 'paid' && row.part !== 'coming') return null;
  return (
    <details className={styles.part}>
      <summary>
        <Row {...row} />
      </summary>
      {children}
    </details>
  );
}

interface StatementListProps {
  readonly label: string;
  readonly repId: string;
  readonly statements: readonly PaidStatement[];
}

function StatementList({ label, repId, statements }: StatementListProps) {
  if (statements.length === 0) return <p className="dim">Nothing yet.</p>;
  return (
    <ul className={blocks.rows} aria-label={label}>
      {statements.map(({ period, payslip, sums }) => (
        <li key={period}>
          <span>
            <StatementLink repId={repId} period={period}>
              {formatPeriod(period)}
            </StatementLink>{' '}
            <PaidBadge status={payslip.status === 'payable' ? 'draft' : 'approved'} payslip={payslip} />
          </span>
          <SumLines sums={sums} />
        </li>
      ))}
    </ul>
  );
}

function lastPaid(paid: readonly PaidStatement[]): string {
  const days = paid.flatMap(({ payslip }) => payslip.paidOn ?? []).toSorted();
  const last = days.at(-1);
  return last === undefined ? 'nothing yet' : `last on ${formatDay(last, 'year')}`;
}

/** What the next statements pay, such as "October 2026 pays $3,827.30, November 2026 so far $1,210.00". */
function comingWords(coming: readonly PaidStatement[]): string {
  return coming
    .toReversed()
    .slice(0, 2)
    .map(({ period, payslip, sums }) =>
      payslip.status === 'payable'
        ? `${formatPeriod(period)} so far ${sumWords(sums)}`
        : `${formatPeriod(period)} pays ${sumWords(sums)}`,
    )
    .join(', ');
}
