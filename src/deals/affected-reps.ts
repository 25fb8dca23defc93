import { sql } from 'kysely';
import { type Day, type DayRange, extendRange } from '../kernel/day.js';
import { getOrInsert } from '../kernel/get-or-insert.js';
import { unnestRows } from '../platform/database/columns.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { repsIn } from './deal-credits.js';
import { type StoredDeal } from './deal-store.js';
import { type DealChange } from './record-deals.js';
import { type CreditsChange } from './refresh-credits.js';

/** Reps to calculate, each with the affected days. */
export type AffectedReps = Map<string, DayRange>;

/** The reps affected by the changes that a calculation reads, for all deals together. */
export async function affectedReps(tx: Transaction, changes: readonly DealChange[]): Promise<AffectedReps> {
  const affected = [...(await findEarners(tx, movedIn(changes))).values()].reduce(merge, new Map());
  for (const change of changes) if (change.isRead) addOwners(affected, change);
  return affected;
}

/**
 * The affected reps of each deal with a change that a calculation reads: the owners before and after, each with the
 * days of their deal, and for a deal with a new owner or other credit lines every rep who has earned on it, because managers of the former
 * owner may not be above the new one.
 */
export async function affectedByChanges(
  tx: Transaction,
  changes: readonly DealChange[],
): Promise<Map<string, AffectedReps>> {
  const affected = await findEarners(tx, movedIn(changes));
  for (const change of changes) if (change.isRead) addOwners(ofDealIn(affected, change.dealId), change);
  return affected;
}

function movedIn(changes: readonly DealChange[]): string[] {
  return changes.flatMap(({ dealId, before, after }) =>
    before !== null && (before.repId !== after.repId || before.credits !== after.credits) ? [dealId] : [],
  );
}

function addOwners(affected: AffectedReps, { before, after }: DealChange): void {
  if (before !== null) addPeople(affected, before);
  addPeople(affected, after);
}

/** The owner and the people on credit lines. */
function addPeople(affected: AffectedReps, deal: Pick<StoredDeal, 'repId' | 'closeDate' | 'credits'>): void {
  for (const repId of [deal.repId, ...repsIn(deal.credits)]) addDay(affected, repId, deal.closeDate);
}

/** The reps affected by changed credit lines: those on the lines before or after, and every rep who has earned. */
export async function affectedByCredits(
  tx: Transaction,
  changes: readonly CreditsChange[],
): Promise<Map<string, AffectedReps>> {
  const affected = await findEarners(
    tx,
    changes.map(({ dealId }) => dealId),
  );
  for (const { dealId, repId, closeDate, before, after } of changes)
    for (const credits of [before, after]) addPeople(ofDealIn(affected, dealId), { repId, closeDate, credits });
  return affected;
}

/**
 * The reps affected by the deletion of the deals: the owners of the deals that are not deleted yet, and every rep
 * who has earned on them.
 */
export async function affectedByDeletions(
  tx: Transaction,
  deals: readonly StoredDeal[],
): Promise<Map<string, AffectedReps>> {
  const affected = await findEarners(
    tx,
    deals.map((deal) => deal.dealId),
  );
  for (const deal of deals) if (!deal.deleted) addPeople(ofDealIn(affected, deal.dealId), deal);
  return affected;
}

/** The reps who have earned on the deals, also by true-up, with the days, whether or not they own the deals. */
async function findEarners(tx: Transaction, dealIds: readonly string[]): Promise<Map<string, AffectedReps>> {
  const affected = new Map<string, AffectedReps>();
  if (dealIds.length === 0) return affected;
  const { rows } = await sql<{ deal_key: string; rep_id: string; from: Day; to: Day }>`
    with named as materialized (select id from ${unnestRows(dealIds, [['id', 'text', (dealId) => dealId]])})
    select deal_key, rep_id, min(earned_on) as from, max(earned_on) as to from (
      select deal_key, rep_id, earned_on from commission_events
      where workspace_id = ${tx.workspaceId} and status = 'earned' and kind = 'commission_earned'
        and deal_key = any(array(select id from named))
      union all
      select deal_key, rep_id, earned_on from trued_up_rows
      where workspace_id = ${tx.workspaceId} and deal_key = any(array(select id from named))
    ) e
    group by deal_key, rep_id`.execute(tx.db);
  for (const { deal_key: dealId, rep_id: repId, from, to } of rows) ofDealIn(affected, dealId).set(repId, { from, to });
  return affected;
}

function ofDealIn(affected: Map<string, AffectedReps>, dealId: string): AffectedReps {
  return getOrInsert(affected, dealId, () => new Map());
}

/** Adds the second map to the first and returns the first. */
export function merge(into: AffectedReps, added: AffectedReps): AffectedReps {
  for (const [repId, days] of added) extendRange(into, repId, days);
  return into;
}

/** A deal without an owner or a close date is in no period of any rep. */
function addDay(affected: AffectedReps, repId: string | null, day: Day | null): void {
  if (repId !== null && day !== null) extendRange(affected, repId, { from: day, to: day });
}
