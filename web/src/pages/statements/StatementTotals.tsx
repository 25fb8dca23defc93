import { useQuery } from '@tanstack/react-query';
import { dashboardQuery, plansQuery, type Statement, statementQuery } from '../../api/queries.js';
import { type Attainment } from '../../api/team-queries.js';
import { onlyReads, useSession } from '../../app/session.js';
import { useToday } from '../../app/today.js';
import { Delta } from '../../components/Delta.js';
import { HeroMoney, LedgerTotal, Money } from '../../components/Money.js';
import { PayslipLines } from '../../features/payslip/PayslipLines.js';
import { paidWords } from '../../features/payslip/words.js';
import { approvedAttainment } from '../../features/statements/approved-attainment.js';
import { earnedSums, netSums, type Sum, sumWords, visibleSums } from '../../features/statements/pay-sums.js';
import { difference, signOf } from '../../shared/format/exact.js';
import { formatAttainment, formatMoney } from '../../shared/format/numbers.js';
import { countedPeriod, hasDays, shiftPeriod, shortPeriod } from '../../shared/format/periods.js';
import { mainAttainment } from '../team/attainment.js';
import styles from './StatementPage.module.css';

/** What the statement pays as the figure of the page, and how it adds up beside it. The change and the attainment have their height before they are loaded. */
export function StatementTotals({ statement }: { readonly statement: Statement }) {
  const { payslip, currency, repId, period } = statement;
  const before = shiftPeriod(period, -1);
  const previous = useQuery({ ...statementQuery(repId, before), enabled: hasDays(before) }).data;
  // Roles that only read what others have earned may not read their dashboards.
  const isReadable = !onlyReads(useSession().role);
  const quotas = useQuery({ ...dashboardQuery(repId, period), enabled: isReadable }).data?.attainment ?? [];
  const main = mainAttainment(quotas, period);
  const plans = useQuery({ ...plansQuery, enabled: isReadable && statement.status === 'approved' }).data ?? [];
  const [sum, ...others] = visibleSums(netSums([statement], payslip?.currency ?? currency)) as [Sum, ...Sum[]];
  const today = useToday();
  return (
    <section className={styles.totals} aria-label="Totals">
      <div className={styles.net}>
        {payslip === undefined ? 'Net payout' : (paidWords(payslip) ?? 'This statement pays')}
        <b>
          <HeroMoney amount={sum.amount} currency={sum.currency} />
        </b>
        {others.map((other) => (
          <p key={other.currency} className="num">
            and {formatMoney(other.amount, other.currency, { unit: 'code' })}
          </p>
        ))}
        {payslip === undefined ? null : (
          <p className="num">{sumWords(earnedSums([statement], currency))} earned in the period</p>
        )}
        <Change sum={sum} previous={isAlike(previous, statement) ? previous : undefined} before={before} />
        <p>
          {main === null
            ? '\u00a0'
            : `${main.measure}, ${countedPeriod(main.period, main.through, today)}: ${attainedWords(main, approvedAttainment(statement, main, plans))}`}
        </p>
      </div>
      {payslip === undefined ? (
        <Summary statement={statement} />
      ) : (
        <PayslipLines payslip={payslip} pay={statement.payable?.pay} period={period} />
      )}
    </section>
  );
}

/** What was approved stays; what the attainment would be now is beside it. */
function attainedWords({ attainment }: Attainment, approved: number | null): string {
  const now = formatAttainment(attainment);
  const then = approved === null ? now : formatAttainment(approved);
  return then === now ? `${now} attained` : `${then} attained, now ${now}`;
}

/** What is payable is not compared with what was earned before there were payouts. */
function isAlike(previous: Statement | undefined, { payslip }: Statement): boolean {
  return (previous?.payslip === undefined) === (payslip === undefined);
}

interface ChangeProps {
  readonly sum: Sum;
  readonly previous: Statement | undefined;
  readonly before: string;
}

/** The change since the statement before, if it pays in the same currency. */
function Change({ sum, previous, before }: ChangeProps) {
  const then = previous === undefined ? undefined : netSums([previous], sum.currency)[0];
  const change = then === undefined ? '0' : difference(sum.amount, then.amount);
  if (signOf(change) === 0) return '\u00a0';
  return (
    <>
      <Delta amount={change} currency={sum.currency} /> vs {shortPeriod(before)}
    </>
  );
}

/** What the net payout consists of. */
function Summary({ statement: { summary, currency, otherCurrencies } }: { readonly statement: Statement }) {
  const rows = [
    ['Commission', summary.totalCommission],
    ['Bonuses', summary.totalBonuses],
    ['Adjustments', summary.totalAdjustments],
  ] as const;
  return (
    <dl className={styles.sum}>
      {rows.map(([label, amount]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>
            <Money amount={amount} currency={currency} unit="none" />
          </dd>
        </div>
      ))}
      {otherCurrencies.map((other) => (
        <div key={other.currency}>
          <dt>In {other.currency}, not added</dt>
          <dd>
            <Money amount={other.summary.netPayout} currency={other.currency} unit="code" />
          </dd>
        </div>
      ))}
      <div>
        <dt>Net, {currency}</dt>
        <dd>
          <LedgerTotal amount={summary.netPayout} currency={currency} />
        </dd>
      </div>
    </dl>
  );
}
