import { decodeConversionsOf } from '../engine/trace.js';
import { type Day } from '../kernel/day.js';
import { type StatementLine } from '../statements/snapshot.js';

/** A value that a rate converted for a line, as decimal texts. */
export interface LineConversion {
  /** The slug of the field; null for what a person below earned. */
  readonly field: string | null;
  readonly from: string;
  readonly to: string;
  readonly original: string;
  readonly converted: string;
  readonly rate: number;
  /** The day for which the rate was looked up. */
  readonly day: Day;
  /** Whether a later rate may replace this one: the period of the day has not ended. */
  readonly isProvisional: boolean;
}

/** The converted values of a line, those of one rate and day together; none for a line in one currency. */
export function lineConversions({ trace }: Pick<StatementLine, 'trace'>): readonly LineConversion[] {
  if (typeof trace !== 'string') return [];
  return decodeConversionsOf(trace).flatMap(({ from, to, rate, day, provisional, values }) =>
    values.map(({ field = null, value, converted }) => ({
      field,
      from,
      to,
      original: String(value),
      converted: String(converted),
      rate,
      day,
      isProvisional: provisional === true,
    })),
  );
}
