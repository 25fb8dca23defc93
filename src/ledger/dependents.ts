import { type DayRange, hull } from '../kernel/day.js';
import { type Work } from '../platform/database/unit-of-work.js';
import { type CalculationRequest, type Trigger } from './calculation-requests.js';
import { cascadeManagersAbove } from './hierarchy.js';
import { rankedPlans } from './load-window.js';
import { type RepTerms } from './rep-terms.js';

/** A change of a rep's counted rows. */
export interface RowsMoved {
  /** The days of changed rows, and of changed deals that cascades above read. */
  readonly days: readonly DayRange[];
  /** Plans under which credit changed. */
  readonly creditsMoved: ReadonlySet<string>;
  /** The days for which peers recalculate their rank. */
  readonly window: DayRange;
  readonly jobIds?: readonly string[];
}

/**
 * The requests for the managers above, whose cascades read these rows or deals, and for the peers whose rank may change.
 * All peers are included, since a peer that reads the ledger at the same time may have missed this change.
 */
export async function dependentRequests(trx: Work, terms: RepTerms, moved: RowsMoved): Promise<CalculationRequest[]> {
  const { days, creditsMoved, window, jobIds = [] } = moved;
  const request = (repId: string, range: DayRange, trigger: Trigger): CalculationRequest[] =>
    (jobIds.length === 0 ? [undefined] : jobIds).map((jobId) => ({ repId, days: range, trigger, jobId }));
  const requests: CalculationRequest[] = [];
  if (terms.hasManagers && days.length > 0) {
    const range = days.reduce(hull);
    const managers = await cascadeManagersAbove(trx, terms.workspaceId, terms.repId, range);
    requests.push(...managers.flatMap((manager) => request(manager, range, 'cascade')));
  }
  // A run with trigger `rank` changes amounts but no credit, so ranks do not request each other endlessly.
  const ranked = rankedPlans(terms.versions).filter((planId) => creditsMoved.has(planId));
  if (ranked.length > 0) {
    const peers = await trx
      .selectFrom('assignments')
      .select('rep_id')
      .distinct()
      .where('workspace_id', '=', terms.workspaceId)
      .where('plan_id', 'in', ranked)
      .where('rep_id', '<>', terms.repId)
      .where('deleted_at', 'is', null)
      .execute();
    requests.push(...peers.flatMap((peer) => request(peer.rep_id, window, 'rank')));
  }
  return requests;
}
