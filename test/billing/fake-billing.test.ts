import { expect } from 'chai';
import Stripe from 'stripe';
import { FakeBilling, tooManyRequests } from '#fakes/fake-billing.js';

describe('the fake billing provider, used through the client of the vendor', () => {
  let billing: FakeBilling;
  let stripe: Stripe;

  beforeEach(async () => {
    billing = await FakeBilling.start();
    const { port } = new URL(billing.url);
    stripe = new Stripe(billing.apiKey, { host: '127.0.0.1', port, protocol: 'http', telemetry: false });
  });

  afterEach(() => billing.stop());

  it('returns subscriptions, with expanded products on request', async () => {
    billing.addPrice({ id: 'price_pro', lookupKey: 'pro_monthly', productTier: 'pro' });
    const { customer, subscription } = billing.checkout('some-workspace', ['price_pro']);
    const plain = await stripe.subscriptions.retrieve(subscription);
    expect(plain).to.include({ status: 'active', customer });
    expect(plain.items.data[0]?.price.product).to.equal('prod_price_pro');
    const expanded = await stripe.subscriptions.retrieve(subscription, { expand: ['items.data.price.product'] });
    expect(expanded.items.data[0]?.price.product).to.deep.include({ object: 'product', metadata: { tier: 'pro' } });
  });

  it('lists active subscriptions page by page, and events newest first', async () => {
    const customer = billing.addCustomer();
    const ids = Array.from({ length: 7 }, () => billing.subscribe(customer, ['price_x']));
    billing.cancel(ids[3] as string);
    const listed: string[] = [];
    for await (const { id } of stripe.subscriptions.list({ customer, limit: 2 })) listed.push(id);
    expect(listed)
      .to.have.members(ids.filter((id) => id !== ids[3]))
      .and.to.have.length(6);
    const events: string[] = [];
    for await (const { id } of stripe.events.list({ types: ['customer.subscription.deleted'], limit: 1 }))
      events.push(id);
    expect(events).to.deep.equal([billing.events.at(-1)?.id]);
    expect((await stripe.events.list({ created: { gte: Math.floor(Date.now() / 1000) + 60 } })).data).to.deep.equal([]);
  });

  it('returns the objects to which thin events refer, and signs these so that the client accepts them', async () => {
    billing.checkout('some-workspace', ['price_x']);
    billing.deleteCustomer(billing.addCustomer());
    const read: Readonly<Record<string, (id: string) => Promise<{ readonly id: string }>>> = {
      subscription: (id) => stripe.subscriptions.retrieve(id),
      'checkout.session': (id) => stripe.checkout.sessions.retrieve(id),
      invoice: (id) => stripe.invoices.retrieve(id),
      customer: (id) => stripe.customers.retrieve(id),
    };
    for (const event of billing.events) {
      const body = JSON.stringify(billing.thin(event));
      const notification = stripe.parseEventNotification(body, billing.sign(body), billing.webhookSecret);
      const { type, related_object: related } = notification as Stripe.V2.Core.EventNotification & {
        readonly related_object: { readonly id: string; readonly type: string };
      };
      expect(type).to.equal(`v1.${event.type}`);
      expect((await read[related.type]?.(related.id))?.id).to.equal(related.id);
    }
    expect(() => stripe.parseEventNotification('{}', billing.sign('[]'), billing.webhookSecret)).to.throw('signature');
  });

  it('returns a deleted customer as deleted', async () => {
    const customer = billing.addCustomer();
    billing.deleteCustomer(customer);
    expect((await stripe.customers.retrieve(customer)).deleted).to.equal(true);
  });

  it('returns the error responses of the vendor', async () => {
    expect(await codeOf(stripe.subscriptions.retrieve('sub_none'))).to.equal('resource_missing');
    const stranger = new Stripe('sk_test_other', {
      host: '127.0.0.1',
      port: new URL(billing.url).port,
      protocol: 'http',
    });
    const rejected = await stranger.customers.list().catch((error: unknown) => error);
    expect(rejected).to.be.instanceOf(Stripe.errors.StripeAuthenticationError);
  });

  it('lets clients retry a failed request only if its response allows it', async () => {
    const customer = billing.addCustomer();
    let end = billing.server.fault({ on: /customers/, times: 1, answer: tooManyRequests(true) });
    expect((await stripe.customers.retrieve(customer)).id).to.equal(customer);
    end();
    end = billing.server.fault({ on: /customers/, times: 1, answer: tooManyRequests(false) });
    expect(await codeOf(stripe.customers.retrieve(customer))).to.equal('rate_limit');
    end();
  });

  it('signs deliveries so that the client accepts them, also with two secrets', async () => {
    billing.checkout('some-workspace', ['price_x']);
    const [delivery] = billing.deliveries('http://127.0.0.1:9').take();
    const header = delivery?.headers['Stripe-Signature'] as string;
    expect(Stripe.webhooks.constructEvent(delivery?.body as string, header, billing.webhookSecret).type).to.equal(
      'customer.subscription.created',
    );
    billing.nextWebhookSecret = 'whsec_next';
    const both = billing.sign('{}');
    for (const secret of [billing.webhookSecret, 'whsec_next'])
      expect(() => Stripe.webhooks.constructEvent('{}', both, secret)).to.not.throw();
    expect(() => Stripe.webhooks.constructEvent('{}', billing.sign('{}', 301), billing.webhookSecret)).to.throw();
  });

  function codeOf(work: Promise<unknown>): Promise<string> {
    return work.then(
      () => 'no error',
      (error: { code?: string }) => error.code ?? 'no code',
    );
  }
});
