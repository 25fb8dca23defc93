import { type PayCalendar } from '../../api/pay-calendar-query.js';
import { difference, signOf } from '../../shared/format/exact.js';
import { formatMoney } from '../../shared/format/numbers.js';
import { formatPeriod } from '../../shared/format/periods.js';
import { type Sum, sumByCurrency } from '../statements/pay-sums.js';

type Amount = PayCalendar['later'][number];
type Totals = PayCalendar['periods'][number]['totals'];

export interface CalendarRow {
  readonly key: string;
  readonly label: string;
  readonly words: string;
  readonly currency: string;
  readonly sure: number;
  readonly expected: number;
}

/** A row for each pay period and currency, then what is released later and what has no day. */
export function listCalendar({ periods, later, undated }: PayCalendar, currency: string): readonly CalendarRow[] {
  const none = { currency, sure: 0, expected: 0 };
  const rowsOf = (key: string, label: string, words: string, amounts: readonly Amount[]) =>
    amounts.map((amount) => ({ key: `${key} ${amount.currency}`, label, words, ...amount }));
  return [
    ...periods.flatMap(({ period, status, totals, amounts }) =>
      rowsOf(
        period,
        formatPeriod(period),
        [...(status === 'approved' ? ['approved'] : []), ...totals.flatMap(totalWords)].join(', '),
        amounts.length === 0 ? [none] : amounts,
      ),
    ),
    ...rowsOf('later', 'Later', 'by schedules', later),
    ...rowsOf('undated', 'Without a day', 'waits for customers or dates, or is held', undated),
  ];
}

/** What draws and debts change in a statement. */
function totalWords({ currency, drawn = 0, repaid = 0, recovered }: Totals[number]): string[] {
  const parts = [
    ['draws pay', drawn],
    ['repays', repaid],
    recovered < 0 ? ['pays back what was kept:', -recovered] : ['keeps what is owed:', recovered],
  ] as const;
  return parts.flatMap(([words, amount]) => (amount === 0 ? [] : `${words} ${formatMoney(amount, currency)}`));
}

/** What the open deals are expected to add, by currency. */
export function expectedSums({ periods, later, undated }: PayCalendar, first: string): readonly Sum[] {
  const all = [...periods.flatMap(({ amounts }) => amounts), ...later, ...undated];
  return sumByCurrency(
    all.map(({ currency, sure, expected }) => ({ currency, amount: difference(expected, sure) })),
    first,
  );
}

/** Whether the calendar has an amount. */
export function hasAmounts({ periods, later, undated }: PayCalendar): boolean {
  const all = [...periods.flatMap(({ amounts }) => amounts), ...later, ...undated];
  return all.some(({ sure, expected }) => signOf(sure) !== 0 || signOf(expected) !== 0);
}
