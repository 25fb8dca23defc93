import { sql } from 'kysely';
import { type Day } from '../kernel/day.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type DealContent, projectDeal } from './deal.js';
import { DealOwners } from './deal-owners.js';
import { loadDealTerms } from './load-deal-terms.js';

/** What says whose deal it is, and what it is called. */
export interface DealHead {
  readonly dealId: string;
  readonly dealName: string | null;
  readonly ownerId: string | null;
  readonly closeDate: Day | null;
  /** As decimal text. */
  readonly amount: string | null;
  /** null: that of the workspace. */
  readonly currency: string | null;
}

/** The deals that exist, deleted or not, by id; in a transaction with `asOf`, as they were at that instant. */
export async function findDealHeads(
  tx: Transaction,
  dealIds: readonly string[],
): Promise<ReadonlyMap<string, DealHead>> {
  if (dealIds.length === 0) return new Map();
  const ids = [...new Set(dealIds)];
  const heads = tx.asOf === null ? await selectPresent(tx, ids) : await selectEarlier(tx, ids);
  return new Map(heads.map((head) => [head.dealId, head]));
}

async function selectPresent(tx: Transaction, ids: readonly string[]): Promise<DealHead[]> {
  const { rows } = await sql<DealHead>`
    select deal_id as "dealId", name as "dealName", rep_id as "ownerId", close_date as "closeDate", amount::text as amount, currency from deals
    where workspace_id = ${tx.workspaceId} and deal_id = any(${ids}::text[])`.execute(tx.db);
  return rows;
}

/** The mappings of fields and of people are the present ones. */
async function selectEarlier(tx: Transaction, ids: readonly string[]): Promise<DealHead[]> {
  const { rows } = await sql<DealContent & { readonly dealId: string }>`
    select id as "dealId", v.fields, v.given from unnest(${ids}::text[]) wanted (id)
    cross join lateral (
      select fields, given from deal_versions
      where workspace_id = ${tx.workspaceId} and deal_id = wanted.id and taken_at <= ${tx.until}::timestamptz
      order by taken_at desc, snapshot_id desc nulls first limit 1
    ) v`.execute(tx.db);
  const terms = await loadDealTerms(tx);
  const deals = rows.map(({ dealId, ...content }) => ({ dealId, projection: projectDeal(content, terms) }));
  const owners = new DealOwners(tx);
  await owners.preload(deals);
  return deals.map(({ dealId, projection }) => ({
    dealId,
    dealName: projection.name,
    ownerId: owners.resolve(projection) ?? null,
    closeDate: projection.closeDate,
    amount: projection.amount,
    currency: projection.currency,
  }));
}
