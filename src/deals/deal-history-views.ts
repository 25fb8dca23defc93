import { sql } from 'kysely';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type DealHistoryEntry, type DealVersion, describeHistory } from './deal-history.js';
import { loadDealTerms } from './load-deal-terms.js';

/** Older states of a deal are not described. */
export const maxVersions = 1000;

/** What happened to the deal, newest first. */
export async function readHistory(tx: Transaction, dealId: string): Promise<readonly DealHistoryEntry[]> {
  return describeHistory(await loadVersions(tx, dealId), await loadDealTerms(tx));
}

/**
 * The latest states of the deal, oldest first. A state and the audit entry of the call that stored it have the time of
 * one transaction.
 */
async function loadVersions(tx: Transaction, dealId: string): Promise<readonly DealVersion[]> {
  const { rows } = await sql<DealVersion>`
    select v.taken_at as at, v.provider, v.deleted, v.fields, v.given, (
      select e.content::jsonb ->> 'actor' from audit_entries e
      where e.workspace_id = ${tx.workspaceId} and e.at = v.taken_at limit 1) as by
    from (
      select * from deal_versions
      where workspace_id = ${tx.workspaceId} and deal_id = ${dealId}
      order by snapshot_id desc nulls first limit ${maxVersions}
    ) v
    order by v.snapshot_id nulls last`.execute(tx.db);
  return rows;
}
