import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Forecast, forecastQuery } from '../../api/forecast-query.js';
import { type Column, DataTable } from '../../components/DataTable.js';
import { DealAmount } from '../../components/DealAmount.js';
import { TextField } from '../../components/Field.js';
import { Loaded } from '../../components/Loaded.js';
import { DealLink } from '../../components/links.js';
import { HeroMoney, Money } from '../../components/Money.js';
import { Card } from '../../components/Page.js';
import { goalWords, paceWords } from '../../features/forecast/words.js';
import { formatDay } from '../../shared/format/dates.js';
import { formatCount, formatMoney, formatPercent } from '../../shared/format/numbers.js';
import { formatPeriod } from '../../shared/format/periods.js';
import styles from './ForecastCard.module.css';

interface ForecastCardProps {
  readonly repId: string;
  readonly period: string;
}

/** What a person will probably earn, and what each open deal is worth. Without open deals in the period only the pace, if there is one. */
export function ForecastCard({ repId, period }: ForecastCardProps) {
  return (
    <Loaded query={useQuery(forecastQuery(repId, period))} height={200}>
      {(forecast) =>
        forecast.deals.length === 0 ? (
          <PaceCard paces={forecast.paces} />
        ) : (
          <Card title="Forecast" note={`${formatPeriod(period)}, with the deals that are open`}>
            <HeroMoney amount={forecast.expected} currency={forecast.currency} size="second" />
            <Range forecast={forecast} />
            <p className={styles.words}>{rangeWords(forecast)}</p>
            <Paces paces={forecast.paces} />
            <Goal repId={repId} period={period} />
            <DataTable
              caption="Open deals and what they are worth"
              columns={columnsOf(forecast.currency)}
              rows={forecast.deals}
              rowKey={({ dealId }) => dealId}
            />
            {forecast.byPayPeriod === undefined ? null : (
              <DataTable
                caption="When it is paid"
                columns={releaseColumns}
                rows={forecast.byPayPeriod}
                rowKey={({ period: paid, currency }) => `${paid} ${currency}`}
              />
            )}
          </Card>
        )
      }
    </Loaded>
  );
}

function PaceCard({ paces }: Pick<Forecast, 'paces'>) {
  if (paces.every((pace) => paceWords(pace) === null)) return null;
  return (
    <Card title="Pace">
      <Paces paces={paces} />
    </Card>
  );
}

function Paces({ paces }: Pick<Forecast, 'paces'>) {
  return paces.map((pace) => (
    <p key={`${pace.planId} ${pace.measure} ${pace.period}`} className={styles.words}>
      {paceWords(pace)}
    </p>
  ));
}

/** The pay that a person enters, and the deals that reach it. */
function Goal({ repId, period }: ForecastCardProps) {
  const [entered, setEntered] = useState('');
  const [goal] = useDebouncedValue(Math.round(Number(entered)), 400);
  const isGoal = goal >= 1 && goal < 1e12;
  const query = useQuery({ ...forecastQuery(repId, period, goal), enabled: isGoal });
  return (
    <div className={styles.goal}>
      <TextField
        label="Pay to reach"
        hint="Finds the fewest open deals that reach it."
        type="number"
        inputMode="numeric"
        value={entered}
        onChange={({ currentTarget }) => setEntered(currentTarget.value)}
      />
      <p aria-live="polite">{query.data?.goal === undefined ? '' : goalWords(query.data.goal, query.data)}</p>
    </div>
  );
}

/** The likely amounts and the expected one, on a scale from 0 to the largest. */
function Range({ forecast: { expected, p10, p90, currency } }: { readonly forecast: Forecast }) {
  const [low, high] = [Math.min(0, p10), Math.max(1, p90, expected)];
  const at = (amount: number) => ((amount - low) / (high - low)) * 100;
  const [from, to, mean] = [p10, p90, expected].map((amount) => formatMoney(amount, currency));
  return (
    <div role="img" aria-label={`Expected ${mean}, probably ${from} to ${to}`} className={styles.range}>
      <span className={styles.likely} style={{ left: `${at(p10)}%`, width: `${at(p90) - at(p10)}%` }} />
      <span className={styles.expected} style={{ left: `${at(expected)}%` }} />
    </div>
  );
}

function rangeWords({ sure, p10, p90, currency, deals, otherCurrencies }: Forecast): string {
  const money = (amount: number) => formatMoney(amount, currency);
  const unknown = deals.filter(({ probability }) => probability === null).length;
  return [
    `Expected. Probably ${money(p10)} to ${money(p90)}; ${money(sure)} if you win none of them.`,
    ...otherCurrencies.map((other) => `Besides, ${formatMoney(other.expected, other.currency)} are expected.`),
    ...(unknown === 0
      ? []
      : [`${formatCount(unknown, 'deal')} without a probability ${unknown === 1 ? 'is' : 'are'} left out.`]),
  ].join(' ');
}

type ForecastDeal = Forecast['deals'][number];

function columnsOf(currency: string): readonly Column<ForecastDeal>[] {
  return [
    {
      key: 'deal',
      header: 'Deal',
      phone: 'title',
      cell: ({ dealId, name }) => <DealLink dealId={dealId} name={name} />,
    },
    { key: 'closes', header: 'Closes', phone: 'detail', cell: ({ closeDate }) => formatDay(closeDate) },
    {
      key: 'amount',
      header: 'Amount',
      align: 'right',
      cell: (deal) => <DealAmount amount={deal.amount} currency={deal.currency} />,
    },
    { key: 'probability', header: 'Probability', align: 'right', phone: 'note', cell: probabilityWords },
    {
      key: 'worth',
      header: 'Worth to you',
      align: 'right',
      phone: 'amount',
      cell: ({ worth }) => <Money amount={worth} currency={currency} unit="none" />,
    },
  ];
}

const releaseColumns: readonly Column<NonNullable<Forecast['byPayPeriod']>[number]>[] = [
  {
    key: 'period',
    header: 'Paid with',
    phone: 'title',
    cell: ({ period }) => (period === null ? 'Without a day: waits for customers or dates' : formatPeriod(period)),
  },
  {
    key: 'sure',
    header: 'If you win none',
    align: 'right',
    phone: 'detail',
    cell: ({ sure, currency }) => <Money amount={sure} currency={currency} dimsZero />,
  },
  {
    key: 'expected',
    header: 'Expected',
    align: 'right',
    phone: 'amount',
    cell: ({ expected, currency }) => <Money amount={expected} currency={currency} dimsZero />,
  },
];

/** With the sample, if it is the rate of the stage. */
function probabilityWords({ probability }: ForecastDeal): string {
  if (probability === null) return 'unknown';
  const { value, won, closed } = probability;
  const percent = formatPercent(value, 0);
  return closed === undefined ? percent : `${percent}, ${won} of ${closed} in this stage won`;
}
