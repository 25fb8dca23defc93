import { sql } from 'kysely';
import { unnestRows } from '../../platform/database/columns.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type SyncRun } from './sync-run.js';

/** What a sync run did with a deal. */
export interface SyncedDeal {
  readonly dealId: string;
  readonly outcome: string;
  /** It pays no rep. */
  readonly isSkipped: boolean;
}

/** How the counts of a sync run change. */
export interface CountChanges {
  /** Number of deals that the sync run has not seen before. */
  readonly deals: number;
  readonly counts: Readonly<Record<string, number>>;
}

/** Outcomes that a later one replaces. A deal that was created, and is unchanged when it is listed again, was created. */
const provisional: readonly string[] = ['unchanged', 'stale'];

/**
 * Records which deals the CRM has. Each deal counts once, however often it is listed. `limit 1` makes PostgreSQL look
 * for each deal by the key: a join may read all deals of the sync run for every page.
 */
export async function countSyncedDeals(
  tx: Transaction,
  { syncRunId, restarts }: Pick<SyncRun, 'syncRunId' | 'restarts'>,
  deals: readonly SyncedDeal[],
): Promise<CountChanges> {
  if (deals.length === 0) return { deals: 0, counts: {} };
  const incoming = unnestRows(deals, [
    ['deal_id', 'text', (deal) => deal.dealId],
    ['outcome', 'text', (deal) => deal.outcome],
    ['is_skipped', 'boolean', (deal) => String(deal.isSkipped)],
  ]);
  const { rows } = await sql<Counted>`
    with reported as materialized (select * from ${incoming}),
    before as materialized (
      select p.deal_id, p.outcome, p.is_skipped from reported r cross join lateral (
        select deal_id, outcome, is_skipped from crm_sync_run_deals
        where workspace_id = ${tx.workspaceId} and sync_run_id = ${syncRunId} and deal_id = r.deal_id limit 1
      ) p
    ),
    decided as (
      select r.deal_id, b.outcome as was, coalesce(b.is_skipped, false) as was_skipped,
        r.is_skipped or coalesce(b.is_skipped, false) as is_skipped,
        case when b.outcome is null or b.outcome = any(${provisional}::text[]) or r.outcome = 'deleted'
          then r.outcome else b.outcome end as outcome
      from reported r left join before b using (deal_id)
    ),
    written as (
      insert into crm_sync_run_deals (workspace_id, sync_run_id, deal_id, outcome, is_skipped, listing)
      select ${tx.workspaceId}::uuid, ${syncRunId}::uuid, deal_id, outcome, is_skipped, ${restarts}::int from decided
      on conflict (workspace_id, sync_run_id, deal_id) do update
        set outcome = excluded.outcome, is_skipped = excluded.is_skipped, listing = excluded.listing
    )
    select was, outcome, was_skipped as "wasSkipped", is_skipped as "isSkipped", count(*)::int as count
    from decided group by 1, 2, 3, 4`.execute(tx.db);
  return sumChanges(rows);
}

interface Counted {
  readonly was: string | null;
  readonly outcome: string;
  readonly wasSkipped: boolean;
  readonly isSkipped: boolean;
  readonly count: number;
}

function sumChanges(rows: readonly Counted[]): CountChanges {
  const counts: Record<string, number> = {};
  const add = (name: string, count: number) => {
    counts[name] = (counts[name] ?? 0) + count;
  };
  let deals = 0;
  for (const { was, outcome, wasSkipped, isSkipped, count } of rows) {
    if (was === null) deals += count;
    if (isSkipped && !wasSkipped) add('skipped', count);
    if (was === outcome) continue;
    if (was !== null) add(was, -count);
    add(outcome, count);
  }
  return { deals, counts };
}
