import { type Day, type DayRange, hull, intersection, overlap } from '../kernel/day.js';
import { loadCascadeManagersAbove } from '../ledger/input/hierarchy.js';
import { computeWindow, listRankedPlans } from '../ledger/input/load-window.js';
import { type LoadedRepInput } from '../ledger/input/rep-input.js';
import { hasCascades, loadTerms, type RepTerms } from '../ledger/input/rep-terms.js';
import { countDealsOfReps } from '../ledger/lanes/lane-batches.js';
import { loadRepsOfPlan } from '../ledger/requests/calculation-requests.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type MovedRow, type RepMoves } from './moved-rows.js';
import { asStored, type Overlay } from './overlay.js';
import { widenToRefunds, widenToSources } from './refunded-days.js';
import { StoredInputs } from './stored-inputs.js';
import { rowKey, TeamCalculation } from './team-calculation.js';

/** A change of the terms of a plan that is not stored. */
interface AssumedChange extends Pick<Overlay, 'terms'> {
  readonly planId: string;
  /** The days on which the change applies. */
  readonly days: DayRange;
}

export interface Forecast {
  readonly moved: readonly MovedRow[];
  /** The stored terms of every rep whom the change may affect. */
  readonly terms: ReadonlyMap<string, RepTerms>;
  /** The days that were calculated; null if the change has no effect on the requested days. */
  readonly window: DayRange | null;
  /** The changed terms, and the ranking after the change. */
  readonly overlay: Overlay;
  /** Why a rule no longer pays, by {@link rowKey}, for moved rows without an amount after the change. */
  readonly reasons: ReadonlyMap<string, string>;
}

/**
 * The rows of open periods that would move if the change were stored: the same calculation as that of the lanes, with
 * the differences in memory. Managers and peers of reps with moved rows are calculated again until nothing moves.
 */
export async function forecastChange(
  tx: Transaction,
  change: AssumedChange,
  requested: { readonly days: DayRange; readonly asOf: Day },
): Promise<Forecast> {
  const onPlan = await loadRepsOfPlan(tx, change.planId);
  const terms = await loadAffectedTerms(tx, onPlan, change);
  const assumed = new Map([...terms].map(([repId, stored]) => [repId, change.terms(stored)]));
  const { sourceDays, refundDays } = await loadRefundedDays(tx, [...terms.values()], {
    requested: requested.days,
    changed: change.days,
  });
  const ofRange = commonWindow([...assumed.values()], sourceDays);
  const ofChange = commonWindow([...assumed.values()], refundDays);
  if (!overlap(ofRange, ofChange)) {
    const overlay = { ...asStored, terms: change.terms };
    return { moved: [], terms, window: null, overlay, reasons: new Map() };
  }
  const window = intersection(ofRange, ofChange);
  const inputs = await StoredInputs.prepare(tx, assumed, window, requested.asOf);
  const calculation = new TeamCalculation(inputs);
  const results = await calculation.run(onPlan.filter((repId) => assumed.has(repId)));
  const moved = [...results.values()].flatMap(({ rows }) => rows);
  return {
    moved,
    terms,
    window,
    overlay: { terms: change.terms, rankings: (stored) => calculation.addCredits(stored) },
    reasons: await loadUnpaidReasons(calculation, moved),
  };
}

/**
 * The requested days with those of the deals that are refunded in them, and the days of the change with those of the
 * refunds of its deals: both must be calculated to know what refunds take back on the requested days.
 */
async function loadRefundedDays(
  tx: Transaction,
  terms: readonly RepTerms[],
  { requested, changed }: { readonly requested: DayRange; readonly changed: DayRange },
): Promise<{ readonly sourceDays: DayRange; readonly refundDays: DayRange }> {
  if (!hasRefunds(terms)) return { sourceDays: requested, refundDays: changed };
  const repIds = terms.map(({ repId }) => repId);
  return {
    sourceDays: await widenToSources(tx, requested, repIds),
    refundDays: await widenToRefunds(tx, changed, repIds),
  };
}

function hasRefunds([first]: readonly RepTerms[]): boolean {
  return first?.workspace.hasRefunds === true;
}

/** Calculates the reps with moved rows without an amount again, with the reasons. */
async function loadUnpaidReasons(
  calculation: Pick<TeamCalculation<LoadedRepInput, RepMoves>, 'explain'>,
  moved: readonly MovedRow[],
): Promise<Map<string, string>> {
  const unpaid = moved.filter(({ after }) => after === null || Number(after.amount) === 0);
  const keys = new Set(unpaid.map(rowKey));
  const reasons = new Map<string, string>();
  for await (const { repId, outcomes } of calculation.explain([...new Set(unpaid.map((row) => row.repId))]))
    for (const { planId, ruleName, dealKey, reason } of outcomes) {
      if (planId === null || ruleName === null || reason === null) continue;
      const key = rowKey({ repId, planId, ruleName, dealKey });
      if (keys.has(key)) reasons.set(key, reason);
    }
  return reasons;
}

/**
 * The rows of open periods that would move if the deals stayed that the transaction has written and will roll back.
 * `affected` has the reps whose deals it has written, with their days.
 */
export async function forecastDeals(
  tx: Transaction,
  affected: ReadonlyMap<string, DayRange>,
  asOf: Day,
): Promise<Pick<Forecast, 'moved' | 'terms' | 'window'>> {
  if (affected.size === 0) return { moved: [], terms: new Map(), window: null };
  const repIds = [...affected.keys()];
  const { terms, window } = await loadScope(tx, affected);
  const calculation = new TeamCalculation(await StoredInputs.prepare(tx, terms, window, asOf));
  // A changed deal may change what managers earn on it without changing what its owner earns.
  const changed = [...affected].map(([repId, range]) => ({ repId, days: range }));
  const above = await loadCascadeManagersAbove(tx, changed);
  const due = new Set([...repIds, ...[...above.values()].flat()]);
  const results = await calculation.run([...due].filter((repId) => terms.has(repId)));
  return { moved: [...results.values()].flatMap(({ rows }) => rows), terms, window };
}

/**
 * The number of deals that {@link forecastDeals} may read, once for each person who is calculated with them: the own ones,
 * those with a credit line, and for cascade rules those of the team. It is exact up to `most`.
 */
export async function countForecastDeals(
  tx: Transaction,
  affected: ReadonlyMap<string, DayRange>,
  most: number,
): Promise<number> {
  if (affected.size === 0) return 0;
  const { terms, window } = await loadScope(tx, affected);
  const managerIds = [...terms.values()].filter(hasCascades).map(({ repId }) => repId);
  return countDealsOfReps(tx, [...terms.keys()], managerIds, { days: window, most });
}

/** Everyone whom a write of deals may affect, and the days to calculate. */
async function loadScope(
  tx: Transaction,
  affected: ReadonlyMap<string, DayRange>,
): Promise<{ readonly terms: Map<string, RepTerms>; readonly window: DayRange }> {
  const repIds = [...affected.keys()];
  const ofWrite = [...affected.values()].reduce(hull);
  const terms = await loadAffectedTerms(tx, repIds, { ...asStored, days: ofWrite });
  const days = hasRefunds([...terms.values()]) ? await widenToRefunds(tx, ofWrite, repIds) : ofWrite;
  return { terms, window: commonWindow([...terms.values()], days) };
}

/** The terms of the reps, of managers whose cascades may read their events, and of peers of ranked plans. */
async function loadAffectedTerms(
  tx: Transaction,
  repIds: readonly string[],
  { terms: changed, days }: Pick<AssumedChange, 'terms' | 'days'>,
): Promise<Map<string, RepTerms>> {
  const all = new Map<string, RepTerms>();
  const rankedBefore = new Set<string>();
  let added = [...repIds];
  while (added.length > 0) {
    const terms = await loadTerms(tx, added);
    for (const repTerms of terms) all.set(repTerms.repId, repTerms);
    const above = await loadCascadeManagersAbove(
      tx,
      added.map((repId) => ({ repId, days })),
    );
    const ranked = listRankedPlans(terms.map(changed));
    const peers: string[] = [];
    for (const plan of ranked.filter((planId) => !rankedBefore.has(planId))) {
      rankedBefore.add(plan);
      peers.push(...(await loadRepsOfPlan(tx, plan)));
    }
    added = [...new Set([...[...above.values()].flat(), ...peers])].filter((repId) => !all.has(repId));
  }
  return all;
}

/** The days widened to whole attainment periods and whole approved periods of all reps. */
function commonWindow(terms: readonly RepTerms[], days: DayRange): DayRange {
  for (let window = days; ; ) {
    const wider = terms.map((repTerms) => computeWindow(repTerms, window)).reduce(hull, window);
    if (wider.from === window.from && wider.to === window.to) return window;
    window = wider;
  }
}
