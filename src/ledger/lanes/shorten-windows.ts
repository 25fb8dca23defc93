import { needsWholePeriod } from '../../engine/carried-credit.js';
import { allDays, type Day, type DayRange, overlap } from '../../kernel/day.js';
import { type RepWindow } from '../input/load-window.js';
import { hasRule, type RepTerms } from '../input/rep-terms.js';
import { type Trigger } from '../requests/calculation-requests.js';
import { hullOfDays, type LockedLane, type PendingRequest } from './lanes.js';

/** A lane with its requests and the days that they cover. */
export interface RequestedWindow extends RepWindow {
  readonly locked: LockedLane;
  readonly requests: readonly PendingRequest[];
}

/** Triggers whose days begin with the first deal that can be paid differently. */
const firstDealTriggers: ReadonlySet<Trigger> = new Set([
  'deal_change',
  'deal_deletion',
  'credits',
  'lines',
  'import',
  'sync',
  'cascade',
]);

/** Whether the days of the request begin with the first deal that can be paid differently. */
export function namesFirstDeal({ trigger }: PendingRequest): boolean {
  return firstDealTriggers.has(trigger);
}

/**
 * Leaves out the days before the first changed deal if what they earn cannot have changed: their events are then read as
 * carried credit. Every other change of these days has its own request, which would be among those of the lane.
 */
export function shortenWindow<Lane extends RequestedWindow>(lane: Lane): Lane & { readonly carriedFrom?: Day } {
  const { window, terms, requests, locked } = lane;
  const { from } = hullOfDays(requests);
  const isShorter = from > window.from && from <= window.to;
  if (!isShorter || !requests.every((request) => request.continues || (locked.isComplete && namesFirstDeal(request))))
    return lane;
  if (!canCarry(terms, window, from)) return lane;
  return { ...lane, window: { from, to: window.to }, carriedFrom: window.from };
}

/** Whether the events before the day give the same result as the deals that earned them. */
function canCarry(terms: RepTerms, window: DayRange, from: Day): boolean {
  return isSum(terms, window) && terms.frozen.every(({ range }) => range.to < from || !overlap(window, range));
}

/** Whether what a deal is paid depends on earlier deals only by the sums of their events. */
export function isSum(terms: RepTerms, days: DayRange): boolean {
  if (hasRule(terms, needsWholePeriod)) return false;
  const { assignments, frozen } = terms;
  // Events of a deleted assignment stay only until their deal fires on another day.
  const withdrawn = assignments.filter(({ deleted }) => deleted);
  if (withdrawn.some(({ start, end }) => overlap(days, { from: start ?? allDays.from, to: end ?? allDays.to })))
    return false;
  // A true-up of any period counts on the days of its deals, which may have moved into this window.
  return !frozen.some(({ truedUp }) => truedUp);
}
