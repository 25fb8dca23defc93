import { parseRefundKey } from '../../engine/clawback.js';
import { type ExplainedDeals, type RefundInput, type RepInput } from '../../engine/model.js';
import { type Deal } from '../../engine/slug.js';
import { type Day, type DayRange } from '../../kernel/day.js';
import { inParallel } from '../../kernel/waiting.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { hasTruedUp, loadTruedUpRows } from '../output/trued-up-rows.js';
import { loadCarriedCredits } from './carried-credits.js';
import { withCutOffs } from './cut-offs.js';
import { fxInput } from './exchange-rates.js';
import { type LedgerRow, loadFixedRows, loadLedgerRows } from './ledger-rows.js';
import {
  type LoadedTeamDeal,
  loadDeals,
  loadFirstActivities,
  loadPeerCredits,
  loadTeamDeals,
  type RepWindow,
} from './load-window.js';
import { loadRefundInputs, type RefundedRep, withRefundKeys } from './refunds.js';
import { assignedPlans, calendarOf, personInput, quotaFinder, type RepTerms, workingTimeInput } from './rep-terms.js';

/** Everything the engine needs to calculate the window, and the rows that its decisions are compared with. */
export interface LoadedRepInput extends RepInput {
  readonly teamDeals: readonly LoadedTeamDeal[];
  readonly stored: readonly LedgerRow[];
  /** Event ids of approved rows, which the comparison skips. */
  readonly frozenIds: ReadonlySet<string>;
  /** Whether a period of the rep is trued up: its counters then include rows that are not events. */
  readonly hasTruedUp: boolean;
}

/** The input of one rep; see {@link loadRepInputs}. */
export async function loadRepInput(
  tx: Transaction,
  terms: RepTerms,
  window: DayRange,
  asOf: Day,
  options: { readonly explain: ExplainedDeals },
): Promise<LoadedRepInput> {
  return (await loadRepInputs(tx, [{ terms, window }], asOf, options))[0] as LoadedRepInput;
}

/**
 * Loads the engine's input for each of the reps of a workspace, one statement per table. Calculations and explanations
 * both use it.
 */
export async function loadRepInputs(
  tx: Transaction,
  windows: readonly RepWindow[],
  asOf: Day,
  { explain }: { readonly explain: ExplainedDeals },
): Promise<LoadedRepInput[]> {
  const [deals, teamDeals, stored, carried, peerCredits, firstActivities] = await inParallel(
    () => loadDeals(tx, windows),
    () => loadTeamDeals(tx, windows),
    () => loadLedgerRows(tx, windows),
    () => loadCarriedCredits(tx, windows),
    () => loadPeerCredits(tx, windows),
    () =>
      loadFirstActivities(
        tx,
        windows.map(({ terms }) => terms),
      ),
  );
  const loaded = windows.map(({ terms, window, carriedFrom }, index) => ({
    terms,
    window,
    ...(carriedFrom === undefined ? {} : { carried: carried[index] ?? [] }),
    deals: deals[index] ?? [],
    teamDeals: teamDeals[index] ?? [],
    stored: stored[index] ?? [],
    peerCredits: peerCredits[index] ?? (() => []),
    firstActivity: firstActivities[index] ?? null,
  }));
  const refunds = await loadRefundInputs(tx, loaded.map(toRefunded));
  const truedUp = await loadTruedUpRows(
    tx,
    loaded.map((ofRep, index) => ({ ...ofRep, dealIds: dealKeys(ofRep, refunds[index]) })),
  );
  const held = await loadFixedRows(
    tx,
    loaded.map(({ terms, stored: rows }, index) => ({ terms, stored: rows, truedUp: truedUp[index] ?? [] })),
  );
  const fixed = await withCutOffs(
    tx,
    loaded.map(({ terms }, index) => ({ terms, fixed: held[index]?.fixed ?? [] })),
  );
  return loaded.map(({ terms, ...input }, index) => ({
    ...input,
    fixed: fixed[index] ?? [],
    frozenIds: held[index]?.frozenIds ?? new Set<string>(),
    repId: terms.repId,
    asOf,
    plans: assignedPlans(terms),
    ...workingTimeInput(terms),
    ...personInput(terms),
    ...fxInput(terms),
    ...(refunds[index] === undefined ? {} : { refunds: refunds[index] }),
    calendar: calendarOf(terms),
    frozen: terms.frozen,
    quota: quotaFinder(terms.quotas),
    explain,
    hasTruedUp: hasTruedUp(terms),
  }));
}

type Loaded = Pick<LoadedRepInput, 'deals' | 'teamDeals' | 'stored'> & {
  readonly terms: RepTerms;
  readonly window: DayRange;
};

function allDeals({ deals, teamDeals }: Loaded): Deal[] {
  return [...deals, ...teamDeals.map(({ deal }) => deal)];
}

function toRefunded(loaded: Loaded): RefundedRep {
  const { terms, window, stored } = loaded;
  const refundedDealIds = stored.flatMap(({ dealKey }) => parseRefundKey(dealKey)?.dealId ?? []);
  return { terms, window, deals: allDeals(loaded), refundedDealIds };
}

/** The keys under which rows of the rep may be dated elsewhere. */
function dealKeys(loaded: Loaded, refunds: RefundInput | undefined): string[] {
  return withRefundKeys([...allDeals(loaded), ...(refunds?.sources ?? []).map(({ deal }) => deal)]);
}
