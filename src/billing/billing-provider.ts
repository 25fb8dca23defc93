import { type Stripe } from 'stripe';
import { type BillingEvent, billingEventTypes, readBillingEvent, type ThinEvent } from './billing-event.js';
import { type StripeSettings, stripeClient, withStripeErrors } from './stripe-client.js';
import { collectionPaused, type PricedItem } from './subscription-tier.js';

/** A subscription in the provider's terms. */
export interface ProviderSubscription {
  readonly subscriptionId: string;
  readonly status: string;
  /** Workspace id from the metadata, as text; null if the subscription belongs to the customer as a whole. */
  readonly workspaceId: string | null;
  readonly items: readonly PricedItem[];
}

export interface ProviderCustomer {
  readonly isDeleted: boolean;
  /** Contains only subscriptions that have not ended. */
  readonly subscriptions: readonly ProviderSubscription[];
}

const pageSize = 100;

/**
 * The part of the billing provider's API that shows who has paid for what. The library is loaded at the first
 * request: most installations have no provider, and start-up would take a tenth longer.
 */
export class BillingProvider {
  private stripe: Promise<Stripe> | null = null;

  constructor(private readonly settings: StripeSettings) {}

  async customer(customerId: string): Promise<ProviderCustomer> {
    return withStripeErrors(async () => {
      const stripe = await this.client();
      const subscriptions: ProviderSubscription[] = [];
      for await (const listed of stripe.subscriptions.list({ customer: customerId, limit: pageSize }))
        subscriptions.push(await priced(stripe, listed));
      if (subscriptions.length > 0) return { isDeleted: false, subscriptions };
      const customer = await stripe.customers.retrieve(customerId);
      return { isDeleted: customer.deleted === true, subscriptions };
    });
  }

  /** Events since then that can change what a customer has, newest first. The provider stores them for 30 days. */
  async eventsSince(since: Date): Promise<BillingEvent[]> {
    return withStripeErrors(async () => {
      const stripe = await this.client();
      const found: BillingEvent[] = [];
      const created = { gte: Math.floor(since.getTime() / 1000) };
      for await (const json of stripe.events.list({ types: [...billingEventTypes], created, limit: pageSize })) {
        const event = readBillingEvent(json);
        if (event !== null && event !== 'ignored') found.push(event);
      }
      return found;
    });
  }

  /** The event with its object as it is now; `ignored` if the object is of a kind that no event contains. */
  async completeEvent({ eventId, type, objectId, objectType }: ThinEvent): Promise<BillingEvent | 'ignored'> {
    return withStripeErrors(async () => {
      const object = await retrieve(await this.client(), objectType, objectId);
      if (object === null) return 'ignored';
      return readBillingEvent({ id: eventId, type, data: { object } }) ?? 'ignored';
    });
  }

  private client(): Promise<Stripe> {
    this.stripe ??= stripeClient(this.settings);
    return this.stripe;
  }
}

/** Requests the object that a thin event names. */
async function retrieve(stripe: Stripe, type: string, id: string): Promise<object | null> {
  switch (type) {
    case 'checkout.session':
      return stripe.checkout.sessions.retrieve(id);
    case 'subscription':
      return stripe.subscriptions.retrieve(id);
    case 'customer':
      return stripe.customers.retrieve(id);
    case 'invoice':
      return stripe.invoices.retrieve(id);
    default:
      return null;
  }
}

/** Products cannot be expanded in a list: they are nested one level too deep. */
async function priced(stripe: Stripe, { id }: Stripe.Subscription): Promise<ProviderSubscription> {
  const subscription = await stripe.subscriptions.retrieve(id, { expand: ['items.data.price.product'] });
  const { status, metadata, items, pause_collection: paused } = subscription;
  const isActive = status === 'active' || status === 'trialing';
  return {
    subscriptionId: id,
    status: paused !== null && paused !== undefined && isActive ? collectionPaused : status,
    workspaceId: metadata['workspace_id'] ?? null,
    items: items.data.map(({ price, quantity }) => ({
      priceId: price.id,
      lookupKey: price.lookup_key,
      priceTier: price.metadata['tier'],
      seats: price.metadata['seats'] === 'quantity' ? (quantity ?? 0) : null,
      productTier:
        typeof price.product === 'string' || price.product.deleted ? undefined : price.product.metadata['tier'],
    })),
  };
}
