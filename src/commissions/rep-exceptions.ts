import { type Day, type DayRange } from '../kernel/day.js';
import { computeWindow } from '../ledger/input/load-window.js';
import { loadRepInput } from '../ledger/input/rep-input.js';
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

/** Runs the engine over the calculation window of the days. `expected` contains the deals of {@link listExpectedDeals}. */
export async function calculateExceptions(
  tx: Transaction,
  terms: RepTerms,
  { days, today }: Pick<ExplainedRep, 'days' | 'today'>,
  expected: ReadonlySet<string>,
): Promise<Exception[]> {
  const input = await loadRepInput(tx, terms, computeWindow(terms, days), today, { explain: true });
  return findExceptions(terms, input, await calculateInSlices(input), days, expected);
}
