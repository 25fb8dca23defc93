import { type Transaction } from '../../platform/database/unit-of-work.js';
import { recordEvents } from '../../platform/outbound/outgoing-events.js';
import { listRequests, statusOf } from './acceptance-views.js';

/** Asks everyone who has not accepted the version as it is now. Returns how many. */
export async function requestAcceptances(tx: Transaction, planRef: string): Promise<number> {
  const waiting = (await listRequests(tx, planRef, null)).filter((request) => statusOf(request) !== 'accepted');
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
