import { sql } from 'kysely';
import { anyOf } from '../platform/database/columns.js';
import { type Transaction } from '../platform/database/unit-of-work.js';

/** The currencies of the deals: their own, otherwise that of the workspace. */
export async function loadDealCurrencies(
  tx: Transaction,
  dealIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { rows } = await sql<{ dealId: string; currency: string }>`
    select d.deal_id as "dealId", coalesce(d.currency, w.currency) as currency
    from deals d join workspaces w on w.workspace_id = d.workspace_id
    where d.workspace_id = ${tx.workspaceId} and d.deal_id = ${anyOf('text', dealIds)}`.execute(tx.db);
  return new Map(rows.map(({ dealId, currency }) => [dealId, currency]));
}
