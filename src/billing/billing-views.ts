import { sql } from 'kysely';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type Subscription } from './subscription-tier.js';

interface StoredSubscription extends Subscription {
  readonly customerId: string;
}

/** All subscriptions of the workspace, of any customer. */
export async function listSubscriptions(tx: Transaction): Promise<StoredSubscription[]> {
  const rows = await tx.db
    .selectFrom('billing_subscriptions')
    .select(['customer_id', 'subscription_id', 'status', 'tier', 'seats', 'past_due_since'])
    .where('workspace_id', '=', tx.workspaceId)
    .orderBy('customer_id')
    .orderBy('subscription_id')
    .execute();
  return rows.map((row) => ({
    customerId: row.customer_id,
    subscriptionId: row.subscription_id,
    status: row.status,
    tier: row.tier,
    seats: row.seats,
    pastDueSince: row.past_due_since,
  }));
}

/** Selects the subscriptions that a checkout for another workspace created, and no checkout for this one. */
export async function boundElsewhere(
  tx: Transaction,
  subscriptionIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ id: string }>`
    select id from bound_elsewhere(${subscriptionIds}::text[], ${tx.workspaceId}::uuid) as bound (id)`.execute(tx.db);
  return new Set(rows.map(({ id }) => id));
}
