import { useState } from 'react';
import { sumOf } from '../shared/format/exact.js';
import { formatCompact, formatMoney } from '../shared/format/numbers.js';
import { formatMonth, formatPeriod } from '../shared/format/periods.js';
import { LinkButton } from './Button.js';
import { type Column, DataTable } from './DataTable.js';
import styles from './EarningsBars.module.css';
import { Money } from './Money.js';
import { Card } from './Page.js';

interface Month {
  readonly period: string;
  readonly total: number;
}

interface EarningsBarsProps {
  /** Months, earliest first; the last one is emphasised. */
  readonly months: readonly Month[];
  readonly currency: string;
}

/** Earnings of the last months as bars, or as a table. */
export function EarningsBars({ months, currency }: EarningsBarsProps) {
  const [isTable, setTable] = useState(false);
  const year = months.at(-1)?.period.slice(0, 4);
  const ofYear = months.filter(({ period }) => period.startsWith(year ?? ''));
  const total = formatMoney(sumOf(months.map((one) => one.total)), currency);
  const since = formatMoney(sumOf(ofYear.map((one) => one.total)), currency);
  return (
    <Card
      title="Earnings over time"
      action={<LinkButton onClick={() => setTable(!isTable)}>{isTable ? 'View as chart' : 'View as table'}</LinkButton>}
    >
      <p className={styles.note}>
        {months.length} months, {total} in total, {since} since January
      </p>
      {isTable ? <Table months={months} currency={currency} /> : <Bars months={months} currency={currency} />}
    </Card>
  );
}

const height = 160;

function Bars({ months, currency }: EarningsBarsProps) {
  const { ticks, top, bottom } = scaleOf(months.map(({ total }) => total));
  const y = (value: number) => ((value - bottom) / (top - bottom || 1)) * height;
  const last = months.at(-1);
  // The amount is wider than its bar, so it stands above the bars beside it too.
  const labelAt = y(Math.max(0, ...months.slice(-3).map(({ total }) => total))) + 4;
  return (
    <div
      role="img"
      aria-label={`Bars of ${months.length} months; the last, ${last === undefined ? '' : `${formatPeriod(last.period)}, has ${formatMoney(last.total, currency)}`}`}
      className={styles.chart}
    >
      <div className={styles.plot} style={{ height }}>
        {ticks.map((tick) => (
          <div key={tick} className={styles.tick} style={{ bottom: y(tick) }}>
            <span>{formatCompact(tick, currency)}</span>
          </div>
        ))}
        <div className={styles.bars}>
          {months.map(({ period, total }) => (
            <div
              key={period}
              className={styles.slot}
              title={`${formatPeriod(period)}: ${formatMoney(total, currency)}`}
            >
              {period === last?.period ? (
                <span className={styles.value} style={{ bottom: labelAt }}>
                  {formatMoney(total, currency)}
                </span>
              ) : null}
              <span
                className={period === last?.period ? styles.last : styles.bar}
                style={{ bottom: y(Math.min(total, 0)), height: Math.abs(y(total) - y(0)) }}
              />
            </div>
          ))}
        </div>
      </div>
      <div className={styles.months}>
        {months.map(({ period }) => (
          <span key={period} className={period === last?.period ? styles.lastMonth : undefined}>
            {formatMonth(period, 'short')}
          </span>
        ))}
      </div>
    </div>
  );
}

/** Three to five round values around the amounts. */
function scaleOf(totals: readonly number[]): { ticks: number[]; top: number; bottom: number } {
  const [max, min] = [Math.max(1, ...totals), Math.min(0, ...totals)];
  const rough = (max - min) / 3;
  const magnitude = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 2.5, 5, 10].find((factor) => factor * magnitude >= rough) ?? 10) * magnitude;
  const [bottom, top] = [Math.floor(min / step) * step, Math.ceil(max / step) * step];
  const ticks = Array.from({ length: Math.round((top - bottom) / step) + 1 }, (_, index) => bottom + index * step);
  return { ticks, top, bottom };
}

function Table({ months, currency }: EarningsBarsProps) {
  const columns: readonly Column<Month>[] = [
    { key: 'month', header: 'Month', phone: 'title', cell: ({ period }) => formatPeriod(period) },
    {
      key: 'earned',
      header: 'Earned',
      align: 'right',
      phone: 'amount',
      cell: ({ total }) => <Money amount={total} currency={currency} unit="none" />,
    },
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
