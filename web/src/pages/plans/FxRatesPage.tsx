import { useDebouncedValue } from '@mantine/hooks';
import { IconPlus } from '@tabler/icons-react';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useChange } from '../../api/change.js';
import { type Answer } from '../../api/client.js';
import {
  type FxRate,
  fxRatesQuery,
  ratesEffectQuery,
  rateUseQuery,
  removeRate,
  type SentRates,
  sendRates,
} from '../../api/fx-queries.js';
import { showMessage } from '../../app/messages.js';
import { usePersistedChoice, usePersistedForm } from '../../app/persisted-state.js';
import { Button, LinkButton } from '../../components/Button.js';
import { type Column, DataTable } from '../../components/DataTable.js';
import { Dialog } from '../../components/Dialog.js';
import { EffectOfChange } from '../../components/EffectOfChange.js';
import { Choice, TextArea, TextField } from '../../components/Field.js';
import { Loaded } from '../../components/Loaded.js';
import { Card, Page } from '../../components/Page.js';
import { EmptyState } from '../../components/States.js';
import {
  chartPoints,
  groupMonths,
  groupPairs,
  type MonthOfRates,
  type Pair,
  pairName,
  readLines,
} from '../../features/fx/rates.js';
import { formatDay, todayIn } from '../../shared/format/dates.js';
import { formatCount, formatNumber } from '../../shared/format/numbers.js';
import { formatPeriod } from '../../shared/format/periods.js';
import styles from './FxRates.module.css';

const route = getRouteApi('/_shell/fx-rates');

/** Exchange rates by month and pair, with a chart of each pair. */
export function FxRatesPage() {
  const year = Number(todayIn('UTC').slice(0, 4));
  const [span, setSpan] = useState<'all' | 'recent'>('recent');
  const rates = useQuery(fxRatesQuery(span === 'all' ? null : `${year - 1}-01-01`));
  const [open, setOpen] = usePersistedChoice<string>('fx-rates');
  const { enter } = route.useSearch();
  const navigate = useNavigate({ from: '/fx-rates' });
  return (
    <Page
      title="Exchange rates"
      crumbs={[{ label: 'Exchange rates' }]}
      facts={['Plans that convert deals in other currencies use the latest rate up to the day that they name']}
      actions={
        <Button icon={IconPlus} kind="primary" onClick={() => setOpen('new')}>
          Enter rates
        </Button>
      }
    >
      <Loaded query={rates} height={480}>
        {({ fxRates, count }) => (
          <Rates
            rates={fxRates}
            note={
              <p className="dim">
                {fxRates.length < count
                  ? `The newest ${formatCount(fxRates.length, 'rate')} of ${formatNumber(count)}. `
                  : ''}
                {span === 'all' ? 'All years. ' : `Since ${year - 1}. `}
                <LinkButton onClick={() => setSpan(span === 'all' ? 'recent' : 'all')}>
                  {span === 'all' ? 'Show recent rates' : 'Show all years'}
                </LinkButton>
              </p>
            }
            onOpen={setOpen}
          />
        )}
      </Loaded>
      {open === 'new' || enter !== undefined ? (
        <EnterDialog
          missing={enter}
          onClose={() => {
            setOpen(null);
            void navigate({ search: {}, replace: true });
          }}
        />
      ) : null}
      {open === null || open === 'new' ? null : (
        <RateDialog
          rate={rates.data?.fxRates.find((rate) => keyOf(rate) === open) ?? null}
          onClose={() => setOpen(null)}
        />
      )}
    </Page>
  );
}

function keyOf({ table, from, to, day }: FxRate): string {
  return `${table} ${from} ${to} ${day}`;
}

interface RatesProps {
  readonly rates: readonly FxRate[];
  readonly note: React.ReactNode;
  readonly onOpen: (key: string) => void;
}

function Rates({ rates, note, onOpen }: RatesProps) {
  const pairs = groupPairs(rates);
  if (pairs.length === 0)
    return (
      <>
        <EmptyState title="No exchange rate yet">
          Enter what one unit of a currency costs in another, or take the history file of the European Central Bank.
          Then choose in a plan whose rate converts its deals.
        </EmptyState>
        {note}
      </>
    );
  const columns: readonly Column<MonthOfRates>[] = [
    { key: 'month', header: 'Month', cell: ({ month }) => formatPeriod(month), phone: 'title' },
    ...pairs.slice(0, maxColumns).map(
      (pair): Column<MonthOfRates> => ({
        key: pair.key,
        header: pairName(pair),
        align: 'right',
        phone: 'note',
        cell: ({ last, month }) => {
          const rate = last[pair.key];
          return rate === undefined ? (
            '–'
          ) : (
            <LinkButton
              aria-label={`${pairName(pair)} in ${formatPeriod(month)}: ${formatNumber(rate.rate)}`}
              onClick={() => onOpen(keyOf(rate))}
            >
              {formatNumber(rate.rate)}
            </LinkButton>
          );
        },
      }),
    ),
  ];
  return (
    <>
      {note}
      <Card title="By month">
        <p className="dim">The last rate that was entered for each month. Choose one to see what uses it.</p>
        <DataTable
          caption="Exchange rates by month and pair"
          columns={columns}
          rows={groupMonths(pairs)}
          rowKey={({ month }) => month}
        />
      </Card>
      <div className={styles.charts}>
        {pairs.slice(0, maxCharts).map((pair) => (
          <PairChart key={pair.key} pair={pair} />
        ))}
      </div>
    </>
  );
}

const maxColumns = 8;
const maxCharts = 24;

function PairChart({ pair }: { readonly pair: Pair }) {
  const { rates } = pair;
  const [first, last] = [rates[0] as FxRate, rates.at(-1) as FxRate];
  const words = `${formatNumber(first.rate)} on ${formatDay(first.day, 'long')}, ${formatNumber(last.rate)} on ${formatDay(last.day, 'long')}`;
  return (
    <Card title={pairName(pair)}>
      {rates.length === 1 ? null : (
        <svg className={styles.chart} viewBox="0 0 300 100" preserveAspectRatio="none" role="img" aria-label={words}>
          <polyline points={chartPoints(rates)} vectorEffect="non-scaling-stroke" />
        </svg>
      )}
      <p className="dim">
        {rates.length === 1 ? `${formatNumber(last.rate)} on ${formatDay(last.day, 'long')}` : words}
      </p>
    </Card>
  );
}

const delimiters = [',', ';'] as const;

/** Rates that are pasted, or a file. */
interface EnterDialogProps {
  /** From, to and day of a rate that a deal needs. */
  readonly missing: string | undefined;
  readonly onClose: () => void;
}

function EnterDialog({ missing, onClose }: EnterDialogProps) {
  const form = usePersistedForm('fx-rates new', {
    lines: missing === undefined ? '' : `${missing} `,
    table: '',
    delimiter: ',' as string,
  });
  const [file, setFile] = useState<{ readonly name: string; readonly csv: string } | null>(null);
  const { lines, table, delimiter } = form.values;
  const read = readLines(lines);
  const problem = 'problem' in read ? read.problem : null;
  const pasted: SentRates | null = 'rates' in read && read.rates.length > 0 ? { rates: read.rates } : null;
  const sent: SentRates | null = file === null ? pasted : { csv: file.csv, delimiter };
  const [previewed] = useDebouncedValue(sent, 500);
  const preview = useQuery(ratesEffectQuery(table, previewed));
  const save = useChange({
    send: async () => (sent === null ? null : sendRates(table, sent)),
    onDone: (done) => {
      showMessage(`${formatCount(done?.changed ?? 0, 'rate')} changed. Commission is calculated again.`);
      form.clear();
      onClose();
    },
  });
  return (
    <Dialog
      title="Enter rates"
      size={560}
      onClose={onClose}
      onSubmit={() => save.send()}
      change={save}
      form={{ ...form, isChanged: form.isChanged || file !== null }}
      action={{ disabled: sent === null, children: 'Save' }}
    >
      <TextArea
        label="Rates, one on each line"
        rows={5}
        placeholder={'EUR USD 2026-02-02 1.0837'}
        hint="From, to, day and what one unit of the first costs in the second. Cells of a spreadsheet can be pasted."
        {...(problem === null ? {} : { problem })}
        {...form.field('lines')}
      />
      <TextField
        label="Or a file"
        type="file"
        accept=".csv,text/csv"
        hint="The columns from, to, day and rate, or eurofxref-hist.csv of the European Central Bank."
        onChange={async ({ currentTarget: { files } }) => {
          const chosen = files?.[0];
          setFile(chosen === undefined ? null : { name: chosen.name, csv: await chosen.text() });
        }}
      />
      {file === null ? null : (
        <Choice
          label="Between the columns"
          choices={delimiters.map((each) => [each, each === ',' ? 'a comma' : 'a semicolon'] as const)}
          {...form.field('delimiter')}
        />
      )}
      <TextField
        label="Table"
        placeholder="default"
        maxLength={50}
        hint="Optional. A plan may name another table, such as budget."
        {...form.field('table')}
      />
      {sent === null ? null : <EnteredEffect preview={preview} />}
    </Dialog>
  );
}

interface EnteredEffectProps {
  readonly preview: UseQueryResult<Awaited<ReturnType<typeof sendRates>> | null>;
}

/** What the entered rates do to commission, whom they concern, and what of a file is rejected. */
function EnteredEffect({ preview }: EnteredEffectProps) {
  const { data } = preview;
  if (data == null) return <EffectOfChange query={{ ...preview, data: undefined }} what="change" />;
  const { effect = null, changed, affected, rejected, reason } = data;
  return (
    <>
      <EffectOfChange query={{ ...preview, data: effect }} what="change" />
      <p className="dim">
        {formatCount(changed, 'rate')} change, which convert {formatCount(affected.events, 'deal')} of{' '}
        {formatCount(affected.reps, 'person', 'people')}.
        {rejected === 0 ? '' : ` ${formatCount(rejected, 'row')} are rejected: ${reason ?? ''}`}
      </p>
    </>
  );
}

/** A rate with what uses it, and its removal. */
function RateDialog({ rate, onClose }: { readonly rate: FxRate | null; readonly onClose: () => void }) {
  if (rate === null) return null;
  return <ShownRate rate={rate} onClose={onClose} />;
}

function ShownRate({ rate, onClose }: { readonly rate: FxRate; readonly onClose: () => void }) {
  const use = useQuery(rateUseQuery(rate));
  const remove = useChange({
    send: () => removeRate(rate),
    onDone: () => {
      showMessage('The rate was deleted. Commission is calculated again.');
      onClose();
    },
  });
  const { affected, effect } = use.data ?? {};
  return (
    <Dialog
      title={`${pairName(rate)}, ${formatDay(rate.day, 'long')}`}
      onClose={onClose}
      onSubmit={() => remove.send()}
      change={remove}
      action={{ kind: 'danger', children: 'Delete' }}
    >
      <p>
        1 {rate.from} is {formatNumber(rate.rate)} {rate.to} from this day until the next rate.
      </p>
      {affected === undefined ? (
        <p className="dim">{use.isFetching ? 'Looking for deals that it converts …' : ''}</p>
      ) : (
        <UseOfRate affected={affected} />
      )}
      <h3>If it is deleted</h3>
      <EffectOfChange query={{ ...use, data: use.data === undefined ? undefined : (effect ?? null) }} what="deletion" />
    </Dialog>
  );
}

type Affected = NonNullable<Answer<'deleteFxRates'>['affected']>;

const monthsOfUse: readonly Column<NonNullable<Affected['months']>[number]>[] = [
  { key: 'month', header: 'Month', cell: ({ month }) => formatPeriod(month), phone: 'title' },
  {
    key: 'deals',
    header: 'Deals',
    align: 'right',
    phone: 'note',
    cell: ({ deals, people }) => `${formatCount(deals, 'deal')} of ${formatCount(people, 'person', 'people')}`,
  },
  {
    key: 'approved',
    header: 'Approved',
    align: 'right',
    phone: 'note',
    cell: ({ approvedDeals, deals }) =>
      approvedDeals === 0
        ? '–'
        : approvedDeals === deals
          ? 'all keep this rate'
          : `${formatNumber(approvedDeals)} keep it`,
  },
];

/** The plans and months that use a rate; approved statements keep it. */
function UseOfRate({ affected: { plans = [], months = [] } }: { readonly affected: Affected }) {
  if (months.length === 0) return <p>It converts no deal.</p>;
  return (
    <>
      <p>Used by {plans.map(({ name }) => name).join(', ')}.</p>
      <DataTable caption="Months that use the rate" columns={monthsOfUse} rows={months} rowKey={({ month }) => month} />
    </>
  );
}
