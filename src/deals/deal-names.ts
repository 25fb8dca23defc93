import { sql } from 'kysely';
import { type Transaction } from '../platform/database/unit-of-work.js';

/** A deal on a statement of the rep, with its present name and owner. */
interface ListedDeal {
  readonly repId: string;
  readonly dealId: string | null;
  readonly dealName: string | null;
  readonly dealOwner: string | null;
}

/**
 * The name that a statement shows for each of the deals. A rep with a part of the deal reads it; otherwise it is null if the
 * present owner is someone whom the rep of the statement may not see, because the name may have changed after the deal had
 * moved away.
 */
export async function loadDealNames(
  tx: Transaction,
  deals: readonly ListedDeal[],
): Promise<(deal: ListedDeal) => string | null> {
  const ofOthers = deals.filter(({ repId, dealName, dealOwner }) => dealName !== null && dealOwner !== repId);
  const visible = await loadVisible(tx, [...new Set(ofOthers.map(({ repId }) => repId))]);
  const parts = await loadParts(tx, ofOthers);
  return ({ repId, dealId, dealName, dealOwner }) => {
    const people = visible.get(repId);
    const hasPart = dealOwner === repId || parts.has(`${repId}|${dealId}`);
    const isVisible = hasPart || people === null || (dealOwner !== null && people?.has(dealOwner) === true);
    return isVisible ? dealName : null;
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

/** Returns the name that a statement of the rep shows for a deal; null for a deal that is not known. */
export async function loadNamesOnStatements(
  tx: Transaction,
  listed: readonly { readonly repId: string; readonly dealId: string }[],
): Promise<(repId: string, dealId: string) => string | null> {
  if (listed.length === 0) return () => null;
  const { rows } = await sql<{ dealId: string; dealName: string | null; dealOwner: string | null }>`
    select deal_id as "dealId", name as "dealName", rep_id as "dealOwner" from deals
    where workspace_id = ${tx.workspaceId} and deal_id = any(${[...new Set(listed.map(({ dealId }) => dealId))]}::text[])`.execute(
    tx.db,
  );
  const deals = new Map(rows.map((deal) => [deal.dealId, deal]));
  const onStatement = (repId: string, dealId: string) => {
    const { dealName = null, dealOwner = null } = deals.get(dealId) ?? {};
    return { repId, dealId, dealName, dealOwner };
  };
  const findName = await loadDealNames(
    tx,
    listed.map(({ repId, dealId }) => onStatement(repId, dealId)),
  );
  return (repId, dealId) => findName(onStatement(repId, dealId));
}

/** The names that a statement of the rep shows for the deals, by id. */
export async function findNamesOnStatement(
  tx: Transaction,
  repId: string,
  dealIds: readonly string[],
): Promise<ReadonlyMap<string, string | null>> {
  if (dealIds.length === 0) return new Map();
  const { rows } = await sql<ListedDeal & { readonly dealId: string }>`
    select deal_id as "dealId", ${repId}::text as "repId", name as "dealName", rep_id as "dealOwner" from deals
    where workspace_id = ${tx.workspaceId} and deal_id = any(${dealIds}::text[])`.execute(tx.db);
  const findName = await loadDealNames(tx, rows);
  return new Map(rows.map((deal) => [deal.dealId, findName(deal)]));
}
