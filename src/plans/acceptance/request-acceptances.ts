import { type ChangedTerms, type Transaction } from '../../platform/database/transaction.js';
import { recordEvents } from '../../platform/outbound/outgoing-events.js';
import { listRequests, statusOf } from './acceptance-views.js';

/**
 * Requests the acceptance of everyone who has not accepted a plan as it is now, after a change of the plan or of their
 * terms. Returns the number of requests.
 */
export async function requestAcceptances(tx: Transaction, { planRef, repIds }: ChangedTerms): Promise<number> {
  const requests = await listRequests(tx, planRef, repIds ?? null);
  const waiting = requests.filter((request) => statusOf(request) !== 'accepted');
  await recordEvents(
    tx,
    waiting.map(({ version: { planId, planVersionId }, repId, sha256 }) => ({
      type: 'plan.acceptance_requested' as const,
      repId,
      data: { planId, planVersionId, repId, sha256 },
    })),
  );
  return waiting.length;
}
