import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { type Delivery, deliver } from '#fakes/deliveries.js';
import { FakeBilling, type FakeEvent, tooManyRequests } from '#fakes/fake-billing.js';
import { hangUp, respondWith } from '#fakes/fake-server.js';
import { start } from '#src/app/main.js';
import { BillingInboxHandler } from '#src/billing/billing-inbox-handler.js';
import { BillingIntake } from '#src/billing/billing-intake.js';
import { billingProvider, billingTerms } from '#src/billing/billing-settings.js';
import { deliveryLimitBytes } from '#src/crm/deliveries/delivery.js';
import { InboxRunner } from '#src/platform/inbox/inbox-runner.js';
import { InboxWake } from '#src/platform/inbox/inbox-wake.js';
import { JobQueue } from '#src/platform/jobs/job-queue.js';
import { Leases } from '#src/platform/jobs/leases.js';
import { createLog } from '#src/platform/log.js';
import { metrics } from '#src/platform/metrics.js';
import { expectError } from '#test/support/errors.js';
import { query } from '#test/support/ledger-checks.js';
import { Service } from '#test/support/service.js';
import { until } from '#test/support/until.js';
import { BillingSweep } from '#workers/billing-sweep.js';

const dayMs = 86_400_000;

describe('billing', () => {
  let billing: FakeBilling;
  let service: Service;
  let now: Date;
  let runner: InboxRunner;

  before(async () => {
    billing = await FakeBilling.start();
    billing.addPrice({ id: 'price_pro', lookupKey: 'pro_monthly' });
    billing.addPrice({ id: 'price_big', productTier: 'enterprise' });
    billing.addPrice({ id: 'price_mapped' });
    billing.addPrice({ id: 'price_seats', tier: 'pro', countsSeats: true });
    billing.addPrice({ id: 'price_odd', lookupKey: 'gold_monthly' });
    // Without a worker: the tests run each task themselves, on their own clock.
    service = await Service.start({ settings: environment(), worker: false });
    const { unitOfWork, config } = service.running.service;
    const queue = service.running.service.parts.resolve(JobQueue);
    const clock = { now: () => now };
    const handler = new BillingInboxHandler(
      unitOfWork,
      billingProvider(config),
      billingTerms(config),
      clock,
      createLog('silent'),
    );
    const wake = new InboxWake(queue);
    runner = new InboxRunner(unitOfWork, new Leases(unitOfWork), [handler], wake, createLog('silent'));
  });

  beforeEach(() => {
    now = new Date();
    billing.events.length = 0;
  });

  after(async () => {
    await service.stop();
    await billing.stop();
  });

  const environment = () => ({ ...billing.environment, BILLING_PRICE_TIERS: 'price_mapped:enterprise' });

  const webhook = () => `${service.url}/webhooks/billing`;

  async function workspace(tier: 'free' | 'pro' | 'enterprise' = 'free') {
    const made = await service.workspace({ tier });
    const run = () => runner.run(made.workspaceId, 'billing');
    return {
      ...made,
      run,
      deliverAndRun: async () => {
        await sendAll();
        await run();
      },
      tier: async () =>
        (await rows('select tier from workspaces where workspace_id = $1', made.workspaceId))[0]?.['tier'],
    };
  }

  function rows(text: string, ...values: unknown[]) {
    return service.sql<Record<string, unknown>>(text, ...values);
  }

  async function sendAll(): Promise<number[]> {
    const statuses = await billing.deliveries(webhook()).flush();
    billing.events.length = 0;
    return statuses;
  }

  function post(body: string, header: string | undefined): Promise<Response> {
    const headers = {
      'Content-Type': 'application/json',
      ...(header === undefined ? {} : { 'Stripe-Signature': header }),
    };
    return fetch(webhook(), { method: 'POST', headers, body });
  }

  const inboxMessagesOf = (workspaceId: string) =>
    rows(
      'select outcome, error, attempts, processed_at is not null as processed from inbox where workspace_id = $1',
      workspaceId,
    );
  const makeDue = (workspaceId: string) =>
    rows('update inbox set not_before = now() where workspace_id = $1', workspaceId);

  describe('an event', () => {
    it('of a customer who paid for a workspace sets its tier and writes an audit entry', async () => {
      const { workspaceId, run, tier, api } = await workspace();
      const { customer, subscription } = billing.checkout(workspaceId, ['price_pro']);
      // The subscription event arrives before the checkout that assigns its customer to a workspace.
      expect(await sendAll()).to.deep.equal([200, 200, 200]);
      expect(await tier()).to.equal('free');
      await run();
      expect(await tier()).to.equal('pro');
      expect((await api.expect(200, 'GET', '/v1/workspaces')).tier).to.equal('pro');
      expect(
        await rows(
          'select customer_id, subscription_id, status, tier from billing_subscriptions where workspace_id = $1',
          workspaceId,
        ),
      ).to.deep.equal([{ customer_id: customer, subscription_id: subscription, status: 'active', tier: 'pro' }]);
      const { runs } = await api.expect(200, 'GET', '/v1/workspaces/audit-logs');
      expect(runs[0]).to.include({ trigger: 'tier_changed', actor: 'billing', scope: 'workspace' });
      const [auditRun] = await rows('select details from audit_runs where run_id = $1', runs[0].runId);
      expect(auditRun?.['details']).to.deep.include({ from: 'free', to: 'pro', customerId: customer });
    });

    it('finds the workspace by the metadata of the subscription', async () => {
      const { workspaceId, deliverAndRun, tier } = await workspace();
      billing.subscribe(billing.addCustomer(), ['price_mapped'], { metadata: { workspace_id: workspaceId } });
      await deliverAndRun();
      expect(await tier()).to.equal('enterprise');
    });

    it('of an unknown customer or workspace is accepted and dropped', async () => {
      const before = await rows('select count(*)::int as count from inbox');
      billing.subscribe(billing.addCustomer(), ['price_pro']);
      billing.checkout(randomUUID(), ['price_pro']);
      billing.checkout("'; drop table workspaces; --", ['price_pro']);
      const answers = await Promise.all(
        billing
          .deliveries(webhook())
          .take()
          .map(({ body, headers }) => post(body, headers['Stripe-Signature'])),
      );
      for (const answer of answers)
        expect([answer.status, await answer.json()]).to.deep.equal([200, { accepted: 0, ignored: 1 }]);
      expect(await rows('select count(*)::int as count from inbox')).to.deep.equal(before);
    });

    it('of a checkout for no workspace is stored for the operator once, and no other event is', async () => {
      const stored = () => rows('select customer_id, reference from billing_unmatched order by received_at');
      const before = (await stored()).length;
      const count = async () => (await metrics.unmatchedPayments.get()).values[0]?.value ?? 0;
      const counted = await count();
      const nowhere = billing.checkout(null, ['price_pro']);
      const unknown = billing.checkout(randomUUID(), ['price_pro']);
      const events = [...billing.events];
      await sendAll();
      billing.events.push(...events);
      await sendAll();
      const found = (await stored()).slice(before);
      expect(found.map((row) => row['customer_id'])).to.deep.equal([nowhere.customer, unknown.customer]);
      expect(found.map((row) => row['reference'] === null)).to.deep.equal([true, false]);
      expect((await count()) - counted).to.equal(2);
    });

    it('that is thin is completed with its object from the provider', async () => {
      const { workspaceId, run, tier } = await workspace();
      billing.checkout(workspaceId, ['price_pro']);
      for (const event of billing.events.splice(0)) {
        if (event.type === 'invoice.paid') continue;
        const body = JSON.stringify(billing.thin(event));
        expect((await post(body, billing.sign(body))).status, event.type).to.equal(200);
      }
      await run();
      expect(await tier()).to.equal('pro');
    });

    it('that is thin is sent again by the provider if its object cannot be read', async () => {
      billing.checkout((await workspace()).workspaceId, ['price_pro']);
      const body = JSON.stringify(billing.thin(billing.events.at(-1) as FakeEvent));
      const end = billing.server.fault({ on: /v1/, answer: respondWith(401, { error: {} }) });
      const answer = await post(body, billing.sign(body));
      end();
      expect([answer.status, ((await answer.json()) as { code: string }).code]).to.deep.equal([
        503,
        'billing_unavailable',
      ]);
    });

    it('of an unknown kind is accepted and dropped; a malformed event is rejected', async () => {
      const odd = JSON.stringify({ id: 'evt_odd', type: 'radar.moon_phase', data: { object: {} } });
      expect(await (await post(odd, billing.sign(odd))).json()).to.deep.equal({ accepted: 0, ignored: 1 });
      for (const [body, status] of [
        ['not json', 400],
        ['{}', 400],
        ['[]', 400],
        ['{"id":"evt_1","type":"invoice.paid","data":{"object":{"customer":7}}}', 400],
      ] as const)
        expect((await post(body, billing.sign(body))).status, body).to.equal(status);
      const large = `"${'x'.repeat(deliveryLimitBytes)}"`;
      expect((await post(large, billing.sign(large))).status).to.equal(413);
    });

    it('delivered a hundred times concurrently is stored once with the same response', async () => {
      const { workspaceId, run, tier } = await workspace();
      billing.checkout(workspaceId, ['price_pro']);
      const last = billing.deliveries(webhook()).take().at(-1) as Delivery;
      const statuses = await Promise.all(Array.from({ length: 100 }, () => deliver(last)));
      expect(new Set(statuses)).to.deep.equal(new Set([200]));
      expect(await inboxMessagesOf(workspaceId)).to.have.length(1);
      await run();
      await deliver(last);
      expect((await inboxMessagesOf(workspaceId)).filter(({ processed }) => !processed)).to.deep.equal([]);
      expect(await tier()).to.equal('pro');
    });
  });

  describe('without a valid signature', () => {
    let body: string;
    let workspaceId: string;

    before(async () => {
      workspaceId = (await workspace()).workspaceId;
      billing.checkout(workspaceId, ['price_pro']);
      body = billing.deliveries(webhook()).take().at(-1)?.body as string;
    });

    it('rejects a delivery and stores nothing', async () => {
      for (const header of [undefined, billing.sign('{}')]) {
        const answer = await post(body, header);
        expect(answer.status).to.equal(401);
        expect(await answer.json()).to.deep.include({ code: 'bad_signature' });
      }
      expect(await inboxMessagesOf(workspaceId)).to.deep.equal([]);
      expect(await rows('select 1 from billing_customers where workspace_id = $1', workspaceId)).to.deep.equal([]);
    });

    it('accepts one of the two signatures that the provider sends during secret rotation', async () => {
      billing.nextWebhookSecret = 'whsec_next';
      expect((await post(body, billing.sign(body))).status).to.equal(200);
      billing.nextWebhookSecret = null;
      expect(await inboxMessagesOf(workspaceId)).to.have.length(1);
    });

    it('rejects every delivery while no secret is configured', async () => {
      const bare = await Service.start();
      const unsigned = await fetch(`${bare.url}/webhooks/billing`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'Stripe-Signature': billing.sign(body) },
        body,
      });
      expect([unsigned.status, ((await unsigned.json()) as { code: string }).code]).to.deep.equal([
        401,
        'bad_signature',
      ]);
      await bare.stop();
    });
  });

  describe('the tier of a workspace', () => {
    it('follows the current state at the provider and not the content of the event', async () => {
      const { workspaceId, deliverAndRun, tier } = await workspace();
      const { subscription } = billing.checkout(workspaceId, ['price_big']);
      await sendAll();
      billing.cancel(subscription);
      const [cancelled] = billing.events.splice(0);
      billing.change(subscription, { status: 'active', prices: ['price_pro'] });
      // The cancellation arrives after the later renewal.
      billing.events.push(cancelled as FakeEvent);
      await deliverAndRun();
      expect(await tier()).to.equal('pro');
    });

    it('is free after the subscription has ended, and no rep is deactivated', async () => {
      const { workspaceId, deliverAndRun, tier, api } = await workspace();
      const { subscription } = billing.checkout(workspaceId, ['price_pro']);
      await deliverAndRun();
      await api.saveReps(...Array.from({ length: 13 }, (_, index) => `P${index}`));
      billing.cancel(subscription);
      await deliverAndRun();
      expect(await tier()).to.equal('free');
      const { reps } = await api.expect(200, 'GET', '/v1/reps');
      expect(reps.filter((rep: { active: boolean }) => rep.active)).to.have.length(13);
      const more = { reps: [{ name: 'New', email: 'new@x.io' }] };
      await expectError('403 rep_limit_reached', api.put('/v1/reps', more));
      await api.expect(200, 'PATCH', `/v1/reps/${reps[0].id}`, { active: false });
      await expectError('403 rep_limit_reached', api.patch(`/v1/reps/${reps[0].id}`, { active: true }));
      billing.checkout(workspaceId, ['price_pro']);
      await deliverAndRun();
      await api.expect(200, 'PATCH', `/v1/reps/${reps[0].id}`, { active: true });
    });

    it('is the highest of all subscriptions for the workspace, of any customer', async () => {
      const { workspaceId, deliverAndRun, tier } = await workspace();
      billing.checkout(workspaceId, ['price_pro']);
      const other = billing.checkout(workspaceId, ['price_big']);
      await deliverAndRun();
      expect(await tier()).to.equal('enterprise');
      billing.cancel(other.subscription);
      await deliverAndRun();
      expect(await tier()).to.equal('pro');
    });

    it('ignores subscriptions of its customer for another workspace', async () => {
      const [first, second] = [await workspace(), await workspace()];
      const customer = billing.addCustomer();
      billing.subscribe(customer, ['price_pro'], { metadata: { workspace_id: first.workspaceId } });
      billing.subscribe(customer, ['price_big'], { metadata: { workspace_id: second.workspaceId } });
      await sendAll();
      await first.run();
      await second.run();
      expect([await first.tier(), await second.tier()]).to.deep.equal(['pro', 'enterprise']);
    });

    it('follows the checkouts of a customer who pays for two workspaces and names them only in the reference', async () => {
      const [first, second] = [await workspace(), await workspace()];
      const { customer } = billing.checkout(first.workspaceId, ['price_pro'], { metadata: {} });
      await sendAll();
      await first.run();
      const other = billing.checkout(second.workspaceId, ['price_big'], { customer, metadata: {} });
      await sendAll();
      await first.run();
      await second.run();
      expect([await first.tier(), await second.tier()]).to.deep.equal(['pro', 'enterprise']);
      billing.cancel(other.subscription);
      await sendAll();
      await first.run();
      await second.run();
      expect([await first.tier(), await second.tier()]).to.deep.equal(['pro', 'free']);
    });

    it('ends after the grace period when collecting its payments is paused', async () => {
      const { workspaceId, run, deliverAndRun, tier } = await workspace();
      const { customer, subscription } = billing.checkout(workspaceId, ['price_pro']);
      billing.change(subscription, { pause_collection: { behavior: 'void', resumes_at: null } });
      await deliverAndRun();
      expect(await tier()).to.equal('pro');
      now = new Date(now.getTime() + 7.1 * dayMs);
      await requestCheck(customer, now);
      await run();
      expect(await tier()).to.equal('free');
      billing.change(subscription, { pause_collection: null });
      await deliverAndRun();
      expect(await tier()).to.equal('pro');
    });

    it('has the quantity as the number of seats where the price counts seats', async () => {
      const { workspaceId, deliverAndRun, api } = await workspace();
      const { subscription } = billing.checkout(workspaceId, ['price_seats'], { quantity: 2 });
      await deliverAndRun();
      const invite = (name: string) => api.put('/v1/reps', { reps: [{ name, email: `${name}@x.io`, role: 'rep' }] });
      for (const name of ['a', 'b']) expect((await invite(name)).status).to.equal(200);
      const rejected = await invite('c');
      expect(rejected.body).to.include({ code: 'rep_limit_reached' });
      expect(rejected.body.details).to.deep.equal({ limit: 2 });
      billing.change(subscription, { quantity: 3 });
      await deliverAndRun();
      expect((await invite('c')).status).to.equal(200);
      billing.cancel(subscription);
      await deliverAndRun();
      expect((await invite('d')).status).to.equal(200);
    });

    it('does not change when the provider returns unknown prices', async () => {
      const { workspaceId, deliverAndRun, tier } = await workspace('enterprise');
      billing.checkout(workspaceId, ['price_odd']);
      await deliverAndRun();
      expect(await tier()).to.equal('enterprise');
    });

    it('ends after the grace period', async () => {
      const { workspaceId, run, deliverAndRun, tier } = await workspace();
      const { customer, subscription } = billing.checkout(workspaceId, ['price_pro']);
      await deliverAndRun();
      billing.change(subscription, { status: 'past_due' });
      await deliverAndRun();
      expect(await tier()).to.equal('pro');
      const [{ check_at: checkAt }] = (await rows(
        'select check_at from billing_customers where customer_id = $1',
        customer,
      )) as [{ check_at: Date }];
      expect(checkAt.getTime()).to.be.at.most(now.getTime() + dayMs);
      now = new Date(now.getTime() + 6.5 * dayMs);
      await requestCheck(customer, checkAt);
      await run();
      expect(await tier()).to.equal('pro');
      now = new Date(now.getTime() + 0.6 * dayMs);
      await requestCheck(customer, now);
      await run();
      expect(await tier()).to.equal('free');
      billing.change(subscription, { status: 'active' });
      await deliverAndRun();
      expect(await tier()).to.equal('pro');
    });

    it('is free once its customer is deleted, and late events do not restore it', async () => {
      const { workspaceId, run, deliverAndRun, tier } = await workspace();
      const { customer } = billing.checkout(workspaceId, ['price_pro']);
      const early = billing.deliveries(webhook()).take();
      await deliverAndRun();
      billing.deleteCustomer(customer);
      await deliverAndRun();
      expect(await tier()).to.equal('free');
      expect(await rows('select 1 from inbound_routes where route = $1', customer)).to.deep.equal([]);
      const late = { ...JSON.parse(early.at(-1)?.body as string), id: 'evt_late' };
      const body = JSON.stringify(late);
      expect((await post(body, billing.sign(body))).status).to.equal(200);
      await run();
      expect(await tier()).to.equal('free');
      expect(await rows('select 1 from inbound_routes where route = $1', customer)).to.deep.equal([]);
    });
  });

  it('equals the state at the provider after eighty shuffled and repeated events', async () => {
    const all = await Promise.all(Array.from({ length: 4 }, () => workspace()));
    const subscriptions = all.map(({ workspaceId }) => billing.checkout(workspaceId, ['price_pro']).subscription);
    const statuses = ['active', 'past_due', 'unpaid', 'paused', 'canceled', 'trialing'];
    for (let step = 0; billing.events.length < 80; step++) {
      const id = subscriptions[step % 4] as string;
      const prices = step % 3 === 0 ? ['price_big'] : ['price_pro'];
      billing.change(id, { status: statuses[(step * 7 + (step >> 2)) % statuses.length] as string, prices });
    }
    const final = [
      { status: 'active', prices: ['price_big'] },
      { status: 'active', prices: ['price_pro'] },
      { status: 'canceled' },
      { status: 'unpaid', prices: ['price_big'] },
    ] as const;
    for (const [index, change] of final.entries()) billing.change(subscriptions[index] as string, change);
    const deliveries = shuffled(billing.deliveries(webhook()).take());
    const doubled = shuffled([...deliveries, ...deliveries]);
    // Two workers process the messages while they arrive.
    const working = Promise.all(
      all.flatMap(({ run }) =>
        [1, 2].map(async () => {
          for (let turn = 0; turn < 5; turn++) await run();
        }),
      ),
    );
    const answered: number[] = [];
    for (let start = 0; start < doubled.length; start += 20)
      answered.push(...(await Promise.all(doubled.slice(start, start + 20).map(deliver))));
    await working;
    expect(new Set(answered)).to.deep.equal(new Set([200]));
    for (const { run } of all) await run();
    expect(await Promise.all(all.map(({ tier }) => tier()))).to.deep.equal(['enterprise', 'pro', 'free', 'free']);
    for (const { workspaceId } of all)
      expect((await inboxMessagesOf(workspaceId)).filter(({ outcome }) => outcome !== 'done')).to.deep.equal([]);
  });

  describe('while the provider', () => {
    it('is down, events wait and are processed when it is available again', async () => {
      const { workspaceId, run, tier } = await workspace();
      billing.checkout(workspaceId, ['price_pro']);
      await sendAll();
      for (const answer of [
        hangUp,
        respondWith(503, { error: {} }),
        tooManyRequests(false),
        respondWith(401, { error: {} }),
      ]) {
        const end = billing.server.fault({ on: /v1/, answer });
        await run();
        end();
        expect(await tier()).to.equal('free');
        const [message] = await inboxMessagesOf(workspaceId);
        // The outage does not count as attempts, so no event becomes a dead letter.
        expect(message).to.include({ processed: false, attempts: 0 });
        expect(String(message?.['error']))
          .to.match(/billing provider/)
          .and.not.contain(billing.apiKey);
        await makeDue(workspaceId);
      }
      await run();
      expect(await tier()).to.equal('pro');
    });

    it('is available but the database is not, the outage does not count as attempts', async () => {
      const { workspaceId, run, tier } = await workspace();
      billing.checkout(workspaceId, ['price_pro']);
      await sendAll();
      const { unitOfWork } = service.running.service;
      const queue = service.running.service.parts.resolve(JobQueue);
      const outage = Object.assign(new Error('terminating connection'), { code: '57P01' });
      const handler = {
        sources: ['billing' as const],
        handle: () => Promise.reject(outage),
        deadLetter: async () => {},
      };
      const cutOff = new InboxRunner(
        unitOfWork,
        new Leases(unitOfWork),
        [handler],
        new InboxWake(queue),
        createLog('silent'),
      );
      for (let attempt = 1; attempt <= 9; attempt += 1) {
        const failure = await cutOff.run(workspaceId, 'billing').catch((error: unknown) => error);
        expect(failure).to.equal(outage);
      }
      for (const message of await inboxMessagesOf(workspaceId))
        expect(message).to.include({ processed: false, attempts: 0 });
      await run();
      expect(await tier()).to.equal('pro');
    });

    it('returns Retry-After, events are retried at that time', async () => {
      const { workspaceId, run } = await workspace();
      billing.checkout(workspaceId, ['price_pro']);
      await sendAll();
      const end = billing.server.fault({ on: /v1/, answer: respondWith(429, { error: {} }, { 'Retry-After': '120' }) });
      await run();
      end();
      const [waiting] = await rows(
        `select extract(epoch from not_before - now())::int as seconds from inbox where workspace_id = $1`,
        workspaceId,
      );
      expect(waiting?.['seconds']).to.be.within(110, 120);
    });

    it('returns no customer, the tier does not change and the audit log finally reports it', async () => {
      const { workspaceId, run, tier, api } = await workspace('pro');
      const body = JSON.stringify({
        id: `evt_${randomUUID()}`,
        type: 'checkout.session.completed',
        data: { object: { object: 'checkout.session', customer: 'cus_elsewhere', client_reference_id: workspaceId } },
      });
      expect((await post(body, billing.sign(body))).status).to.equal(200);
      for (let attempt = 0; attempt < 8; attempt++) {
        await makeDue(workspaceId);
        await run();
      }
      expect(await inboxMessagesOf(workspaceId)).to.have.length(1);
      expect((await inboxMessagesOf(workspaceId))[0]).to.include({ processed: true, outcome: 'failed' });
      expect(await tier()).to.equal('pro');
      const { runs } = await api.expect(200, 'GET', '/v1/workspaces/audit-logs');
      expect(runs[0]).to.include({ trigger: 'billing_event', actor: 'billing', outcome: 'failed' });
    });
  });

  describe('the sweep', () => {
    async function sweep(): Promise<void> {
      const { unitOfWork, config, parts, log } = service.running.service;
      const provider = billingProvider(config) ?? expect.fail('billing is configured');
      await rows(`update billing_recovery set claimed_until = '-infinity'`);
      const billingSweep = new BillingSweep(
        unitOfWork,
        provider,
        parts.resolve(BillingIntake),
        { now: () => now },
        log,
      );
      await billingSweep.run();
    }

    it('stores events whose deliveries were lost', async () => {
      const { workspaceId, run, tier } = await workspace();
      const { subscription } = billing.checkout(workspaceId, ['price_pro']);
      await sweep();
      await run();
      expect(await tier()).to.equal('pro');
      billing.cancel(subscription);
      await sweep();
      await run();
      expect(await tier()).to.equal('free');
      const message = await inboxMessagesOf(workspaceId);
      await sweep();
      expect(await inboxMessagesOf(workspaceId)).to.have.length(message.length);
    });

    it('repeats the range of a failed sweep', async () => {
      const { workspaceId, run, tier } = await workspace();
      billing.checkout(workspaceId, ['price_pro']);
      const end = billing.server.fault({ on: /v1\/events/, answer: respondWith(500, { error: {} }) });
      expect(await sweep().catch((error: unknown) => error)).to.be.an('error');
      end();
      await run();
      expect(await tier()).to.equal('free');
      await sweep();
      await run();
      expect(await tier()).to.equal('pro');
    });

    it('reads each due customer from the provider once', async () => {
      const { workspaceId, run, deliverAndRun, tier } = await workspace();
      const { customer, subscription } = billing.checkout(workspaceId, ['price_pro']);
      await deliverAndRun();
      billing.cancel(subscription);
      billing.events.length = 0;
      await sweep();
      await run();
      expect(await tier()).to.equal('pro');
      await rows('update billing_customers set check_at = now() where customer_id = $1', customer);
      const before = await inboxMessagesOf(workspaceId);
      await sweep();
      await sweep();
      expect(await inboxMessagesOf(workspaceId)).to.have.length(before.length + 1);
      await run();
      expect(await tier()).to.equal('free');
    });
  });

  it('processes delivered events and events missed before the start in a complete service', async () => {
    const whole = await Service.start({ settings: environment() });
    const { workspaceId, api } = await whole.workspace({ tier: 'free' });
    const { subscription } = billing.checkout(workspaceId, ['price_big']);
    await billing.deliveries(`${whole.url}/webhooks/billing`).flush();
    await until(async () => (await api.expect(200, 'GET', '/v1/workspaces')).tier === 'enterprise');
    await whole.running.stop();
    billing.cancel(subscription);
    await query(whole.database.ownerUrl, `update billing_recovery set claimed_until = '-infinity'`);
    const again = await start(whole.running.service.config, { api: false, worker: true }, createLog('silent'));
    const free = `select 1 from workspaces where workspace_id = $1 and tier = 'free'`;
    await until(async () => (await query(whole.database.ownerUrl, free, [workspaceId])).length === 1);
    await again.stop();
    await whole.database.drop();
  });

  async function requestCheck(customer: string, dueAt: Date): Promise<void> {
    await service.running.service.parts.resolve(BillingIntake).check(customer, dueAt);
  }
});

/** Shuffles in the same order on each run. */
function shuffled<T>(all: readonly T[]): T[] {
  let seed = 7;
  const next = () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed / 2_147_483_648;
  };
  return all
    .map((one) => ({ one, at: next() }))
    .sort((a, b) => a.at - b.at)
    .map(({ one }) => one);
}
