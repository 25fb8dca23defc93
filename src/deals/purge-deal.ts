import { sql } from 'kysely';
import { type InjectionToken } from 'tsyringe';
import { z } from 'zod';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { latestSourceTime } from './deal.js';
import { type StoredDeal } from './deal-store.js';

const count = (things: string) => z.int().describe(`Number of ${things}`);

/** What was stored about a deal beside the deal. */
export const removedFacts = z
  .object({
    creditLines: count('credit lines'),
    lines: count('product lines'),
    refunds: count('refunds'),
    invoices: count('invoices'),
    payments: count('customer payments of the invoices'),
    corrections: count('corrected values'),
  })
  .describe('What was deleted with the deal');
export type RemovedFacts = z.infer<typeof removedFacts>;

/** Removes what decides when a deal is paid. Fails with `already_paid` if a payout batch has paid for a fact of the deal. */
export type RemovePayFacts = (tx: Transaction, dealId: string) => Promise<Pick<RemovedFacts, 'invoices' | 'payments'>>;
export const REMOVE_PAY_FACTS: InjectionToken<RemovePayFacts> = Symbol('removal of the pay facts of a deal');

/**
 * Removes the deal with its whole history and its facts. A tombstone keeps the time, so that older data of a CRM does not
 * restore the deal.
 */
export async function purgeDeal(
  tx: Transaction,
  { dealId, corrections }: Pick<StoredDeal, 'dealId' | 'corrections'>,
  at: Date,
  removePayFacts: RemovePayFacts,
): Promise<RemovedFacts> {
  const paid = await removePayFacts(tx, dealId);
  await sql`
    insert into deal_tombstones as t (workspace_id, deal_id, purged_at)
    select workspace_id, deal_id, least(greatest(source_updated_at, ${at}), ${latestSourceTime(at.getTime())}) from deals
    where workspace_id = ${tx.workspaceId} and deal_id = ${dealId}
    on conflict (workspace_id, deal_id) do update set purged_at = excluded.purged_at`.execute(tx.db);
  await sql`
    insert into deal_refund_history (workspace_id, deal_id, refund_id, content)
    select workspace_id, deal_id, refund_id, null from deal_refunds
    where workspace_id = ${tx.workspaceId} and deal_id = ${dealId}`.execute(tx.db);
  await sql`
    insert into deal_line_history (workspace_id, deal_id)
    select distinct workspace_id, deal_id from deal_lines
    where workspace_id = ${tx.workspaceId} and deal_id = ${dealId}`.execute(tx.db);
  const removeFrom = async (table: 'deal_snapshots' | 'deals' | 'deal_credits' | 'deal_lines' | 'deal_refunds') => {
    const { numDeletedRows } = await tx.db
      .deleteFrom(table)
      .where('workspace_id', '=', tx.workspaceId)
      .where('deal_id', '=', dealId)
      .executeTakeFirstOrThrow();
    return Number(numDeletedRows);
  };
  const creditLines = await removeFrom('deal_credits');
  const lines = await removeFrom('deal_lines');
  const refunds = await removeFrom('deal_refunds');
  await removeFrom('deal_snapshots');
  await removeFrom('deals');
  return { creditLines, lines, refunds, ...paid, corrections: Object.keys(corrections ?? {}).length };
}
