import { type Transaction } from '../../platform/database/unit-of-work.js';
import { recordEvents } from '../../platform/outbound/outgoing-events.js';
import { listAskedVersions, readAcceptances } from './acceptance-views.js';

/** Asks everyone who has not accepted the version as it is now. Returns how many. */
export async function requestAcceptances(tx: Transaction, planRef: string): Promise<number> {
  const versions = await listAskedVersions(tx, { planRef });
  const waiting = [];
  for (const version of versions)
    waiting.push(...(await readAcceptances(tx, version, null)).filter(({ status }) => status !== 'accepted'));
  await recordEvents(
    tx,
    waiting.map(({ planId, planVersionId, repId, sha256 }) => ({
      type: 'plan.acceptance_requested' as const,
      repId,
      data: { planId, planVersionId, repId, sha256 },
    })),
  );
  return waiting.length;
}
