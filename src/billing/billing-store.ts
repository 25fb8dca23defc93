import { type Work } from '../platform/database/unit-of-work.js';
import { type Subscription } from './subscription-tier.js';

/** Links the customer to the workspace. Idempotent. */
export async function linkCustomer(trx: Work, workspaceId: string, customerId: string): Promise<void> {
  await trx
    .insertInto('billing_customers')
    .values({ workspace_id: workspaceId, customer_id: customerId })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await trx
    .insertInto('inbound_routes')
    .values({ workspace_id: workspaceId, source: 'billing', route: customerId, secret: null })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Notes that a checkout for the workspace created the subscription. Idempotent. */
export async function bindSubscription(trx: Work, workspaceId: string, subscriptionId: string): Promise<void> {
  await trx
    .insertInto('billing_bindings')
    .values({ workspace_id: workspaceId, subscription_id: subscriptionId })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Removes a customer that the provider no longer has. */
export async function unlinkCustomer(trx: Work, workspaceId: string, customerId: string): Promise<void> {
  await trx
    .deleteFrom('inbound_routes')
    .where('workspace_id', '=', workspaceId)
    .where('source', '=', 'billing')
    .where('route', '=', customerId)
    .execute();
  await trx
    .deleteFrom('billing_customers')
    .where('workspace_id', '=', workspaceId)
    .where('customer_id', '=', customerId)
    .execute();
}

/** Replaces the customer's subscriptions and schedules the next query. */
export async function saveSubscriptions(
  trx: Work,
  owner: { readonly workspaceId: string; readonly customerId: string },
  subscriptions: readonly Subscription[],
  { fetchedAt, checkAt }: { readonly fetchedAt: Date; readonly checkAt: Date },
): Promise<void> {
  const key = { workspace_id: owner.workspaceId, customer_id: owner.customerId };
  await trx
    .deleteFrom('billing_subscriptions')
    .where('workspace_id', '=', owner.workspaceId)
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
  if (rows.length > 0) await trx.insertInto('billing_subscriptions').values(rows).execute();
  await checkCustomers(trx, owner.workspaceId, [owner.customerId], checkAt);
}

/** Schedules a query of the customers at that time. */
export async function checkCustomers(
  trx: Work,
  workspaceId: string,
  customerIds: readonly string[],
  checkAt: Date,
): Promise<void> {
  await trx
    .updateTable('billing_customers')
    .set({ check_at: checkAt })
    .where('workspace_id', '=', workspaceId)
    .where('customer_id', 'in', customerIds)
    .execute();
}
