import { type Day, type DayRange } from '../../kernel/day.js';
import { getOrInsert } from '../../kernel/get-or-insert.js';
import { type Period, toPeriod } from '../../kernel/period.js';

/** An attainment key of a plan in a period: the quota of a rep for it counts the rep's credit. */
export interface Counter {
  readonly planId: string;
  readonly attainmentKey: string;
  readonly period: string;
}

/** A counter of one rep. */
export interface RepCounter extends Counter {
  readonly repId: string;
}

/** A calendar month of one rep. */
export interface RepMonth {
  readonly repId: string;
  readonly month: Period;
}

/** The counters and months of the changed rows of one rep. Nested maps avoid joining texts for every row. */
export class AffectedTotals {
  private readonly plans = new Map<string, Map<string, Set<Period>>>();
  private readonly earnedOn = new Set<Day>();

  constructor(readonly repId: string) {}

  add({ planId, attainmentKey, period, earnedOn }: Counter & { readonly earnedOn: Day }): void {
    const keys = getOrInsert(this.plans, planId, () => new Map<string, Set<Period>>());
    getOrInsert(keys, attainmentKey, () => new Set<Period>()).add(period);
    this.earnedOn.add(earnedOn);
  }

  counters(): RepCounter[] {
    const { repId } = this;
    return [...this.plans].flatMap(([planId, keys]) =>
      [...keys].flatMap(([attainmentKey, periods]) =>
        [...periods].map((period) => ({ repId, planId, attainmentKey, period })),
      ),
    );
  }

  months(): RepMonth[] {
    const months = new Set([...this.earnedOn].map((day) => toPeriod(day, 'monthly')));
    return [...months].sort().map((month) => ({ repId: this.repId, month }));
  }

  days(): DayRange | null {
    const days = [...this.earnedOn].sort();
    const [from] = days;
    return from === undefined ? null : { from, to: days.at(-1) ?? from };
  }
}
