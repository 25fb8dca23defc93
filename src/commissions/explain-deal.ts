import { loadFrozen, loadTermsOfReps, type RepTerms } from '../ledger/rep-terms.js';
import { type Work } from '../platform/database/unit-of-work.js';
import { calculateOutcomes, type DealOutcome, type ExplainedDeal } from './deal-outcomes.js';

/** Explains the deal in a worker thread, which has no cache of terms. */
export async function explainDeal(trx: Work, deal: ExplainedDeal): Promise<DealOutcome[]> {
  const { workspaceId, repId, workspace } = deal;
  const terms = await loadTermsOfReps(trx, workspaceId, [repId], workspace);
  const frozen = await loadFrozen(trx, workspaceId, repId);
  return calculateOutcomes(trx, { ...(terms.get(repId) as RepTerms), frozen }, deal);
}
