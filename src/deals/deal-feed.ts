import { sql } from 'kysely';
import { type Caller } from '../kernel/caller.js';
import { hasPartOf } from '../ledger/input/deals-of-rep.js';
import { isStorable } from '../platform/database/columns.js';
import { type Feed, type FeedRange, type FeedRow } from '../platform/database/feed.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type DealRecord } from './deal.js';
import { loadCountedLines } from './deal-line-store.js';
import { type DealLineRecord, toLineRecord } from './deal-lines.js';
import { selectDeals, toRecord } from './deal-views.js';

export const dealFeed: Feed = {
  table: 'deals',
  key: 'deal_id',
  updatedAt: 'snapshot_at',
  smallestKey: '',
  isKey: isStorable,
  storedAgain: sql`select from deals d where d.workspace_id = r.workspace_id and d.deal_id = r.row_key`,
};

/** The deals of a page of the feed, deleted ones too. `repIds`: only deals in which one of the reps has a part. */
export async function listChangedDeals(
  tx: Transaction,
  repIds: readonly string[] | null,
  { contains, limit }: FeedRange,
): Promise<(FeedRow & { readonly deal: DealRecord })[]> {
  const rows = await selectDeals(tx, (deals) =>
    deals
      .where('workspace_id', '=', tx.workspaceId)
      .where(contains)
      .where(repIds === null ? sql<boolean>`true` : sql<boolean>`${hasPartOf(tx.workspaceId, sql`deals`, repIds)}`)
      .orderBy('changed_in')
      .orderBy('deal_id')
      .limit(limit),
  )
    .select(sql<string>`deals.changed_in::text`.as('changedIn'))
    .orderBy('deals.changed_in')
    .orderBy('deals.deal_id')
    .execute();
  return rows.map((row) => ({ changedIn: row.changedIn, key: row.deal_id, deal: toRecord(row) }));
}

/** The lines of the deals of a page that have some, by deal. */
export async function loadLinesOfPage(
  tx: Transaction,
  caller: Caller,
  rows: readonly FeedRow[],
): Promise<ReadonlyMap<string, { readonly lines: DealLineRecord[] }>> {
  const counted = await loadCountedLines(
    tx,
    rows.map(({ key }) => key),
  );
  return new Map(
    [...counted].map(([dealId, { lines }]) => [dealId, { lines: lines.map((line) => toLineRecord(line, caller)) }]),
  );
}
