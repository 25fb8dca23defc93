import { decodeConversionsOf } from '../engine/trace.js';
import { type Day } from '../kernel/day.js';
import { type StatementLine } from '../statements/snapshot.js';

/** What a rate converted for a line: the first value of the rule, as decimal texts. */
export interface LineConversion {
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

/** The conversions of a line, one for each rate and day; none for a line in one currency. */
export function lineConversions({ trace }: Pick<StatementLine, 'trace'>): readonly LineConversion[] {
  if (typeof trace !== 'string') return [];
  return decodeConversionsOf(trace).flatMap(({ from, to, rate, day, provisional, values: [first] }) =>
    first === undefined
      ? []
      : [
          {
            from,
            to,
            original: String(first.value),
            converted: String(first.converted),
            rate,
            day,
            isProvisional: provisional === true,
          },
        ],
  );
}
