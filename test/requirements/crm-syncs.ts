import { expect } from 'chai';
import { type CrmProvider } from '#src/crm/adapters/port.js';
import { CookieClient } from '#test/support/cookie-client.js';
import { until } from '#test/support/until.js';
import { ConnectedWorkspace } from './crm.js';
import { row } from './rows.js';
import { type Json, service } from './running-service.js';

const toggle = '/auth/workspace/crmc/sync-enabled';

/** Sections 4 and 6 of the specification: connecting CRMs, syncs, polling and disconnecting. */
export function describeCrmSyncs(): void {
  describe('4 and 6: syncs with a CRM', () => {
    describeSync();
    describeThreeCrms();
    describeConnections();
    describePolling();
  });
}

function describeSync(): void {
  describe('one connected CRM', () => {
    let world: ConnectedWorkspace;
    let remainingDeal: string;
    let gone: string;

    before(async () => {
      world = await ConnectedWorkspace.create('crmb');
      [remainingDeal, gone] = Array.from({ length: 6 }, () => world.addDeal()) as [string, string];
    });

    row(593, 'integrations returns which CRMs are connected', async () => {
      const answer = await world.api.expect(200, 'GET', '/auth/workspace/integrations');
      expect(answer).to.include({ crma: false, crmb: true, crmc: false });
      expect(await world.integration()).to.include({ connected: true, broken: false });
    });

    row(594, 'POST /v1/reps/sync returns {synced: true, count, reps}', async () => {
      const answer = await world.api.expect(200, 'POST', '/v1/reps/sync');
      expect(answer.synced).to.equal(true);
      expect(answer.reps).to.have.length(answer.count);
      const ada = answer.reps.find((rep: Json) => rep.id === world.repId);
      expect(ada).to.include({ crmMemberId: world.owner, active: true });
    });

    row(595, 'POST /v1/commissions/sync returns {synced, totalDeals, triggered, message}', async () => {
      const answer = await world.sync();
      const totalDeals = world.crm.liveDealIds().length;
      expect(answer).to.include({ synced: true, totalDeals, triggered: true });
      expect(answer.message).to.contain(String(totalDeals));
      expect(await world.event(remainingDeal)).to.deep.equal(['earned', 80]);
    });

    row(598, 'POST sync needs no body', async () => {
      const answer = await world.api.expect(200, 'POST', '/v1/commissions/sync');
      expect(answer).to.include({ synced: true, totalDeals: world.crm.liveDealIds().length });
    });

    row(596, 'POST sync with recalculate true triggers a calculation of everyone', async () => {
      expect(await world.sync({ recalculate: true })).to.include({ synced: true, triggered: true });
      expect(await world.sync(), 'nothing has changed').to.include({ synced: true, triggered: false });
    });

    row(284, "sync first syncs the CRM's people", async () => {
      const name = `Eve-${world.workspaceId.slice(0, 8)}`;
      const eve = world.crm.addPerson(name);
      const dealId = world.addDeal({ owner: eve });
      await world.sync();
      const { reps } = await world.api.expect(200, 'GET', `/v1/reps?email=${name.toLowerCase()}@x.io`);
      expect(reps[0]).to.include({ crmMemberId: eve });
      expect((await world.deal(dealId)).rep_id).to.equal(reps[0].id);
    });

    row(597, 'POST sync with reconcile true finds nothing to reverse while the CRM has every deal', async () => {
      expect(await world.sync({ reconcile: true })).to.include({ synced: true, triggered: false });
      expect(await world.event(gone)).to.deep.equal(['earned', 80]);
    });

    row(272, 'reconcile reverses the earned events of a deal that the CRM no longer has', async () => {
      world.crm.delete(gone);
      world.crm.takeDeliveries();
      await world.sync({ reconcile: true });
      expect(await world.event(gone)).to.deep.equal(['reversed', 80]);
      expect((await world.deal(gone)).deleted_at).to.be.instanceOf(Date);
      expect(await world.event(remainingDeal)).to.deep.equal(['earned', 80]);
    });

    row(599, 'auto-match on a connected CRM suggests the standard fields', async () => {
      const { standard } = await world.api.expect(201, 'POST', '/v1/fields/auto-match');
      expect(standard).to.include({ dealAmount: 'amount', dealStage: 'dealstage', closeDate: 'closedate' });
    });
  });
}

function describeThreeCrms(): void {
  row(213, 'sync with reconcile true covers all three connected CRMs', async () => {
    const first = await ConnectedWorkspace.create('crma');
    const deals: [CrmProvider, string][] = [];
    for (const provider of ['crma', 'crmb', 'crmc'] as const) {
      const crm = service().crm(provider);
      if (provider !== 'crma') await crm.connect(first.api, service().url);
      // The same person in every CRM, found by e-mail.
      const owner = provider === 'crma' ? first.owner : crm.addPerson(`Ada-${first.workspaceId.slice(0, 8)}`);
      const deal = { owner, amount: 1000, won: true, closeDate: '2026-02-10' };
      const added = Array.from({ length: 6 }, () => crm.addDeal(deal));
      deals.push([provider, added[0] as string]);
    }
    const synced = await first.sync();
    expect(Object.keys(synced.results)).to.have.members(['crma', 'crmb', 'crmc']);
    for (const [provider, dealId] of deals) {
      expect(await first.deal(dealId), provider).to.include({ deleted_at: null, rep_id: first.repId });
      // The deals of crm-c are in euros, which a plan in dollars does not pay.
      if (provider !== 'crmc') expect(await first.event(dealId), provider).to.deep.equal(['earned', 80]);
    }
    for (const [provider, dealId] of deals) service().crm(provider).delete(dealId);
    await first.sync({ reconcile: true });
    for (const [provider, dealId] of deals) {
      expect((await first.deal(dealId)).deleted_at, provider).to.be.instanceOf(Date);
      if (provider !== 'crmc') expect((await first.event(dealId))?.[0], provider).to.equal('reversed');
    }
  });
}

function describeConnections(): void {
  row(206, 'crm-b is connected by consent', async () => {
    const { api, workspaceId } = await service().workspace();
    const { authorizeUrl } = await api.expect(200, 'GET', '/auth/crmb/connect');
    const admin = { email: `ada@${workspaceId}.test`, name: 'Ada', role: 'admin' };
    const { reps } = await api.expect(200, 'PUT', '/v1/reps', { reps: [admin] });
    const browser = new CookieClient(service().url);
    browser.setCookie('session', await service().token(workspaceId, 'sess', reps[0].id));
    const start = await browser.fetch(authorizeUrl);
    const page = await fetch(start.headers.get('location') as string, { redirect: 'manual' });
    const back = new URL(page.headers.get('location') as string);
    expect(back.origin).to.equal(service().url);
    const confirmation = await browser.open(`${back.pathname}${back.search}`);
    const answer = await browser.submit('/auth/crmb/confirm', { ...confirmation.fields, decision: 'connect' });
    expect(answer.status).to.equal(200);
    expect(await api.expect(200, 'GET', '/auth/workspace/integrations')).to.include({ crmb: true });
  });

  for (const [number, provider] of [
    [207, 'crmc'],
    [211, 'crma'],
    [212, 'crmb'],
  ] as const)
    row(number, `disconnect-${provider} removes the credentials and keeps deals and reps`, async () => {
      const world = await ConnectedWorkspace.create(provider);
      const dealId = world.addDeal();
      await world.sync();
      expect(await world.hasCredentials()).to.equal(true);
      const answer = await world.api.expect(200, 'POST', `/auth/workspace/disconnect-${provider}`);
      expect(answer).to.deep.equal({ disconnected: true, provider });
      expect(await world.hasCredentials()).to.equal(false);
      expect(await world.integration()).to.include({ connected: false });
      expect((await world.deal(dealId)).deleted_at).to.equal(null);
      expect(await world.event(dealId)).to.deep.equal(['earned', 80]);
      const { reps } = await world.api.expect(200, 'GET', '/v1/reps');
      expect(reps.map((rep: Json) => rep.id)).to.include(world.repId);
    });
}

function describePolling(): void {
  describe('crm-c without webhooks', () => {
    let paused: ConnectedWorkspace;
    let polled: ConnectedWorkspace;
    let dealId: string;

    const amountIn = async (world: ConnectedWorkspace) => Number((await world.deal(dealId))?.amount);

    before(async () => {
      paused = await ConnectedWorkspace.create('crmc');
      polled = await ConnectedWorkspace.create('crmc');
      dealId = polled.addDeal({ amount: 1000 });
      await paused.sync();
      await polled.sync();
      await polled.api.expect(200, 'POST', toggle, { enabled: true });
    });

    after(async () => {
      for (const world of [paused, polled]) await world.api.expect(200, 'POST', toggle, { enabled: false });
    });

    row(600, 'sync-enabled off is seen in the integrations', async () => {
      expect(await paused.integration()).to.include({ connected: true, syncEnabled: false });
      expect(await polled.integration()).to.include({ connected: true, syncEnabled: true });
    });

    row(633, 'the poller finds a change by its last-modified time', async () => {
      polled.crm.change(dealId, { amount: 2000 });
      await until(async () => ((await amountIn(polled)) === 2000 ? true : undefined), {
        what: 'the poll of the change',
      });
      expect(await polled.event(dealId)).to.deep.equal(['earned', 160]);
    });

    row(208, 'the poller skips a workspace with sync-enabled off', async () => {
      expect(await amountIn(polled)).to.equal(2000);
      expect(await amountIn(paused)).to.equal(1000);
      expect(await paused.integration()).to.include({ connected: true, syncEnabled: false });
    });

    row(209, 'with sync-enabled on again the history is taken up', async () => {
      await paused.api.expect(200, 'POST', toggle, { enabled: true });
      await until(async () => ((await amountIn(paused)) === 2000 ? true : undefined), {
        what: 'the poll of the missed change',
      });
    });

    row(634, 'the PascalCase fields of crm-c are normalized', async () => {
      const deal = await polled.deal(dealId);
      expect(deal).to.include({ stage: 'Closed Won', owner_id: polled.owner, provider: 'crmc' });
      expect(Number(deal.amount)).to.equal(2000);
      const { deals } = await polled.api.expect(200, 'GET', `/v1/deals?repId=${polled.repId}`);
      expect(deals[0]).to.include({ closeDate: '2026-02-10', stage: 'Closed Won', amount: 2000 });
      expect(deals[0].fields).to.include({ close_date: '2026-02-10', stage: 'Closed Won', owner_id: polled.owner });
      expect(Number(deals[0].fields.amount)).to.equal(2000);
    });
  });
}
