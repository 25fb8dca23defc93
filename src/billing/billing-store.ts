import { type Transaction } from '../platform/database/unit-of-work.js';
import { type Subscription } from './subscription-tier.js';

/** Links the customer to the workspace. Idempotent. */
export async function linkCustomer(tx: Transaction, customerId: string): Promise<void> {
  await tx.db
    .insertInto('billing_customers')
    .values({ workspace_id: tx.workspaceId, customer_id: customerId })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await tx.db
    .insertInto('inbound_routes')
    .values({ workspace_id: tx.workspaceId, source: 'billing', route: customerId, secret: null })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Notes that a checkout for the workspace created the subscription. Idempotent. */
export async function bindSubscription(tx: Transaction, subscriptionId: string): Promise<void> {
  await tx.db
    .insertInto('billing_bindings')
    .values({ workspace_id: tx.workspaceId, subscription_id: subscriptionId })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Removes a customer that the provider no longer has. */
export async function unlinkCustomer(tx: Transaction, customerId: string): Promise<void> {
  await tx.db
    .deleteFrom('inbound_routes')
    .where('workspace_id', '=', tx.workspaceId)
    .where('source', '=', 'billing')
    .where('route', '=', customerId)
    .execute();
  await tx.db
    .deleteFrom('billing_customers')
    .where('workspace_id', '=', tx.workspaceId)
    .where('customer_id', '=', customerId)
    .execute();
}

/** Replaces the customer's subscriptions and schedules the next query. */
export async function saveSubscriptions(
  tx: Transaction,
  owner: { readonly customerId: string },
  subscriptions: readonly Subscription[],
  { fetchedAt, checkAt }: { readonly fetchedAt: Date; readonly checkAt: Date },
): Promise<void> {
  const key = { workspace_id: tx.workspaceId, customer_id: owner.customerId };
  await tx.db
    .deleteFrom('billing_subscriptions')
    .where('workspace_id', '=', tx.workspaceId)
    .where('customer_id', '=', owner.customerId)
    .execute();
  const rows = subscriptions.map(({ subscriptionId, status, tier, seats, pastDueSince }) => ({
    ...key,
    subscription_id: subscriptionId,
    status,
    tier,
    seats,
    past_due_since: pastDueSince,
    fetched_at: fetchedAt,
  }));
  if (rows.length > 0) await tx.db.insertInto('billing_subscriptions').values(rows).execute();
  await checkCustomers(tx, [owner.customerId], checkAt);
}

/** Schedules a query of the customers at that time. */
export async function checkCustomers(tx: Transaction, customerIds: readonly string[], checkAt: Date): Promise<void> {
  await tx.db
    .updateTable('billing_customers')
    .set({ check_at: checkAt })
    .where('workspace_id', '=', tx.workspaceId)
    .where('customer_id', 'in', customerIds)
    .execute();
}
