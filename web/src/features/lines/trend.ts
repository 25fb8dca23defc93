import { sumAmounts } from '../../shared/format/exact.js';

/** Earnings of a month. */
export interface Month {
  readonly period: string;
  readonly total: number;
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
