import { type PayPeriodSegment } from '../../access/workspaces/workspace-tables.js';
import { addDays, type Day, type DayRange, latestDay } from '../../kernel/day.js';
import { Failure } from '../../kernel/failure.js';
import { type Period } from '../../kernel/period.js';
import { type PeriodCalendar } from '../../kernel/period-calendar.js';

export interface NamedPeriod {
  readonly period: Period;
  readonly range: DayRange;
}

/** The pay periods of a workspace: months or quarters, from a first day on. Their kind may change between two of them. */
export class PayPeriods {
  constructor(
    private readonly segments: readonly PayPeriodSegment[],
    private readonly calendar: PeriodCalendar,
  ) {}

  /** The first day of the first pay period. What was earned before is paid with its statement. */
  get firstDay(): Day {
    return (this.segments[0] as PayPeriodSegment).from;
  }

  /** The pay period that contains the day. Null before the first one, and outside of all fiscal years. */
  findOn(day: Day): NamedPeriod | null {
    const segment = this.segments.findLast(({ from }) => from <= day);
    if (segment === undefined) return null;
    const period = this.calendar.findPeriod(day, segment.period, segment.calendar);
    return period === null ? null : { period, range: this.calendar.range(period) };
  }

  rangeOf(period: Period): DayRange {
    return this.calendar.range(period);
  }

  /** Whether the text names a pay period. */
  includes(period: Period): boolean {
    const range = this.calendar.findRange(period);
    return range !== null && this.findOn(range.from)?.period === period;
  }

  /** The periods by their first day; null, which stands for no period, is last. */
  inOrder(periods: readonly (Period | null)[]): (Period | null)[] {
    const startOf = (period: Period | null) => (period === null ? latestDay : this.calendar.range(period).from);
    return periods.toSorted((a, b) => (startOf(a) < startOf(b) ? -1 : Number(startOf(a) > startOf(b))));
  }

  /** The pay periods up to the one that contains the day. */
  until(day: Day): NamedPeriod[] {
    const periods: NamedPeriod[] = [];
    for (let next = this.findOn(this.firstDay); next !== null && next.range.from <= day; next = this.findAfter(next))
      periods.push(next);
    return periods;
  }

  findAfter({ range }: NamedPeriod): NamedPeriod | null {
    return this.findOn(addDays(range.to, 1));
  }

  /** Rejects the approval of another period than a pay period, from the first one on. */
  assertPayPeriod(period: Period): void {
    const range = this.calendar.range(period);
    if (range.to < this.firstDay || this.includes(period)) return;
    const expected = this.findOn(range.from < this.firstDay ? this.firstDay : range.from);
    throw new Failure(
      'not_a_pay_period',
      `${period} is no pay period${expected === null ? '' : `: ${expected.period} is`}. Only statements of pay periods can be approved.`,
      expected === null ? {} : { period: expected.period },
    );
  }
}
