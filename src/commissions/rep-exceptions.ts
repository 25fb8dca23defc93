import { type Day, type DayRange } from '../kernel/day.js';
import { EventLoopSlice } from '../kernel/waiting.js';
import { computeWindow } from '../ledger/input/load-window.js';
import { loadRepInputs } from '../ledger/input/rep-input.js';
import { type RepTerms, type WorkspaceTerms } from '../ledger/input/rep-terms.js';
import { calculateInSlices } from '../ledger/lanes/calculate-in-slices.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type Exception, findExceptions } from './exceptions.js';

/** A rep whose exceptions among the deals of the days are found. It is sent to a worker thread, so it contains only data. */
export interface ExplainedRep {
  readonly repId: string;
  readonly days: DayRange;
  readonly workspace: WorkspaceTerms;
  readonly today: Day;
}

/**
 * Runs the engine over each rep's calculation window of the days. The inputs of all of the reps are in memory together.
 * `expected` contains the deals of {@link listExpectedDeals}.
 */
export async function calculateExceptions(
  tx: Transaction,
  reps: readonly RepTerms[],
  { days, today }: Pick<ExplainedRep, 'days' | 'today'>,
  expected: ReadonlySet<string>,
): Promise<Exception[]> {
  const windows = reps.map((terms) => ({ terms, window: computeWindow(terms, days) }));
  const inputs = await loadRepInputs(tx, windows, today, { explain: true });
  const slice = new EventLoopSlice();
  const found: Exception[] = [];
  for (const [index, input] of inputs.entries()) {
    const terms = reps[index] as RepTerms;
    found.push(...findExceptions(terms, input, await calculateInSlices(input, slice), days, expected));
    await slice.pause();
  }
  return found;
}
