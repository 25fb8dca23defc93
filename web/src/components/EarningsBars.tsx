import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { computeTrend, type Month, sumOthers } from '../features/lines/trend.js';
import { sumAmounts } from '../shared/format/exact.js';
import { formatCompact, formatMoney } from '../shared/format/numbers.js';
import { formatMonth, formatPeriod, isFiscal, toPeriodLength } from '../shared/format/periods.js';
import { LinkButton } from './Button.js';
import { type Column, DataTable } from './DataTable.js';
import styles from './EarningsBars.module.css';
import { Money } from './Money.js';
import { Card } from './Page.js';

interface EarningsBarsProps {
  /** Months, earliest first. The last ones are those of the period. */
  readonly months: readonly Month[];
  readonly period: string;
  readonly currency: string;
}

/** Earnings of the last months as bars, which open their month, or as a table. The months of the period are emphasised. */
export function EarningsBars({ months, period, currency }: EarningsBarsProps) {
  const [isTable, setTable] = useState(false);
  return (
    <Card
      title="Earnings over time"
      action={<LinkButton onClick={() => setTable(!isTable)}>{isTable ? 'View as chart' : 'View as table'}</LinkButton>}
    >
      <p className={styles.note}>
        {sumWords(months, currency)}
        {otherWords(months)}
      </p>
      {isTable ? (
        <Table months={months} currency={currency} />
      ) : (
        <Bars months={months} period={period} currency={currency} />
      )}
    </Card>
  );
}

function sumWords(months: readonly Month[], currency: string): string {
  const [year = ''] = months.at(-1)?.period.split('-') ?? [];
  const ofYear = months.filter((month) => month.period.startsWith(year));
  const sum = (part: readonly Month[]) => formatMoney(sumAmounts(part.map(({ total }) => total)), currency);
  const all = `${months.length} ${isFiscal(year) ? 'periods' : 'months'}, ${sum(months)} in total`;
  return ofYear.length === months.length
    ? all
    : `${all}, ${sum(ofYear)} since ${isFiscal(year) ? `the start of ${year}` : 'January'}`;
}

/** The bars have one currency. */
function otherWords(months: readonly Month[]): string {
  const others = sumOthers(months).map(({ total, currency }) => formatMoney(total, currency));
  return others.length === 0 ? '' : `; ${others.join(' and ')} in other currencies are in the table only`;
}

const height = 160;

function Bars({ months, period, currency }: EarningsBarsProps) {
  const { ticks, top, bottom } = computeScale(months.map(({ total }) => total));
  const y = (value: number) => ((value - bottom) / (top - bottom || 1)) * height;
  const { now, sum } = computeTrend(months, toPeriodLength(period));
  const isNow = (month: Month) => now.includes(month);
  // The amount is wider than its bars, so it stands above the bars beside them too.
  const labelAt = y(Math.max(0, ...months.slice(-Math.max(3, now.length)).map(({ total }) => total))) + 4;
  const ownTop = y(Math.max(0, ...now.map(({ total }) => total))) + 2;
  return (
    <fieldset aria-label="Earnings by month" className={styles.chart}>
      <div className={styles.plot} style={{ height }}>
        {ticks.map((tick) => (
          <div key={tick} className={styles.tick} style={{ bottom: y(tick) }}>
            <span>{formatCompact(tick, currency)}</span>
          </div>
        ))}
        <div className={styles.bars}>
          {months.map((month) => (
            <Link
              key={month.period}
              to="/me"
              search={{ period: month.period }}
              className={styles.slot}
              aria-label={`${formatPeriod(month.period)}: ${formatMoney(month.total, currency)}`}
            >
              <span
                className={isNow(month) ? styles.strong : styles.bar}
                style={{ bottom: y(Math.min(month.total, 0)), height: Math.abs(y(month.total) - y(0)) }}
              />
              <span className={styles.hovered} style={{ bottom: y(Math.max(month.total, 0)) + 4 }}>
                {formatMoney(month.total, currency)}
              </span>
            </Link>
          ))}
          <span
            className={styles.stem}
            style={{ bottom: ownTop, height: labelAt - ownTop, right: `${(50 * now.length) / months.length}%` }}
          />
          <span className={styles.value} style={{ bottom: labelAt }}>
            {formatMoney(sum, currency)}
          </span>
        </div>
      </div>
      <div className={styles.months} aria-hidden="true">
        {months.map((month) => (
          <span key={month.period} className={isNow(month) ? styles.strongMonth : undefined}>
            {formatMonth(month.period, 'short')}
          </span>
        ))}
      </div>
    </fieldset>
  );
}

/** Three to five round values around the amounts. */
function computeScale(totals: readonly number[]): { ticks: number[]; top: number; bottom: number } {
  const [max, min] = [Math.max(1, ...totals), Math.min(0, ...totals)];
  const rough = (max - min) / 3;
  const magnitude = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 2.5, 5, 10].find((factor) => factor * magnitude >= rough) ?? 10) * magnitude;
  const [bottom, top] = [Math.floor(min / step) * step, Math.ceil(max / step) * step];
  const ticks = Array.from({ length: Math.round((top - bottom) / step) + 1 }, (_, index) => bottom + index * step);
  return { ticks, top, bottom };
}

function Table({ months, currency }: Pick<EarningsBarsProps, 'months' | 'currency'>) {
  const columns: readonly Column<Month>[] = [
    { key: 'month', header: 'Month', phone: 'title', cell: ({ period }) => formatPeriod(period) },
    {
      key: 'earned',
      header: 'Earned',
      align: 'right',
      phone: 'amount',
      cell: ({ total }) => <Money amount={total} currency={currency} unit="none" />,
    },
    ...sumOthers(months).map(
      (other): Column<Month> => ({
        key: other.currency,
        header: `Earned in ${other.currency}`,
        align: 'right',
        phone: 'note',
        cell: ({ otherCurrencies = [] }) => {
          const sum = otherCurrencies.find(({ currency: code }) => code === other.currency);
          return sum === undefined ? '–' : <Money amount={sum.total} currency={sum.currency} />;
        },
      }),
    ),
  ];
  return (
    <div className={styles.table}>
      <DataTable
        caption="Earnings by month"
        columns={columns}
        rows={[...months].reverse()}
        rowKey={({ period }) => period}
      />
    </div>
  );
}
