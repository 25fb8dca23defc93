import { type Request, type Response } from 'express';
import Stripe from 'stripe';
import { Deliveries } from './deliveries.js';
import { FakeServer, type FakeServerOptions } from './fake-server.js';

export interface FakeEvent {
  readonly id: string;
  readonly object: 'event';
  readonly type: string;
  readonly created: number;
  readonly api_version: string;
  readonly livemode: boolean;
  readonly pending_webhooks: number;
  readonly request: null;
  readonly data: { readonly object: Readonly<Record<string, unknown>> };
}

interface FakePrice {
  readonly id: string;
  readonly lookup_key: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly product: { readonly id: string; readonly metadata: Readonly<Record<string, string>> };
}

interface FakeSubscription {
  readonly id: string;
  readonly customer: string;
  readonly status: string;
  readonly prices: readonly string[];
  readonly metadata: Readonly<Record<string, string>>;
  readonly created: number;
  readonly quantity: number;
  readonly pause_collection: { readonly behavior: 'void'; readonly resumes_at: null } | null;
}

type FakeInvoice = Readonly<Record<string, unknown>> & { readonly id: string };

interface FakeDispute {
  readonly id: string;
  readonly object: 'dispute';
  readonly amount: number;
  readonly created: number;
  readonly currency: string;
  readonly charge: string;
  readonly payment_intent: string;
  readonly status: string;
}

/** An invoice of the account to one of its customers, in minor units, with the instants of what was paid. */
interface SentInvoice {
  readonly total: number;
  readonly net?: number;
  readonly currency?: string;
  readonly status?: string;
  readonly created: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly payments?: readonly { readonly amount: number; readonly at: string }[];
  /** What was paid in addition to the payments, outside of the provider. */
  readonly outside?: { readonly amount: number; readonly at: string };
}

/** An event without the object, which the receiver reads from the provider. */
interface FakeThinEvent {
  readonly id: string;
  readonly object: 'v2.core.event';
  readonly type: string;
  readonly created: string;
  readonly livemode: boolean;
  readonly related_object: { readonly id: string; readonly type: string; readonly url: string };
}

interface Page {
  readonly limit: number;
  readonly startingAfter: string | undefined;
}

const apiVersion = '2026-10-28.endive';

/** Simulates the billing provider. */
export class FakeBilling {
  readonly server: FakeServer;
  readonly apiKey = 'sk_test_fake';
  readonly webhookSecret = 'whsec_test_secret';
  /** A second secret during a rotation: deliveries are signed with both. */
  nextWebhookSecret: string | null = null;
  /** The oldest event is the first. */
  readonly events: FakeEvent[] = [];
  private readonly prices = new Map<string, FakePrice>();
  private readonly customers = new Map<string, { readonly id: string; readonly deleted: boolean }>();
  private readonly subscriptions = new Map<string, FakeSubscription>();
  private readonly sessions = new Map<string, Readonly<Record<string, unknown>>>();
  private readonly invoices = new Map<string, FakeInvoice>();
  private readonly disputes: FakeDispute[] = [];
  private numbered = 0;

  private constructor(options: FakeServerOptions) {
    this.server = new FakeServer(options);
    this.mount();
  }

  static async start(options: FakeServerOptions = {}): Promise<FakeBilling> {
    const billing = new FakeBilling(options);
    await billing.server.start();
    return billing;
  }

  stop(): Promise<void> {
    return this.server.stop();
  }

  get environment() {
    return {
      BILLING_API_KEY: this.apiKey,
      BILLING_API_BASE: this.url,
      BILLING_WEBHOOK_SECRET: this.webhookSecret,
    };
  }

  get url(): string {
    return this.server.url;
  }

  addPrice(price: {
    readonly id: string;
    readonly lookupKey?: string;
    readonly tier?: string;
    readonly productTier?: string;
    /** The quantity of an item is its number of seats. */
    readonly countsSeats?: boolean;
  }): string {
    this.prices.set(price.id, {
      id: price.id,
      lookup_key: price.lookupKey ?? null,
      metadata: { ...tierIn(price.tier), ...(price.countsSeats === true ? { seats: 'quantity' } : {}) },
      product: { id: `prod_${price.id}`, metadata: tierIn(price.productTier) },
    });
    return price.id;
  }

  addCustomer(): string {
    const id = this.newId('cus');
    this.customers.set(id, { id, deleted: false });
    return id;
  }

  subscribe(
    customer: string,
    prices: readonly string[],
    {
      status = 'active',
      metadata = {},
      quantity = 1,
    }: { status?: string; metadata?: Readonly<Record<string, string>>; quantity?: number } = {},
  ): string {
    const id = this.newId('sub');
    const created = this.seconds();
    this.subscriptions.set(id, { id, customer, status, prices, metadata, created, quantity, pause_collection: null });
    this.notify('customer.subscription.created', this.subscription(id, false));
    return id;
  }

  change(id: string, change: Partial<Omit<FakeSubscription, 'id' | 'customer' | 'created'>>): void {
    const before = this.existing(id);
    this.subscriptions.set(id, { ...before, ...change });
    this.notify(
      change.status === 'canceled' ? 'customer.subscription.deleted' : 'customer.subscription.updated',
      this.subscription(id, false),
    );
  }

  cancel(id: string): void {
    this.change(id, { status: 'canceled' });
  }

  /** A customer pays on the provider's page, which names the workspace in the reference and in the metadata. */
  checkout(
    workspaceId: string | null,
    prices: readonly string[],
    {
      customer = this.addCustomer(),
      metadata = workspaceId === null ? {} : { workspace_id: workspaceId },
      quantity = 1,
    }: { customer?: string; metadata?: Readonly<Record<string, string>>; quantity?: number } = {},
  ): { readonly customer: string; readonly subscription: string; readonly session: string } {
    const subscription = this.subscribe(customer, prices, { quantity });
    const session = this.newId('cs');
    const invoice = {
      id: this.newId('in'),
      object: 'invoice',
      customer,
      status: 'paid',
      parent: { type: 'subscription_details', subscription_details: { subscription, metadata: {} } },
    };
    this.invoices.set(invoice.id, invoice);
    this.notify('invoice.paid', invoice);
    const completed = {
      id: session,
      object: 'checkout.session',
      mode: 'subscription',
      status: 'complete',
      client_reference_id: workspaceId,
      customer,
      subscription,
      metadata,
    };
    this.sessions.set(session, completed);
    this.notify('checkout.session.completed', completed);
    return { customer, subscription, session };
  }

  /** Stores an invoice of the account, in place of the one with the id. */
  sendInvoice(
    {
      total,
      net = total,
      currency = 'usd',
      status = 'open',
      created,
      metadata = {},
      payments = [],
      outside,
    }: SentInvoice,
    id = this.newId('in'),
  ): string {
    const finalizedAt = seconds(created);
    const paid = payments.map(({ amount, at }, index) => ({
      id: `inpay_${id}_${index}`,
      object: 'invoice_payment',
      amount_paid: amount,
      amount_requested: amount,
      created: seconds(at),
      currency,
      invoice: id,
      status: 'paid',
      status_transitions: { paid_at: seconds(at), canceled_at: null },
      payment: { type: 'payment_intent', payment_intent: `pi_${id}_${index}` },
    }));
    const amountPaid = paid.reduce((sum, { amount_paid: amount }) => sum + amount, outside?.amount ?? 0);
    const url = `/v1/invoice_payments?invoice=${id}`;
    this.invoices.set(id, {
      id,
      object: 'invoice',
      created: finalizedAt,
      currency,
      status,
      metadata,
      total,
      total_excluding_tax: net,
      amount_paid: amountPaid,
      status_transitions: { finalized_at: finalizedAt, paid_at: outside === undefined ? null : seconds(outside.at) },
      all_payments: paid,
      payments: { object: 'list', url, data: paid.slice(0, 10), has_more: paid.length > 10 },
    });
    return id;
  }

  /** The customer disputes a payment of the invoice. */
  dispute(invoiceId: string, index: number, amount: number, at: string, status = 'needs_response'): void {
    const payment = `pi_${invoiceId}_${index}`;
    const named = { id: this.newId('dp'), object: 'dispute', charge: `ch_${invoiceId}_${index}` } as const;
    this.disputes.push({ ...named, amount, created: seconds(at), currency: 'usd', payment_intent: payment, status });
  }

  /** What the provider sends instead of the event to a receiver of thin events. */
  thin(event: FakeEvent): FakeThinEvent {
    const { id: objectId, object } = event.data.object as { readonly id: string; readonly object: string };
    const collection = object === 'checkout.session' ? 'checkout/sessions' : `${object}s`;
    return {
      id: event.id,
      object: 'v2.core.event',
      type: `v1.${event.type}`,
      created: new Date(event.created * 1000).toISOString(),
      livemode: false,
      related_object: { id: objectId, type: object, url: `/v1/${collection}/${objectId}` },
    };
  }

  deleteCustomer(id: string): void {
    for (const subscription of this.subscriptions.values())
      if (subscription.customer === id && subscription.status !== 'canceled') this.cancel(subscription.id);
    this.customers.set(id, { id, deleted: true });
    this.notify('customer.deleted', { id, object: 'customer' });
  }

  /** Events since the last call, for delivery. The list of events retains them. */
  deliveries(targetUrl: string): Deliveries<FakeEvent> {
    const pending = new Deliveries<FakeEvent>(([event]) => {
      const body = JSON.stringify(event);
      return { targetUrl, headers: { 'Stripe-Signature': this.sign(body) }, body };
    });
    pending.add(...this.events);
    return pending;
  }

  /** The signature header of a body. `ageSeconds` makes it old, or future when negative. */
  sign(body: string, ageSeconds = 0): string {
    const timestamp = this.seconds() - ageSeconds;
    const secrets = [this.webhookSecret, ...(this.nextWebhookSecret === null ? [] : [this.nextWebhookSecret])];
    const headers = secrets.map((secret) =>
      Stripe.webhooks.generateTestHeaderString({ payload: body, secret, timestamp }),
    );
    return [`t=${timestamp}`, ...headers.map((header) => header.slice(header.indexOf('v1=')))].join(',');
  }

  private notify(type: string, object: Readonly<Record<string, unknown>>): void {
    this.events.push({
      id: this.newId('evt'),
      object: 'event',
      type,
      created: this.seconds(),
      api_version: apiVersion,
      livemode: false,
      pending_webhooks: 1,
      request: null,
      data: { object },
    });
  }

  private mount(): void {
    const { app } = this.server;
    app.use('/v1', (request, response, next) => {
      response.setHeader('Request-Id', this.newId('req'));
      if (request.headers.authorization === `Bearer ${this.apiKey}`) return next();
      sendError(response, 401, { type: 'invalid_request_error', message: 'Invalid API Key provided' });
    });
    app.get('/v1/subscriptions', (request, response) => this.listSubscriptions(request, response));
    app.get('/v1/subscriptions/:id', (request, response) => {
      if (!this.subscriptions.has(request.params.id)) return missing(response, 'subscription', 404);
      const expanded = readQuery(request).getAll('expand[0]').includes('items.data.price.product');
      response.json(this.subscription(request.params.id, expanded));
    });
    app.get('/v1/customers/:id', (request, response) => {
      const customer = this.customers.get(request.params.id);
      if (customer === undefined) return missing(response, 'customer', 404);
      response.json({
        id: customer.id,
        object: 'customer',
        ...(customer.deleted ? { deleted: true } : { metadata: {} }),
      });
    });
    for (const [path, what, objects] of [
      ['checkout/sessions', 'checkout.session', this.sessions],
      ['invoices', 'invoice', this.invoices],
    ] as const)
      app.get(`/v1/${path}/:id`, (request, response) => {
        const object = objects.get(String(request.params['id']));
        if (object === undefined) return missing(response, what, 404);
        response.json(object);
      });
    app.get('/v1/invoices', (request, response) => {
      const query = readQuery(request);
      const hasPayments = [...query.values()].includes('data.payments');
      const since = Number(query.get('created[gte]') ?? 0);
      const found = [...this.invoices.values()]
        .filter(({ created }) => Number(created) >= since)
        .sort((a, b) => Number(b['created']) - Number(a['created']))
        .map(({ all_payments: _, payments, ...invoice }) => (hasPayments ? { ...invoice, payments } : invoice));
      sendList(response, '/v1/invoices', found as { id: string }[], pageIn(query));
    });
    app.get('/v1/invoice_payments', (request, response) => {
      const query = readQuery(request);
      const invoice = this.invoices.get(query.get('invoice') ?? '');
      sendList(response, '/v1/invoice_payments', (invoice?.['all_payments'] ?? []) as { id: string }[], pageIn(query));
    });
    app.get('/v1/disputes', (request, response) => {
      const query = readQuery(request);
      const since = Number(query.get('created[gte]') ?? 0);
      const found = this.disputes.filter(({ created }) => created >= since);
      sendList(response, '/v1/disputes', found.reverse(), pageIn(query));
    });
    app.get('/v1/events', (request, response) => this.listEvents(request, response));
  }

  private listSubscriptions(request: Request, response: Response): void {
    const query = readQuery(request);
    const customer = query.get('customer');
    if (customer !== null && !this.customers.has(customer)) return missing(response, 'customer', 400);
    const status = query.get('status');
    const found = [...this.subscriptions.values()]
      .filter((subscription) => customer === null || subscription.customer === customer)
      .filter(
        (subscription) =>
          status === 'all' || (status === null ? subscription.status !== 'canceled' : subscription.status === status),
      )
      .map(({ id }) => this.subscription(id, false));
    sendList(response, '/v1/subscriptions', found.reverse(), pageIn(query));
  }

  /** The newest event is the first. */
  private listEvents(request: Request, response: Response): void {
    const query = readQuery(request);
    const types = [...query].filter(([name]) => name.startsWith('types[')).map(([, type]) => type);
    const since = Number(query.get('created[gte]') ?? 0);
    const found = this.events.filter(
      ({ type, created }) => created >= since && (types.length === 0 || types.includes(type)),
    );
    sendList(response, '/v1/events', found.reverse(), pageIn(query));
  }

  private subscription(id: string, expanded: boolean): Readonly<Record<string, unknown>> & { readonly id: string } {
    const { prices, quantity, ...subscription } = this.existing(id);
    const items = prices.map((name) => {
      const price = this.prices.get(name) ?? {
        id: name,
        lookup_key: null,
        metadata: {},
        product: { id: `prod_${name}` },
      };
      return {
        id: `si_${id}_${name}`,
        object: 'subscription_item',
        subscription: id,
        quantity,
        current_period_start: subscription.created,
        current_period_end: subscription.created + 2_592_000,
        metadata: {},
        price: {
          ...price,
          object: 'price',
          active: true,
          type: 'recurring',
          product: expanded ? { ...price.product, object: 'product' } : price.product.id,
        },
      };
    });
    const url = `/v1/subscription_items?subscription=${id}`;
    return { ...subscription, object: 'subscription', items: { object: 'list', has_more: false, url, data: items } };
  }

  private existing(id: string): FakeSubscription {
    const subscription = this.subscriptions.get(id);
    if (subscription === undefined) throw new Error(`there is no subscription ${id}`);
    return subscription;
  }

  private seconds(): number {
    return Math.floor(this.server.now() / 1000);
  }

  private newId(kind: string): string {
    this.numbered++;
    return `${kind}_fake${this.numbered}`;
  }
}

/** Seconds since 1970 of an instant in ISO 8601. */
function seconds(instant: string): number {
  return Date.parse(instant) / 1000;
}

function tierIn(tier: string | undefined): Readonly<Record<string, string>> {
  return tier === undefined ? {} : { tier };
}

function readQuery(request: Request): URLSearchParams {
  return new URL(request.originalUrl, 'http://fake').searchParams;
}

function pageIn(query: URLSearchParams): Page {
  return { limit: Number(query.get('limit') ?? 10), startingAfter: query.get('starting_after') ?? undefined };
}

function sendList(response: Response, url: string, all: readonly { readonly id: string }[], page: Page): void {
  const { limit, startingAfter } = page;
  if (!(limit >= 1 && limit <= 100))
    return sendError(response, 400, { type: 'invalid_request_error', param: 'limit', message: 'Invalid integer' });
  const start = startingAfter === undefined ? 0 : all.findIndex(({ id }) => id === startingAfter) + 1;
  const data = all.slice(start, start + limit);
  response.json({ object: 'list', url, data, has_more: start + limit < all.length });
}

function missing(response: Response, what: string, status: number): void {
  const message = `No such ${what}`;
  sendError(response, status, { type: 'invalid_request_error', code: 'resource_missing', message, param: what });
}

function sendError(response: Response, status: number, error: Readonly<Record<string, string>>): void {
  response.status(status).json({ error });
}

/** Too many requests. Only with the header does the vendor's client retry by itself. */
export function tooManyRequests(shouldRetry: boolean) {
  return (_request: Request, response: Response): void => {
    if (shouldRetry) response.setHeader('stripe-should-retry', 'true');
    sendError(response, 429, { type: 'invalid_request_error', code: 'rate_limit', message: 'Too many requests' });
  };
}
