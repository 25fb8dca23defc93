import { type RepInput } from '../engine/model.js';
import { type Day, type DayRange } from '../kernel/day.js';
import { type Work } from '../platform/database/unit-of-work.js';
import { heldRows, type LedgerRow, loadLedgerRows } from './ledger-rows.js';
import { loadDeals, loadFirstActivity, loadPeerCredits, loadTeamDeals } from './load-window.js';
import { assignedPlans, quotaFinder, type RepTerms } from './rep-terms.js';
import { hasTruedUp, loadTruedUpRows } from './trued-up-rows.js';

/** Everything the engine needs to calculate the window, and the rows that its decisions are compared with. */
export interface LoadedRepInput extends RepInput {
  readonly standing: readonly LedgerRow[];
  /** Rows of approved periods, by event id, which the comparison leaves out. */
  readonly frozenIds: ReadonlySet<string>;
  /** Whether some period of the rep is trued up: its counters are then more than sums of events. */
  readonly hasTruedUp: boolean;
}

/** The one assembly of an engine input from what is stored, for runs that write and for those that only tell. */
export async function loadRepInput(
  trx: Work,
  terms: RepTerms,
  window: DayRange,
  asOf: Day,
  options: { readonly explain: boolean },
): Promise<LoadedRepInput> {
  const [deals, teamDeals, standing, peerCredits, firstActivity] = await Promise.all([
    loadDeals(trx, terms, window),
    loadTeamDeals(trx, terms, window),
    loadLedgerRows(trx, terms, window),
    loadPeerCredits(trx, terms, window),
    loadFirstActivity(trx, terms),
  ]);
  const dealIds = [...deals, ...teamDeals.map(({ deal }) => deal)].map(({ dealId }) => dealId);
  const truedUp = hasTruedUp(terms) ? await loadTruedUpRows(trx, terms, window, dealIds) : [];
  return {
    repId: terms.repId,
    asOf,
    window,
    plans: assignedPlans(terms),
    deals,
    teamDeals,
    ...(await heldRows(trx, terms, standing, truedUp)),
    frozen: terms.frozen,
    quota: quotaFinder(terms.quotas),
    peerCredits,
    firstActivity,
    explain: options.explain,
    standing,
    hasTruedUp: hasTruedUp(terms),
  };
}
