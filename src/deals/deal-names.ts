import { sql } from 'kysely';
import { type Day } from '../kernel/day.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type DealHead, findDealHeads } from './deal-heads.js';

/** What a statement shows of a deal beside what it paid. */
interface ShownDeal {
  readonly dealName: string | null;
  readonly closeDate: Day | null;
}

/** A deal on a statement of the rep. */
interface ListedDeal {
  readonly repId: string;
  readonly dealId: string | null;
}

const nothing: ShownDeal = { dealName: null, closeDate: null };

/**
 * What the statement of the rep shows of a deal. A rep with a part of the deal reads it; otherwise it is nothing if the owner
 * is someone whom the rep may not see, because the deal may have changed after it had moved away. In a transaction with
 * `asOf`, name and owner are those of that instant.
 */
export async function loadDealsOnStatements(
  tx: Transaction,
  listed: readonly ListedDeal[],
): Promise<(deal: ListedDeal) => ShownDeal> {
  const heads = await findDealHeads(
    tx,
    listed.flatMap(({ dealId }) => dealId ?? []),
  );
  const headOf = ({ dealId }: ListedDeal): DealHead | undefined => (dealId === null ? undefined : heads.get(dealId));
  const ofOthers = listed.filter((deal) => {
    const head = headOf(deal);
    return head !== undefined && head.ownerId !== deal.repId;
  });
  const visible = await loadVisible(tx, [...new Set(ofOthers.map(({ repId }) => repId))]);
  const parts = await loadParts(tx, ofOthers);
  return (deal) => {
    const head = headOf(deal);
    if (head === undefined) return nothing;
    const { dealId, dealName, ownerId, closeDate } = head;
    const people = visible.get(deal.repId);
    const hasPart = ownerId === deal.repId || parts.has(`${deal.repId}|${dealId}`);
    const isVisible = hasPart || people === null || (ownerId !== null && people?.has(ownerId) === true);
    return isVisible ? { dealName, closeDate } : nothing;
  };
}

/** The deals of others on which the reps have a line. */
async function loadParts(tx: Transaction, deals: readonly ListedDeal[]): Promise<ReadonlySet<string>> {
  if (deals.length === 0) return new Set();
  const { rows } = await sql<{ key: string }>`
    select concat(rep_id, '|', deal_id) as key from deal_participations
    where workspace_id = ${tx.workspaceId} and rep_id = any(${[...new Set(deals.map(({ repId }) => repId))]}::uuid[])
      and deal_id = any(${[...new Set(deals.flatMap(({ dealId }) => dealId ?? []))]}::text[])`.execute(tx.db);
  return new Set(rows.map(({ key }) => key));
}

/** Loads the people whose deals each rep may see; null stands for everyone. */
async function loadVisible(
  tx: Transaction,
  repIds: readonly string[],
): Promise<ReadonlyMap<string, ReadonlySet<string> | null>> {
  if (repIds.length === 0) return new Map();
  const { rows } = await sql<{ repId: string; people: string[] | null }>`
    select r.rep_id as "repId", case
        when r.role = 'rep' or (r.role = 'manager' and w.manager_scope = 'reports')
        then people_below(r.workspace_id, r.rep_id)
      end as people
    from reps r join workspaces w on w.workspace_id = r.workspace_id
    where r.workspace_id = ${tx.workspaceId} and r.rep_id = any(${repIds}::uuid[])`.execute(tx.db);
  return new Map(rows.map(({ repId, people }) => [repId, people === null ? null : new Set(people)]));
}

/** The names that a statement of the rep shows for the deals, by id. */
export async function findNamesOnStatement(
  tx: Transaction,
  repId: string,
  dealIds: readonly string[],
): Promise<ReadonlyMap<string, string | null>> {
  const listed = dealIds.map((dealId) => ({ repId, dealId }));
  const find = await loadDealsOnStatements(tx, listed);
  return new Map(listed.map((deal) => [deal.dealId, find(deal).dealName]));
}
