import { expect } from 'chai';
import { type Delivery, deliver } from '#fakes/deliveries.js';
import { type CrmProvider } from '#src/crm/adapters/port.js';
import { until } from '#test/support/until.js';
import { ConnectedWorkspace } from './crm.js';
import { row } from './rows.js';
import { type Json, service } from './running-service.js';
import { expectError } from './world.js';

interface RowNumbers {
  readonly provider: CrmProvider;
  readonly forged: number;
  readonly changed?: number;
  readonly created?: number;
  readonly deleted?: number;
}

const providers: readonly RowNumbers[] = [
  { provider: 'crma', forged: 601, changed: 629, created: 638, deleted: 630 },
  { provider: 'crmb', forged: 602, changed: 631, created: 637, deleted: 632 },
  { provider: 'crmc', forged: 603 },
];

/** Section 6 of the specification: inbound events of CRMs and of the billing provider. */
export function describeWebhooks(): void {
  describe('6: inbound events', () => {
    for (const numbers of providers) describeProvider(numbers);
    describeBilling();
  });
}

const post = ({ targetUrl, body }: Delivery, headers: Readonly<Record<string, string>>) =>
  service()
    .client(null)
    .send('POST', new URL(targetUrl).pathname, body, { 'Content-Type': 'application/json', ...headers });

function describeProvider({ provider, forged, changed, created, deleted }: RowNumbers): void {
  describe(provider, () => {
    let world: ConnectedWorkspace;
    let dealId: string;

    before(async () => {
      world = await ConnectedWorkspace.create(provider);
      dealId = world.addDeal();
      await world.sync();
      expect(await world.event(dealId)).to.deep.equal(['earned', 80]);
    });

    row(forged, `/webhooks/${provider} rejects unsigned and forged deliveries`, async () => {
      const [delivery] = world.deliveriesOf(() => world.crm.change(dealId, { amount: 7 })) as [Delivery];
      const proofs = Object.entries(delivery.headers);
      const altered = Object.fromEntries(proofs.map(([name, value]) => [name, `${value.slice(0, -4)}AAA=`]));
      await expectError('401 bad_signature', post(delivery, {}));
      await expectError('401 bad_signature', post(delivery, altered));
      expect(Number((await world.deal(dealId)).amount)).to.equal(1000);
    });

    if (changed !== undefined)
      row(changed, `a change event of ${provider} upserts the snapshot and runs the pipeline`, async () => {
        await world.deliver(() => world.crm.change(dealId, { amount: 3000 }));
        expect(Number((await world.deal(dealId)).amount)).to.equal(3000);
        expect(await world.event(dealId)).to.deep.equal(['earned', 240]);
      });

    if (created !== undefined)
      row(created, `a deal created in ${provider} is stored whatever its stage`, async () => {
        let open = '';
        await world.deliver(() => {
          open = world.addDeal({ won: false, amount: 500 });
        });
        const deal = await world.deal(open);
        expect(deal).to.include({ rep_id: world.repId, deleted_at: null });
        expect(Number(deal.amount)).to.equal(500);
        expect(await world.event(open)).to.equal(undefined);
      });

    if (provider === 'crmb') describeCrmb(() => ({ world, dealId }));
    if (provider === 'crmc') describeFlow(() => ({ world, dealId }));

    if (deleted !== undefined)
      row(deleted, `a deletion event of ${provider} reverses the event and sets deleted_at`, async () => {
        await world.deliver(() => world.crm.delete(dealId));
        expect((await world.deal(dealId)).deleted_at).to.be.instanceOf(Date);
        expect((await world.event(dealId))?.[0]).to.equal('reversed');
      });
  });
}

type Given = () => { readonly world: ConnectedWorkspace; readonly dealId: string };

function describeCrmb(given: Given): void {
  row(623, 'deal.propertyChange of crm-b is accepted', async () => {
    const { world, dealId } = given();
    const [delivery] = (await world.deliver(() => world.crm.change(dealId, { amount: 4000 }))) as [Delivery];
    expect(delivery.body).to.contain('deal.propertyChange');
    expect(await world.event(dealId)).to.deep.equal(['earned', 320]);
  });

  row(624, 'deal.creation of crm-b is accepted', async () => {
    const { world } = given();
    let added = '';
    const deliveries = await world.deliver(() => {
      added = world.addDeal({ amount: 250 });
    });
    expect(deliveries.map(({ body }) => body).join()).to.contain('deal.creation');
    expect(await world.event(added)).to.deep.equal(['earned', 20]);
  });

  row(625, 'a forged signature of crm-b is rejected with 401', async () => {
    const { world, dealId } = given();
    const [delivery] = world.deliveriesOf(() => world.crm.change(dealId, { amount: 4000.01 })) as [Delivery];
    const body = delivery.body.replace(String(dealId), '999999');
    await expectError('401 bad_signature', post({ ...delivery, body }, delivery.headers));
    const unknown = (await world.deal('999999')) as unknown;
    expect(unknown).to.equal(undefined);
  });

  describe('a deletion while the statement is approved', () => {
    let locked: string;

    before(async () => {
      const { world } = given();
      locked = world.addDeal({ closeDate: '2026-04-10' });
      await world.sync();
      expect((await world.event(locked))?.[0]).to.equal('earned');
      const statements = `/v1/statements/${world.repId}`;
      await world.api.expect(200, 'POST', `${statements}/generate`, { period: '2026-Q2' });
      const approval = { period: '2026-Q2', status: 'approved' };
      await world.api.expect(200, 'POST', `${statements}/approve`, approval);
    });

    row(626, 'the run of deal.deletion reports statementLocked and reverses nothing', async () => {
      const { world } = given();
      const [delivery] = (await world.deliver(() => world.crm.delete(locked))) as [Delivery];
      expect(delivery.body).to.contain('deal.deletion');
      expect((await world.deal(locked)).deleted_at).to.be.instanceOf(Date);
      expect((await world.event(locked))?.[0]).to.equal('earned');
      const { runs } = await world.api.expect(200, 'GET', '/v1/workspaces/audit-logs?limit=20');
      expect(runs.some((run: Json) => run.counters.statementLocked && run.counters.eventsReversed === 0)).to.equal(
        true,
      );
    });

    row(635, 'the audit run has the outcome statement_locked and names the period', async () => {
      const { runs } = await given().world.api.expect(200, 'GET', '/v1/workspaces/audit-logs?limit=20');
      const run = runs.find((one: Json) => one.outcome === 'statement_locked');
      expect(run).to.include({ actor: 'orchestrator', outcome: 'statement_locked' });
      expect(run.blocked).to.deep.include({ statementLocked: true, periods: ['2026-Q2'] });
    });
  });
}

function describeFlow(given: Given): void {
  row(627, 'a Flow of crm-c posts the id of a changed opportunity', async () => {
    const { world, dealId } = given();
    const [delivery] = (await world.deliver(() => world.crm.change(dealId, { amount: 5000 }))) as [Delivery];
    expect(delivery.body).to.contain(dealId);
    expect(await world.event(dealId)).to.deep.equal(['earned', 400]);
  });

  row(622, 'a Flow may post the id in PascalCase', async () => {
    const { world, dealId } = given();
    for (const [index, name] of ['OpportunityId', 'Id'].entries()) {
      const amount = 6000 + index * 100;
      const [delivery] = world.deliveriesOf(() => world.crm.change(dealId, { amount })) as [Delivery];
      const status = await deliver({ ...delivery, body: JSON.stringify({ [name]: dealId }) });
      expect(status, name).to.equal(202);
      await service().delivered(world.workspaceId);
      expect(Number((await world.deal(dealId)).amount), name).to.equal(amount);
    }
  });
}

function describeBilling(): void {
  describe('the billing provider', () => {
    const billing = () => service().outside.billing;
    const path = '/webhooks/billing';

    row(604, '/webhooks/billing rejects unsigned events', async () => {
      const body = JSON.stringify({ id: 'evt_1', object: 'event', type: 'invoice.paid', data: { object: {} } });
      const anyone = service().client(null);
      const json = { 'Content-Type': 'application/json' };
      await expectError('401 bad_signature', anyone.send('POST', path, body, json));
      const forged = { ...json, 'Stripe-Signature': `t=${Math.floor(Date.now() / 1000)},v1=${'0'.repeat(64)}` };
      await expectError('401 bad_signature', anyone.send('POST', path, body, forged));
    });

    row(628, 'a signed payment event is accepted', async () => {
      const { workspaceId } = await service().workspace({ tier: 'free' });
      billing().events.length = 0;
      billing().checkout(workspaceId, ['price_pro']);
      expect(billing().events.map(({ type }) => type)).to.include('invoice.paid');
      const statuses = await billing().deliveries(`${service().url}${path}`).flush();
      expect(new Set(statuses)).to.deep.equal(new Set([200]));
    });

    row(636, 'billing events move the subscription tier', async () => {
      const { workspaceId, api } = await service().workspace({ tier: 'free' });
      const tierIs = (tier: string) =>
        until(async () => ((await api.expect(200, 'GET', '/v1/workspaces')).tier === tier ? true : undefined), {
          what: `the tier ${tier}`,
        });
      billing().events.length = 0;
      const { subscription } = billing().checkout(workspaceId, ['price_pro']);
      await billing().deliveries(`${service().url}${path}`).flush();
      await tierIs('pro');
      billing().events.length = 0;
      billing().cancel(subscription);
      await billing().deliveries(`${service().url}${path}`).flush();
      await tierIs('free');
    });
  });
}
