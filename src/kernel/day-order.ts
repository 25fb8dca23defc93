import { type Day } from './day.js';
import { type Issue, invalid } from './failure.js';

/** A field that bounds a range of days, by its name in the request. An absent day is no bound. */
type Bound = readonly [name: string, day: Day | null | undefined];

/** What is wrong with a range of days: the first day must not be after the last. Null if nothing is. */
export function findDayOrderIssue([firstName, first]: Bound, [lastName, last]: Bound): Issue | null {
  if (first == null || last == null || first <= last) return null;
  return { path: lastName, message: `must not be before ${firstName}` };
}

export function assertDayOrder(first: Bound, last: Bound): void {
  const issue = findDayOrderIssue(first, last);
  if (issue !== null) throw invalid(issue);
}

/** The order of the days of a plan or an assignment. */
export function assertEffectiveDayOrder(effectiveStart: Bound[1], effectiveEnd: Bound[1]): void {
  assertDayOrder(['effectiveStart', effectiveStart], ['effectiveEnd', effectiveEnd]);
}
