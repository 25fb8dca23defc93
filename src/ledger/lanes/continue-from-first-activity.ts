import { type Day } from '../../kernel/day.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { loadFirstActivities } from '../input/load-window.js';
import { countsFromFirstActivity, type RepTerms } from '../input/rep-terms.js';
import { isOfOthers } from './lane-freshness.js';
import { type PendingRequest } from './lanes.js';

interface RequestedLane {
  readonly terms: RepTerms;
  readonly requests: readonly PendingRequest[];
}

/**
 * Periodic rules without a first day count from the first deal or quota of the rep. A request whose days begin on this
 * day or before it may have moved it, so its days continue to today: the periods from the former first day on, or from
 * the new one on, are calculated too.
 */
export async function continueFromFirstActivity<Lane extends RequestedLane>(
  tx: Transaction,
  inputs: readonly Lane[],
  asOf: Day,
): Promise<readonly Lane[]> {
  const counting = inputs.filter(({ terms }) => countsFromFirstActivity(terms));
  if (counting.length === 0) return inputs;
  const days = await loadFirstActivities(
    tx,
    counting.map(({ terms }) => terms),
  );
  const firstDays = new Map(counting.map(({ terms }, index) => [terms.repId, days[index] ?? null]));
  return inputs.map((input) => {
    const first = firstDays.get(input.terms.repId);
    if (first === undefined) return input;
    const mayHaveMoved = ({ trigger, from_day: from, to_day: to }: PendingRequest) =>
      !isOfOthers(trigger) && to < asOf && (first === null || from <= first);
    const requests = input.requests.map((request) => (mayHaveMoved(request) ? { ...request, to_day: asOf } : request));
    return { ...input, requests };
  });
}
