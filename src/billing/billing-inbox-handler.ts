import { changeSeats, changeTier, findEntitlement } from '../access/workspaces/change-tier.js';
import { recordAuditEntry } from '../audit/audit-entry.js';
import { type Clock } from '../kernel/clock.js';
import { groupBy } from '../kernel/group-by.js';
import { isUuid } from '../kernel/ids.js';
import { type Transaction, type UnitOfWork } from '../platform/database/unit-of-work.js';
import {
  type InboxBatch,
  type InboxHandler,
  markProcessed,
  type PendingMessage,
  RetryLater,
} from '../platform/inbox/inbox-runner.js';
import { type Log } from '../platform/log.js';
import { type BillingProvider, type ProviderCustomer, type ProviderSubscription } from './billing-provider.js';
import { checkCustomers, saveSubscriptions, unlinkCustomer } from './billing-store.js';
import { boundElsewhere, listSubscriptions } from './billing-views.js';
import { BillingUnavailable } from './stripe-client.js';
import {
  countSeats,
  entitledSeats,
  entitledTier,
  findTier,
  graceEnd,
  isLate,
  isUnclear,
  type PriceTiers,
  type Subscription,
} from './subscription-tier.js';

export interface BillingTerms {
  readonly graceDays: number;
  readonly priceTiers: PriceTiers;
}

/** Lost events are found within this time. */
const checkEveryMs = 24 * 60 * 60_000;
const actor = 'billing';

/**
 * Processes provider events: reads each customer's present state from the provider and sets the workspace's tier
 * from it. Order, delay and repetition of events do not matter.
 */
export class BillingInboxHandler implements InboxHandler {
  readonly sources = ['billing'] as const;

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly provider: BillingProvider | null,
    private readonly terms: BillingTerms,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  async handle(batch: InboxBatch): Promise<void> {
    for (const [customerId, messages] of groupBy(batch.messages, (message) => message.subject)) {
      const fetchedAt = this.clock.now();
      const customer = await this.fetchCustomer(customerId);
      await this.unitOfWork.write(batch, async (tx) => {
        await batch.lease.assertHeld(tx);
        await this.apply(tx, { customerId, customer, fetchedAt });
        await markProcessed(tx, batch, messages, 'done');
      });
    }
  }

  /** The tier stays, and the provider is queried again a day later. */
  async deadLetter(
    tx: Transaction,
    { messages }: { readonly messages: readonly PendingMessage[] },
    reason: string,
  ): Promise<void> {
    const customers = [...new Set(messages.map((message) => message.subject))];
    await checkCustomers(tx, customers, this.inADay());
    const details = { customers, reason };
    await recordAuditEntry(tx, { actor }, { trigger: 'billing_event', scope: 'workspace', outcome: 'failed', details });
  }

  private async fetchCustomer(customerId: string): Promise<ProviderCustomer> {
    if (this.provider === null) throw new RetryLater('no billing provider is configured', null);
    try {
      return await this.provider.customer(customerId);
    } catch (error) {
      if (error instanceof BillingUnavailable)
        throw new RetryLater(error.message, error.retryAfterMs, { cause: error });
      throw error;
    }
  }

  private async apply(
    tx: Transaction,
    fetched: { readonly customerId: string; readonly customer: ProviderCustomer; readonly fetchedAt: Date },
  ): Promise<void> {
    const { customerId, customer, fetchedAt } = fetched;
    const before = await listSubscriptions(tx);
    const own = await ownSubscriptions(tx, customer);
    const now = this.read(own, { before, fetchedAt });
    if (customer.isDeleted) await unlinkCustomer(tx, customerId);
    else
      await saveSubscriptions(tx, { customerId }, now, {
        fetchedAt,
        checkAt: this.nextCheck(now),
      });
    const others = before.filter((subscription) => subscription.customerId !== customerId);
    await this.updateTier(tx, customerId, [...others, ...now]);
  }

  private read(
    own: readonly ProviderSubscription[],
    { before, fetchedAt }: { readonly before: readonly Subscription[]; readonly fetchedAt: Date },
  ): Subscription[] {
    return own.map(({ subscriptionId, status, items }) => {
      const known = before.find((subscription) => subscription.subscriptionId === subscriptionId);
      const pastDueSince = isLate(status) ? (known?.pastDueSince ?? fetchedAt) : null;
      const tier = findTier(items, this.terms.priceTiers);
      return { subscriptionId, status, tier, seats: countSeats(items), pastDueSince };
    });
  }

  private async updateTier(tx: Transaction, customerId: string, subscriptions: readonly Subscription[]): Promise<void> {
    for (const { subscriptionId, status } of subscriptions.filter(isUnclear))
      this.log.warn(
        { workspaceId: tx.workspaceId, subscriptionId, status },
        'unknown tier of a subscription; the tier of the workspace does not change',
      );
    const before = await findEntitlement(tx);
    if (before === undefined) return;
    const { tier: from, seats } = before;
    const terms = { now: this.clock.now(), graceDays: this.terms.graceDays };
    const to = entitledTier(subscriptions, from, terms);
    const paidSeats = entitledSeats(subscriptions, seats, { tier: to, ...terms });
    if (paidSeats !== seats) await changeSeats(tx, { actor }, { from: seats, to: paidSeats });
    if (to === from) return;
    const details = {
      customerId,
      subscriptions: subscriptions.map(({ subscriptionId, status }) => ({ subscriptionId, status })),
    };
    await changeTier(tx, { actor }, { from, to, details });
  }

  private nextCheck(subscriptions: readonly Subscription[]): Date {
    const now = this.clock.now();
    const ends = subscriptions
      .flatMap(({ pastDueSince }) => (pastDueSince === null ? [] : graceEnd(pastDueSince, this.terms.graceDays)))
      .filter((end) => end > now);
    return new Date(Math.min(...[this.inADay(), ...ends].map(Number)));
  }

  private inADay(): Date {
    return new Date(this.clock.now().getTime() + checkEveryMs);
  }
}

/**
 * The customer's subscriptions that belong to this workspace; a customer may pay for several. A subscription belongs to
 * the workspace that its metadata names, otherwise to the one whose checkout created it, otherwise to each workspace of
 * the customer.
 */
async function ownSubscriptions(tx: Transaction, { subscriptions }: ProviderCustomer): Promise<ProviderSubscription[]> {
  const names = (named: string | null) => (named !== null && isUuid(named) ? named.toLowerCase() : null);
  const unnamed = subscriptions.filter((subscription) => names(subscription.workspaceId) === null);
  const others = await boundElsewhere(
    tx,
    unnamed.map((subscription) => subscription.subscriptionId),
  );
  return subscriptions.filter((subscription) => {
    const named = names(subscription.workspaceId);
    return named === null ? !others.has(subscription.subscriptionId) : named === tx.workspaceId;
  });
}
