import { sumAmounts } from '../../shared/format/exact.js';

/** Earnings of a month. */
export interface Month {
  readonly period: string;
  readonly total: number;
  /** Absent if nothing was earned in other currencies. */
  readonly otherCurrencies?: readonly Sum[] | undefined;
}

interface Sum {
  readonly currency: string;
  readonly total: number;
}

/** What was earned in other currencies than that of the months, which no sum of the months contains. */
export function sumOthers(months: readonly Month[]): { readonly currency: string; readonly total: string }[] {
  const others = months.flatMap(({ otherCurrencies = [] }) => otherCurrencies);
  const currencies = [...new Set(others.map(({ currency }) => currency))].toSorted();
  return currencies.map((currency) => ({
    currency,
    total: sumAmounts(others.filter((other) => other.currency === currency).map(({ total }) => total)),
  }));
}

/** The last months, of which as many as the period has are compared with those before them. */
export interface Trend {
  readonly now: readonly Month[];
  readonly sum: string;
  /** The sum of as many months before; null if the list has fewer. */
  readonly before: string | null;
}

export function computeTrend(months: readonly Month[], length: number): Trend {
  const sum = (part: readonly Month[]) => sumAmounts(part.map(({ total }) => total));
  const [now, before] = [months.slice(-length), months.slice(-2 * length, -length)];
  return { now, sum: sum(now), before: before.length < length ? null : sum(before) };
}
