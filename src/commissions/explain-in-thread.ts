import { loadFrozen, loadTermsOfReps, type RepTerms } from '../ledger/input/rep-terms.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { calculateOutcomes, type DealOutcome, type ExplainedDeal } from './deal-outcomes.js';
import { listExpectedDeals } from './exception-views.js';
import { type Exception } from './exceptions.js';
import { calculateExceptions, type ExplainedRep } from './rep-exceptions.js';

/** Explains the deal in a worker thread. */
export async function explainDeal(tx: Transaction, deal: ExplainedDeal): Promise<DealOutcome[]> {
  return calculateOutcomes(tx, await loadTermsAndFrozen(tx, deal), deal);
}

/** Finds the exceptions of the rep in a worker thread. */
export async function explainExceptions(tx: Transaction, rep: ExplainedRep): Promise<Exception[]> {
  const expected = await listExpectedDeals(tx, rep.days, [rep.repId]);
  return calculateExceptions(tx, [await loadTermsAndFrozen(tx, rep)], rep, expected);
}

/** A worker thread has no cache of terms. */
async function loadTermsAndFrozen(
  tx: Transaction,
  { repId, workspace }: Pick<ExplainedRep, 'repId' | 'workspace'>,
): Promise<RepTerms> {
  const terms = await loadTermsOfReps(tx, [repId], workspace);
  const frozen = await loadFrozen(tx, repId);
  return { ...(terms.get(repId) as RepTerms), frozen };
}
