import { type RepInput } from '../engine/model.js';
import { type Day, type DayRange } from '../kernel/day.js';
import { type Work } from '../platform/database/unit-of-work.js';
import { fixedRows, type LedgerRow, loadLedgerRows } from './ledger-rows.js';
import { loadDeals, loadFirstActivity, loadPeerCredits, loadTeamDeals } from './load-window.js';
import { assignedPlans, quotaFinder, type RepTerms } from './rep-terms.js';
import { hasTruedUp, loadTruedUpRows } from './trued-up-rows.js';

/** Everything the engine needs to calculate the window, and the rows that its decisions are compared with. */
export interface LoadedRepInput extends RepInput {
  readonly stored: readonly LedgerRow[];
  /** Event ids of approved rows, which the comparison skips. */
  readonly frozenIds: ReadonlySet<string>;
  /** Whether a period of the rep is trued up: its counters then include rows that are not events. */
  readonly hasTruedUp: boolean;
}

/** Loads the engine's input. Calculations and simulations both use it. */
export async function loadRepInput(
  trx: Work,
  terms: RepTerms,
  window: DayRange,
  asOf: Day,
  options: { readonly explain: boolean },
): Promise<LoadedRepInput> {
  const [deals, teamDeals, stored, peerCredits, firstActivity] = await Promise.all([
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
    ...(await fixedRows(trx, terms, stored, truedUp)),
    frozen: terms.frozen,
    quota: quotaFinder(terms.quotas),
    peerCredits,
    firstActivity,
    explain: options.explain,
    stored,
    hasTruedUp: hasTruedUp(terms),
  };
}
