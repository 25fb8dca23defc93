import { type EnteredRate, type FxRate } from '../../api/fx-queries.js';
import { isDay } from '../../shared/format/dates.js';
import { isThousands } from '../../shared/format/entered-numbers.js';

/** The rates of one pair in one table, earliest first. */
export interface Pair {
  readonly key: string;
  readonly table: string;
  readonly from: string;
  readonly to: string;
  readonly rates: readonly FxRate[];
}

/** The pairs in the order of their names. */
export function groupPairs(rates: readonly FxRate[]): readonly Pair[] {
  const pairs = new Map<string, FxRate[]>();
  for (const rate of rates) {
    const key = `${rate.table} ${rate.from} ${rate.to}`;
    pairs.set(key, [...(pairs.get(key) ?? []), rate]);
  }
  return [...pairs]
    .map(([key, ofPair]) => {
      const { table, from, to } = ofPair[0] as FxRate;
      return { key, table, from, to, rates: ofPair.toSorted((a, b) => (a.day < b.day ? -1 : 1)) };
    })
    .toSorted((a, b) => (a.key < b.key ? -1 : 1));
}

export function pairName({ table, from, to }: Pick<Pair, 'table' | 'from' | 'to'>): string {
  return `${from} → ${to}${table === 'default' ? '' : `, ${table}`}`;
}

/** A month with the last rate of each pair that began in it. */
export interface MonthOfRates {
  readonly month: string;
  readonly last: Readonly<Record<string, FxRate>>;
}

/** The months with a rate, newest first. */
export function groupMonths(pairs: readonly Pair[]): readonly MonthOfRates[] {
  const months = new Map<string, Record<string, FxRate>>();
  for (const { key, rates } of pairs)
    for (const rate of rates) {
      const month = rate.day.slice(0, 7);
      months.set(month, { ...months.get(month), [key]: rate });
    }
  return [...months].map(([month, last]) => ({ month, last })).toSorted((a, b) => (a.month < b.month ? 1 : -1));
}

/** What pasted lines say: rates, or the first line that cannot be read. */
export type ReadLines = { readonly rates: readonly EnteredRate[] } | { readonly problem: string };

const line = /^([A-Za-z]{3})[\s,;/→]+([A-Za-z]{3})[\s,;]+(\S+?)[\s,;]+(\S+)$/;

/** Lines such as `EUR USD 2026-02-02 1.0837`, as a spreadsheet copies them; a line of headers is left out. */
export function readLines(text: string): ReadLines {
  const lines = text
    .split(/\r?\n/)
    .map((each) => each.trim())
    .filter((each) => each !== '');
  const rates: EnteredRate[] = [];
  for (const [index, each] of lines.entries()) {
    const [, from = '', to = '', day = '', rate = ''] = line.exec(each) ?? [];
    const value = rate.replace(',', '.');
    if (isDay(day) && isThousands(rate)) return { problem: ambiguityWords(rate, index + 1) };
    if (isDay(day) && /^\d+(\.\d+)?$/.test(value))
      rates.push({ from: from.toUpperCase(), to: to.toUpperCase(), day, rate: value });
    else if (index > 0 || /\d/.test(each))
      return {
        problem: `Line ${index + 1} must be two currencies, a day and a rate, such as EUR USD 2026-02-02 1.0837.`,
      };
  }
  return { rates };
}

function ambiguityWords(rate: string, lineNumber: number): string {
  const [whole, fraction] = rate.split(/[.,]/);
  const choices = `${whole}${fraction} or ${whole}.${fraction}`;
  return `The rate ${rate} in line ${lineNumber} can be ${choices}: write ${choices}0.`;
}

/** The points of a chart of the height 100 and the width 300, the latest at the right. */
export function chartPoints(rates: readonly FxRate[]): string {
  const times = rates.map(({ day }) => Date.parse(day));
  const values = rates.map(({ rate }) => rate);
  const [first = 0, last = first] = [times[0], times.at(-1)];
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const x = (time: number) => (last === first ? 150 : ((time - first) / (last - first)) * 300);
  const y = (value: number) => (high === low ? 50 : 95 - ((value - low) / (high - low)) * 90);
  return rates.map(({ rate }, index) => `${x(times[index] ?? 0).toFixed(1)},${y(rate).toFixed(1)}`).join(' ');
}
