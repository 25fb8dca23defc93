import { type DayRange, hull } from '../../kernel/day.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type CountedRow, loadRowsOfPeriod } from '../input/counted-rows.js';
import { computeWindow } from '../input/load-window.js';
import { type FrozenPeriod, type RepTerms } from '../input/rep-terms.js';
import { type Trigger } from '../requests/calculation-requests.js';
import { findDependentRequests } from '../requests/dependents.js';
import { type Recalculate } from '../requests/recalculate.js';
import { AffectedTotals } from './affected-totals.js';
import { freezeDealAmounts } from './frozen-deal-amounts.js';
import { refreshQuotas } from './totals.js';
import { replaceRowsOfPeriod, restoreRowsOfPeriod } from './trued-up-rows.js';

/**
 * Replaces the rows that count for the approved period by the rows of a dry run, and requests every calculation that
 * reads them. The caller holds the rep's lane.
 */
export async function storeTruedUpRows(
  tx: Transaction,
  recalculate: Recalculate,
  terms: RepTerms,
  frozen: FrozenPeriod,
  rows: { readonly before: readonly CountedRow[]; readonly after: readonly CountedRow[] },
): Promise<void> {
  const key = toKey(terms, frozen);
  await replaceRowsOfPeriod(tx, key, rows.after);
  await freezeDealAmounts(tx, key);
  await recountRows(tx, recalculate, terms, frozen, [...rows.before, ...rows.after], 'true_up');
}

/** Undoes {@link storeTruedUpRows}: the approved rows count again. */
export async function dropTruedUpRows(
  tx: Transaction,
  recalculate: Recalculate,
  terms: RepTerms,
  frozen: FrozenPeriod,
): Promise<void> {
  const key = toKey(terms, frozen);
  const before = await loadRowsOfPeriod(tx, key, frozen);
  await restoreRowsOfPeriod(tx, key);
  const after = await loadRowsOfPeriod(tx, key, { ...frozen, truedUp: false });
  await recountRows(tx, recalculate, terms, frozen, [...before, ...after], 'statement_unlock');
}

async function recountRows(
  tx: Transaction,
  recalculate: Recalculate,
  terms: RepTerms,
  { range }: FrozenPeriod,
  rows: readonly CountedRow[],
  trigger: Trigger,
): Promise<void> {
  const { repId } = terms;
  const affectedTotals = new AffectedTotals(repId);
  for (const row of rows) affectedTotals.add(row);
  await refreshQuotas(tx, affectedTotals.counters());
  const days: DayRange = hull(range, affectedTotals.days() ?? range);
  const creditsMoved = new Set(rows.map((row) => row.planId));
  const moved = { terms, days: [days], creditsMoved, window: computeWindow(terms, days) };
  const dependents = await findDependentRequests(tx, [moved]);
  await recalculate([{ repId, days, trigger }, ...dependents]);
}

function toKey({ repId }: RepTerms, { period }: FrozenPeriod) {
  return { repId, period };
}
