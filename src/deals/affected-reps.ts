import { sql } from 'kysely';
import { type Day, type DayRange, hull, isWithin } from '../kernel/day.js';
import { getOrInsert } from '../kernel/get-or-insert.js';
import { unnestRows } from '../platform/database/columns.js';
import { type Work } from '../platform/database/unit-of-work.js';
import { type StoredDeal } from './deal-store.js';
import { type DealChange } from './record-deals.js';

/** Reps that have to be calculated, each with the days that are concerned. */
export type AffectedReps = Map<string, DayRange>;

/** The reps whom the changes concern, of all deals together. */
export async function affectedReps(
  trx: Work,
  workspaceId: string,
  changes: readonly DealChange[],
): Promise<AffectedReps> {
  const touched = [...(await earnersOf(trx, workspaceId, movedIn(changes))).values()].reduce(merge, new Map());
  for (const change of changes) touchOwners(touched, change);
  return touched;
}

/**
 * The reps whom the change of each deal concerns: the owners before and after, each on their own days, and of deals
 * that went to somebody else everyone who has earned on them, since nothing else may lead from the new owner to those.
 */
export async function affectedByChanges(
  trx: Work,
  workspaceId: string,
  changes: readonly DealChange[],
): Promise<Map<string, AffectedReps>> {
  const touched = await earnersOf(trx, workspaceId, movedIn(changes));
  for (const change of changes) touchOwners(ofDealIn(touched, change.dealId), change);
  return touched;
}

function movedIn(changes: readonly DealChange[]): string[] {
  return changes.flatMap(({ dealId, before, after }) =>
    before !== null && before.repId !== after.repId ? [dealId] : [],
  );
}

function touchOwners(touched: AffectedReps, { before, after }: DealChange): void {
  if (before !== null) touch(touched, before.repId, before.closeDate);
  touch(touched, after.repId, after.closeDate);
}

/** The reps whom it concerns that the deals go: the owners of those that live, and everyone who has earned on them. */
export async function affectedByDeletions(
  trx: Work,
  workspaceId: string,
  deals: readonly StoredDeal[],
): Promise<Map<string, AffectedReps>> {
  const touched = await earnersOf(
    trx,
    workspaceId,
    deals.map((deal) => deal.dealId),
  );
  for (const { dealId, repId, closeDate, deleted } of deals)
    if (!deleted) touch(ofDealIn(touched, dealId), repId, closeDate);
  return touched;
}

/** Everyone who has earned on the deals, whoever owns them. */
async function earnersOf(
  trx: Work,
  workspaceId: string,
  dealIds: readonly string[],
): Promise<Map<string, AffectedReps>> {
  const touched = new Map<string, AffectedReps>();
  if (dealIds.length === 0) return touched;
  const { rows } = await sql<{ deal_key: string; rep_id: string; from: Day; to: Day }>`
    select deal_key, rep_id, min(earned_on) as from, max(earned_on) as to from commission_events
    where workspace_id = ${workspaceId} and status = 'earned' and kind = 'commission_earned'
      and deal_key = any(array(select id from ${unnestRows(dealIds, [['id', 'text', (dealId) => dealId]])}))
    group by deal_key, rep_id`.execute(trx);
  for (const { deal_key: dealId, rep_id: repId, from, to } of rows) ofDealIn(touched, dealId).set(repId, { from, to });
  return touched;
}

function ofDealIn(touched: Map<string, AffectedReps>, dealId: string): AffectedReps {
  return getOrInsert(touched, dealId, () => new Map());
}

/** Adds the second to the first. */
export function merge(into: AffectedReps, more: AffectedReps): AffectedReps {
  for (const [repId, days] of more) {
    const known = into.get(repId);
    into.set(repId, known === undefined ? days : hull(known, days));
  }
  return into;
}

/** A deal without an owner or a close date lies in nobody's periods. */
function touch(touched: AffectedReps, repId: string | null, day: Day | null): void {
  if (repId === null || day === null) return;
  const known = touched.get(repId);
  if (known === undefined) touched.set(repId, { from: day, to: day });
  else if (!isWithin(day, known)) touched.set(repId, hull(known, { from: day, to: day }));
}
