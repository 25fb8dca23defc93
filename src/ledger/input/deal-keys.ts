import { type RawBuilder, sql } from 'kysely';
import { type Transaction } from '../../platform/database/unit-of-work.js';

/** The deal of a deal key: that of the event, or of the refund to which the event belongs. */
export function dealOfKeyColumn(key: RawBuilder<unknown>): RawBuilder<string> {
  return sql`regexp_replace(${key}, '^refund:(.*):[^:]*$', '\\1')`;
}

/** Whether the key is that of a refund. */
export function isRefundKeyColumn(key: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql`starts_with(${key}, 'refund:')`;
}

/** The key of the deal, and those of the refunds that it has or had. */
export function keysOfDeal(tx: Transaction, deal: string | RawBuilder<string>): RawBuilder<string[]> {
  const dealId = typeof deal === 'string' ? sql`${deal}::text` : deal;
  return sql`array(
    select ${dealId} union
    select 'refund:' || deal_id || ':' || refund_id from deal_refund_history
    where workspace_id = ${tx.workspaceId} and deal_id = ${dealId})`;
}
