import { type Clock } from '../kernel/clock.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type AffectedReps, affectedByDeletions, merge } from './affected-reps.js';
import { repsIn } from './deal-credits.js';
import { lockDeals, softDeleteDeals } from './deal-store.js';

/** Marks those of the deals as deleted that are not. Returns their number, and the reps to calculate. */
export async function removeDeals(
  tx: Transaction,
  dealIds: readonly string[],
  clock: Clock,
): Promise<{ readonly accepted: number; readonly affected: AffectedReps }> {
  const deals = [...(await lockDeals(tx, dealIds)).values()].filter(({ deleted }) => !deleted);
  tx.markAffected(deals.flatMap(({ repId, credits }) => [repId, ...repsIn(credits)]));
  const affected = [...(await affectedByDeletions(tx, deals)).values()].reduce(merge, new Map());
  const at = clock.now();
  await softDeleteDeals(
    tx,
    deals.map(({ dealId }) => ({ dealId, at, isOfCrm: false })),
  );
  return { accepted: deals.length, affected };
}
