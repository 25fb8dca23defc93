import { type DayRange, hull } from '../kernel/day.js';
import { type Work } from '../platform/database/unit-of-work.js';
import { requestCalculation, type Trigger } from './calculation-requests.js';
import { type CountedRow, loadRowsOfPeriod } from './counted-rows.js';
import { requestDependents } from './dependents.js';
import { calculationWindow } from './load-window.js';
import { type FrozenPeriod, type RepTerms } from './rep-terms.js';
import { Footprint, refreshQuotas } from './totals.js';
import { replaceRowsOfPeriod, restoreRowsOfPeriod } from './trued-up-rows.js';

/**
 * Puts the rows of a dry run in the place of the rows that counted for the approved period, and requests every
 * calculation that reads them. The caller holds the rep's lane. Returns the reps to wake.
 */
export async function storeTruedUpRows(
  trx: Work,
  terms: RepTerms,
  frozen: FrozenPeriod,
  rows: { readonly before: readonly CountedRow[]; readonly after: readonly CountedRow[] },
): Promise<string[]> {
  await replaceRowsOfPeriod(trx, keyOf(terms, frozen), rows.after);
  return recountRows(trx, terms, frozen, [...rows.before, ...rows.after], 'true_up');
}

/** The approved rows count again, as the opposite of {@link storeTruedUpRows}. Returns the reps to wake. */
export async function dropTruedUpRows(trx: Work, terms: RepTerms, frozen: FrozenPeriod): Promise<string[]> {
  const key = keyOf(terms, frozen);
  const before = await loadRowsOfPeriod(trx, key, frozen);
  await restoreRowsOfPeriod(trx, key);
  const after = await loadRowsOfPeriod(trx, key, { ...frozen, truedUp: false });
  return recountRows(trx, terms, frozen, [...before, ...after], 'statement_unlock');
}

async function recountRows(
  trx: Work,
  terms: RepTerms,
  { range }: FrozenPeriod,
  rows: readonly CountedRow[],
  trigger: Trigger,
): Promise<string[]> {
  const { workspaceId, repId } = terms;
  const footprint = new Footprint();
  for (const row of rows) footprint.add(row);
  await refreshQuotas(trx, { workspaceId, repId }, footprint.counters());
  const days: DayRange = hull(range, footprint.days() ?? range);
  await requestCalculation(trx, workspaceId, [{ repId, days, trigger }]);
  const dependents = await requestDependents(trx, terms, {
    days: [days],
    creditsMoved: new Set(rows.map((row) => row.planId)),
    window: calculationWindow(terms, days),
  });
  return [repId, ...dependents];
}

function keyOf({ workspaceId, repId }: RepTerms, { period }: FrozenPeriod) {
  return { workspaceId, repId, period };
}
