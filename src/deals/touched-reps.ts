import { sql } from 'kysely';
import { type Day, type DayRange, hull } from '../kernel/day.js';
import { rowsFrom } from '../platform/database/columns.js';
import { type Work } from '../platform/database/unit-of-work.js';
import { type DealChange } from './record-deals.js';

/** Reps that have to be calculated, each with the days that are concerned. */
export type TouchedReps = Map<string, DayRange>;

/**
 * The reps whom the changes concern: the owners before and after, each on their own days, and of deals that went
 * to somebody else everyone who has earned on them, since nothing else may lead from the new owner to those.
 */
export async function touchedReps(
  trx: Work,
  workspaceId: string,
  changes: readonly DealChange[],
): Promise<TouchedReps> {
  const touched: TouchedReps = new Map();
  for (const { before, after } of changes) {
    if (before !== null) touch(touched, before.repId, before.closeDate);
    touch(touched, after.repId, after.closeDate);
  }
  const moved = changes.filter(({ before, after }) => before !== null && before.repId !== after.repId);
  return merge(
    touched,
    await earnersOf(
      trx,
      workspaceId,
      moved.map((change) => change.dealId),
    ),
  );
}

/** Everyone who has earned on the deals, whoever owns them. */
export async function earnersOf(trx: Work, workspaceId: string, dealIds: readonly string[]): Promise<TouchedReps> {
  const touched: TouchedReps = new Map();
  if (dealIds.length === 0) return touched;
  const { rows } = await sql<{ rep_id: string; from: Day; to: Day }>`
    select rep_id, min(earned_on) as from, max(earned_on) as to from commission_events
    where workspace_id = ${workspaceId} and status = 'earned' and kind = 'commission_earned'
      and deal_key = any(array(select id from ${rowsFrom(dealIds, [['id', 'text', (dealId) => dealId]])}))
    group by rep_id`.execute(trx);
  for (const { rep_id: repId, from, to } of rows) touched.set(repId, { from, to });
  return touched;
}

/** Adds the second to the first. */
export function merge(into: TouchedReps, more: TouchedReps): TouchedReps {
  for (const [repId, days] of more) {
    const known = into.get(repId);
    into.set(repId, known === undefined ? days : hull(known, days));
  }
  return into;
}

/** A deal without an owner or a close date lies in nobody's periods. */
export function touch(touched: TouchedReps, repId: string | null, day: Day | null): void {
  if (repId !== null && day !== null) merge(touched, new Map([[repId, { from: day, to: day }]]));
}
