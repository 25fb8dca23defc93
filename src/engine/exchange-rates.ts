import { addDays, type Day } from '../kernel/day.js';
import { Decimal } from '../kernel/decimal.js';
import { getOrInsert } from '../kernel/get-or-insert.js';
import { groupBy } from '../kernel/group-by.js';

export const defaultRateTable = 'default';

/** One unit of `from` is `rate` units of `to` from the day on. */
export interface StoredRate {
  readonly table: string;
  readonly from: string;
  readonly to: string;
  readonly day: Day;
  /** Exact decimal text. */
  readonly rate: string;
}

/** A rate that is assumed; without a day it is that of every day. */
export type AssumedRate = Omit<StoredRate, 'day'> & { readonly day: Day | null };

/** All rates of one pair in one direction as one text, which is read only when the pair is: `2026-01-02 1.08,…`. */
export interface RateSeries {
  readonly table: string;
  readonly from: string;
  readonly to: string;
  readonly rates: string;
}

/** A stored rate that is used, in its own direction. */
export interface RateLeg {
  readonly from: string;
  readonly to: string;
  readonly day: Day;
  readonly rate: Decimal;
}

/** A rate as an exact quotient: the stored pair, its inverse, or two of these through the workspace's currency. */
export interface ExchangeRate {
  readonly from: string;
  readonly to: string;
  readonly numerator: Decimal;
  readonly denominator: Decimal;
  readonly legs: readonly RateLeg[];
}

/** A day for which a rate is looked up. */
export interface RateDay {
  readonly day: Day;
  /** The day lies in a period that has not ended: its latest rate counts for now, of any age. */
  readonly isProvisional: boolean;
}

/** How rates are found besides the rates themselves. */
export interface RateRules {
  readonly workspaceCurrency: string;
  /** A rate that is older than this number of days is none; null: no limit. */
  readonly maxAgeDays: number | null;
}

/** The rates of one pair in one direction, the earliest first. */
type Series = readonly { readonly day: Day; readonly rate: Decimal }[];

/** A converted value is rounded here, so that the sums of many stay exact to far more digits than any limit has. */
const valuePlaces = 40;
const sumPlaces = 30;
const amountPlaces = 20;

/** The amount in the other currency, unrounded: a quotient keeps 40 decimal places. */
export function convertAmount(
  amount: Decimal,
  { numerator, denominator }: Pick<ExchangeRate, 'numerator' | 'denominator'>,
): Decimal {
  const product = amount.times(numerator);
  return denominator.equals(Decimal.one)
    ? product
    : product.dividedBy(denominator, valuePlaces + 4).rounded(valuePlaces);
}

/** A sum of converted values as it is compared with thresholds: three thirds reach one. */
export function settleSum(sum: Decimal): Decimal {
  return sum.rounded(sumPlaces);
}

/** An amount of converted values before it is rounded to its currency: half a cent made of thirds is half a cent. */
export function settleAmount(amount: Decimal): Decimal {
  return amount.rounded(amountPlaces);
}

/** The exchange rates of a workspace. */
export class ExchangeRates {
  private readonly stored: ReadonlyMap<string, RateSeries>;
  private readonly assumed: ReadonlyMap<string, readonly AssumedRate[]>;
  private readonly series = new Map<string, Series>();
  private readonly found = new Map<string, ExchangeRate | null>();

  /** The assumed rates replace stored ones of their table, pair and day. */
  constructor(
    stored: readonly RateSeries[],
    assumed: readonly AssumedRate[],
    private readonly rules: RateRules,
  ) {
    this.stored = new Map(stored.map((series) => [keyOf(series), series]));
    this.assumed = groupBy(assumed, keyOf);
  }

  /** The most direct rate of the pair on the day; null if there is none. The two currencies must differ. */
  find(table: string, from: string, to: string, { day, isProvisional }: RateDay): ExchangeRate | null {
    return getOrInsert(this.found, `${table}|${from}|${to}|${day}|${isProvisional}`, () => {
      const oldest = isProvisional ? null : this.oldestDay(day);
      return (
        this.findDirect(table, [from, to], day, oldest) ?? this.findThroughWorkspace(table, [from, to], day, oldest)
      );
    });
  }

  private oldestDay(day: Day): Day | null {
    const { maxAgeDays } = this.rules;
    return maxAgeDays === null ? null : addDays(day, -maxAgeDays);
  }

  private findDirect(
    table: string,
    [from, to]: readonly [string, string],
    day: Day,
    oldest: Day | null,
  ): ExchangeRate | null {
    const stored = this.latest(table, from, to, day, oldest);
    if (stored !== null) return { from, to, numerator: stored.rate, denominator: Decimal.one, legs: [stored] };
    const opposite = this.latest(table, to, from, day, oldest);
    return opposite === null
      ? null
      : { from, to, numerator: Decimal.one, denominator: opposite.rate, legs: [opposite] };
  }

  private findThroughWorkspace(
    table: string,
    [from, to]: readonly [string, string],
    day: Day,
    oldest: Day | null,
  ): ExchangeRate | null {
    const between = this.rules.workspaceCurrency;
    if (from === between || to === between) return null;
    const first = this.findDirect(table, [from, between], day, oldest);
    const second = first === null ? null : this.findDirect(table, [between, to], day, oldest);
    if (first === null || second === null) return null;
    return {
      from,
      to,
      numerator: first.numerator.times(second.numerator),
      denominator: first.denominator.times(second.denominator),
      legs: [...first.legs, ...second.legs],
    };
  }

  /** The latest rate of the stored pair up to the day, unless it is before the oldest day. */
  private latest(table: string, from: string, to: string, day: Day, oldest: Day | null): RateLeg | null {
    const key = keyOf({ table, from, to });
    const always = this.assumed.get(key)?.find((rate) => rate.day === null);
    if (always !== undefined) return { from, to, day, rate: Decimal.of(always.rate) };
    const series = this.read(key);
    let low = 0;
    let high = series.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((series[middle] as Series[number]).day <= day) low = middle + 1;
      else high = middle;
    }
    const last = series[low - 1];
    if (last === undefined || (oldest !== null && last.day < oldest)) return null;
    return { from, to, ...last };
  }

  private read(key: string): Series {
    return getOrInsert(this.series, key, () => {
      const stored = this.stored.get(key);
      const read = stored === undefined ? [] : readSeries(stored);
      const assumed = this.assumed.get(key) ?? [];
      if (assumed.length === 0) return read;
      const replaced = assumed.map(({ day, rate }) => ({ day: day as Day, rate: Decimal.of(rate) }));
      const byDay = new Map([...read, ...replaced].map((rate) => [rate.day, rate]));
      return [...byDay.values()].sort((a, b) => (a.day < b.day ? -1 : 1));
    });
  }
}

/** The text of a pair is read once, however many calculations use it. */
const readTexts = new WeakMap<RateSeries, Series>();

function readSeries(stored: RateSeries): Series {
  const known = readTexts.get(stored);
  if (known !== undefined) return known;
  const series = stored.rates.split(',').map((pair) => {
    const [day, rate] = pair.split(' ') as [Day, string];
    return { day, rate: Decimal.of(rate) };
  });
  readTexts.set(stored, series);
  return series;
}

function keyOf({ table, from, to }: Pick<StoredRate, 'table' | 'from' | 'to'>): string {
  return `${table}|${from}|${to}`;
}
