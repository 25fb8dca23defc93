import { loadFrozen, loadTermsOfReps, type RepTerms } from '../ledger/input/rep-terms.js';
import { type Work } from '../platform/database/unit-of-work.js';
import { calculateOutcomes, type DealOutcome, type ExplainedDeal } from './deal-outcomes.js';
import { listExpectedDeals } from './exception-views.js';
import { type Exception } from './exceptions.js';
import { calculateExceptions, type ExplainedRep } from './rep-exceptions.js';

/** Explains the deal in a worker thread. */
export async function explainDeal(trx: Work, deal: ExplainedDeal): Promise<DealOutcome[]> {
  return calculateOutcomes(trx, await loadTermsAndFrozen(trx, deal), deal);
}

/** Finds the exceptions of the rep in a worker thread. */
export async function explainExceptions(trx: Work, rep: ExplainedRep): Promise<Exception[]> {
  const expected = await listExpectedDeals(trx, rep.workspaceId, rep.days, [rep.repId]);
  return calculateExceptions(trx, await loadTermsAndFrozen(trx, rep), rep, expected);
}

/** A worker thread has no cache of terms. */
async function loadTermsAndFrozen(
  trx: Work,
  { workspaceId, repId, workspace }: Pick<ExplainedRep, 'workspaceId' | 'repId' | 'workspace'>,
): Promise<RepTerms> {
  const terms = await loadTermsOfReps(trx, workspaceId, [repId], workspace);
  const frozen = await loadFrozen(trx, workspaceId, repId);
  return { ...(terms.get(repId) as RepTerms), frozen };
}
