import { isUuid } from '../kernel/ids.js';
import { lockLane } from '../ledger/calculate-lane.js';
import { noteHeld, type Work } from '../platform/database/unit-of-work.js';
import { repNotFound } from '../reps/rep.js';
import { findRepName } from '../reps/rep-views.js';

/**
 * Takes the rep's lane, as every calculation does, so that what is read and written here is wholly before or wholly
 * after each of them; gives the rep's name. A worker does not wait for a lane that is held, so requests that arrive
 * meanwhile are looked for after the release.
 */
export async function lockRep(trx: Work, workspaceId: string, repId: string): Promise<string> {
  noteHeld(trx, repId);
  if (!isUuid(repId) || (await lockLane(trx, { workspaceId, repId }, true)) === null) throw repNotFound();
  return (await findRepName(trx, workspaceId, repId)) ?? '';
}
