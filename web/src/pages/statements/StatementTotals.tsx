import { useQuery } from '@tanstack/react-query';
import { dashboardQuery, type Statement, statementQuery } from '../../api/queries.js';
import { useToday } from '../../app/today.js';
import { Delta } from '../../components/Delta.js';
import { HeroMoney, LedgerTotal, Money } from '../../components/Money.js';
import { absolute, difference, signOf } from '../../shared/format/exact.js';
import { formatAttainment } from '../../shared/format/numbers.js';
import { countedPeriod, hasDays, shiftPeriod, shortPeriod } from '../../shared/format/periods.js';
import { mainAttainment } from '../team/attainment.js';
import styles from './StatementPage.module.css';

/** The net payout as the figure of the page, and its sum beside it. The change and the attainment have their height before they are loaded. */
export function StatementTotals({ statement }: { readonly statement: Statement }) {
  const { summary, currency, otherCurrencies, repId, period } = statement;
  const before = shiftPeriod(period, -1);
  const previous = useQuery({ ...statementQuery(repId, before), enabled: hasDays(before) }).data;
  const quotas = useQuery(dashboardQuery(repId, period)).data?.attainment ?? [];
  const main = mainAttainment(quotas, period);
  const change = previous === undefined ? null : difference(summary.netPayout, previous.summary.netPayout);
  const today = useToday();
  return (
    <section className={styles.totals} aria-label="Totals">
      <div className={styles.net}>
        {summary.payable === undefined ? 'Net payout' : 'Earned'}
        <b>
          <HeroMoney amount={summary.netPayout} currency={currency} />
        </b>
        {change === null || signOf(absolute(change)) === 0 ? (
          '\u00a0'
        ) : (
          <>
            <Delta amount={change} currency={currency} /> vs {shortPeriod(before)}
          </>
        )}
        <p>
          {main === null
            ? '\u00a0'
            : `${main.measure}, ${countedPeriod(main.period, main.through, today)}: ${formatAttainment(main.attainment)} attained`}
        </p>
      </div>
      <dl className={styles.sum}>
        {(
          [
            ['Commission', summary.totalCommission],
            ['Bonuses', summary.totalBonuses],
            ['Adjustments', summary.totalAdjustments],
          ] as const
        ).map(([label, amount]) => (
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
    </section>
  );
}
