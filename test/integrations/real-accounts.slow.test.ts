import { expect } from 'chai';
import { type Delivery, deliver } from '#fakes/deliveries.js';
import { FakeCrma } from '#fakes/fake-crma.js';
import { FakeCrmb } from '#fakes/fake-crmb.js';
import { FakeCrmc } from '#fakes/fake-crmc.js';
import { hangUp } from '#fakes/fake-server.js';
import { type ApiClient } from '#test/support/api-client.js';
import { crmWorlds, payEveryone, untilInboxEmpty } from '#test/support/crm-worlds.js';
import { Service } from '#test/support/service.js';
import { until } from '#test/support/until.js';

const sync = ['POST', '/v1/commissions/sync'] as const;
const neverPolled = { CRM_POLL_SECONDS: '86400', CRM_RETRY_MS: '1' };
const unreached = { ...neverPolled, PUBLIC_URL: 'http://127.0.0.1:9' };
const pollNow = 'update crm_connections set poll_due_at = now() where workspace_id = $1';
const won = { Amount: 1000, StageName: 'Closed Won', CloseDate: '2026-02-10' };

for (const { provider, start } of crmWorlds)
  it(`a poll of ${provider} imports changes, deletions and new people whose webhooks were lost`, async () => {
    const world = await start();
    const service = await Service.start({ crms: [world], settings: neverPolled });
    try {
      const { api, workspaceId } = await service.workspace({ currency: world.currency });
      const owner = world.addPerson('Ada');
      const deal = { owner, amount: 1, won: true, closeDate: '2026-02-10' };
      const [changed, deleted] = [world.addDeal(deal), world.addDeal(deal), world.addDeal(deal), world.addDeal(deal)];
      await world.connect(api, service.url);
      await api.expect(200, ...sync, {});
      const amounts = async () => {
        const { deals } = await api.expect(200, 'GET', '/v1/deals?limit=500');
        return new Map(deals.map((one: { deal_id: string; amount: number }) => [one.deal_id, one.amount]));
      };
      expect((await amounts()).size).to.equal(4);
      world.change(changed as string, { amount: 2 });
      world.delete(deleted as string);
      const hired = world.addDeal({ ...deal, owner: world.addPerson('Bob') });
      world.takeDeliveries();
      await until(async () => {
        // A poll of crm-c leaves the changes of the last seconds to the next one.
        await service.sql(pollNow, workspaceId);
        const stored = await amounts();
        return stored.get(changed as string) === 2 && !stored.has(deleted as string) && stored.size === 4;
      });
      const [bob] = (await api.expect(200, 'GET', '/v1/reps?email=bob@x.io')).reps;
      const { deals } = await api.expect(200, 'GET', '/v1/deals?limit=500');
      expect(deals.find((one: { deal_id: string }) => one.deal_id === hired)).to.include({ repId: bob.id });
      const { integrations } = await api.expect(200, 'GET', '/auth/workspace/integrations');
      expect(integrations.find((one: { provider: string }) => one.provider === provider)).to.include({
        pollSeconds: null,
      });
      const path = `/v1/integrations/${provider}`;
      expect(await api.expect(200, 'PATCH', path, { pollSeconds: 60 })).to.include({ pollSeconds: 60 });
      expect(await api.expect(200, 'PATCH', path, { syncEnabled: false })).to.include({ syncEnabled: false });
      for (const body of [{}, { pollSeconds: 59 }, { pollSeconds: 86_401 }, { pollSeconds: 1.5 }])
        await api.expect(400, 'PATCH', path, body);
    } finally {
      await service.stop();
      await world.stop();
    }
  });

it('a webhook of crm-a that is removed, inactive or failing is registered again by the next poll', async () => {
  const crm = await FakeCrma.start();
  const service = await Service.start({ settings: { ...unreached, ...crm.environment } });
  try {
    const { api, workspaceId } = await service.workspace();
    const owner = crm.addMember({ firstName: 'Ada', lastName: 'L', email: 'ada@x.io' });
    const dealId = crm.addDeal({ name: 'Deal', owner });
    await api.expect(200, 'POST', '/auth/workspace/connect-crma', { accessToken: crm.oauth.issue().accessToken });
    for (const status of ['active', 'inactive', 'degraded', null] as const) {
      const [webhookId = ''] = crm.webhookIds;
      if (status === null) crm.removeWebhook(webhookId);
      else crm.setWebhookStatus(webhookId, status);
      await service.sql(pollNow, workspaceId);
      const health = () => api.expect(200, 'GET', '/v1/integrations/crma/syncs').then((answer) => answer.health);
      const { lastPollAt } = await health();
      await until(async () => (await health()).lastPollAt !== lastPollAt);
      expect(crm.webhookIds).to.have.length(1);
      expect(crm.webhookIds.includes(webhookId), `replaced when ${status}`).to.equal(status === 'active');
      crm.change(dealId, { name: `Deal of a webhook that was ${status}` });
      const [delivery] = crm.takeDeliveries() as [Delivery];
      const { pathname, search } = new URL(delivery.targetUrl);
      expect(await deliver({ ...delivery, targetUrl: `${service.url}${pathname}${search}` })).to.equal(200);
    }
    const { runs } = await api.expect(200, 'GET', '/v1/workspaces/audit-logs');
    expect(runs.filter((run: { trigger: string }) => run.trigger === 'crm_webhook_repaired')).to.have.length(3);
  } finally {
    await service.stop();
    await crm.stop();
  }
});

describe('accounts of crm-b', () => {
  let crm: FakeCrmb;
  let service: Service;
  let api: ApiClient;
  let workspaceId: string;

  before(async () => {
    crm = await FakeCrmb.start();
    crm.callsPerTenSeconds = 1_000_000;
    service = await Service.start({
      settings: {
        ...unreached,
        ...crm.environment,
        SMTP_URL: 'smtp://127.0.0.1:9',
        MAIL_FROM: 'pay@acme.test',
      },
    });
  });

  after(async () => {
    await service.stop();
    await crm.stop();
  });

  beforeEach(async () => {
    ({ api, workspaceId } = await service.workspace());
  });

  const rows = (text: string) => service.sql<Record<string, unknown>>(text, workspaceId);
  const connect = (status = 200) =>
    api.expect(status, 'POST', '/auth/workspace/connect-crmb', { ...crm.oauth.issue() });

  it('two users with one address are one rep, who owns the deals of both and is active while one of them is', async () => {
    const person = { firstName: 'Ada', lastName: 'Lovelace', email: 'ada.two@x.io' };
    const left = crm.addOwner(person);
    crm.archiveOwner(left);
    const present = crm.addOwner(person);
    const deals = [left, present].map((owner) => crm.addDeal({ hubspot_owner_id: owner, amount: '5' }));
    await connect();
    await api.expect(200, ...sync, {});
    const repOf = async () => (await api.expect(200, 'GET', '/v1/reps?email=ada.two@x.io')).reps;
    const [rep, ...others] = await repOf();
    expect(others).to.deep.equal([]);
    expect(rep).to.include({ active: true });
    const { deals: stored } = await api.expect(200, 'GET', '/v1/deals?limit=500');
    for (const dealId of deals)
      expect(stored.find((one: { deal_id: string }) => one.deal_id === dealId)).to.include({ repId: rep.id });
    crm.archiveOwner(present);
    await api.expect(200, ...sync, {});
    expect((await repOf())[0]).to.include({ active: false });
  });

  it('the currency and the time zone of the account apply to its deals, with a warning if they differ', async () => {
    crm.companyCurrency = 'JPY';
    crm.timeZone = 'Asia/Tokyo';
    const owner = crm.addOwner({ firstName: 'Yuki', lastName: 'Sato', email: 'yuki@x.io' });
    const values = { hubspot_owner_id: owner, dealstage: 'closedwon', closedate: '2026-01-31T16:00:00.000Z' };
    const dealId = crm.addDeal({ ...values, amount: '1000000' });
    const { warnings } = await connect();
    expect(warnings.map((one: { code: string }) => one.code)).to.deep.equal(['currency_differs', 'time_zone_differs']);
    await api.expect(200, ...sync, {});
    await payEveryone(api);
    await service.waitForCalculations(workspaceId);
    const { deal, events } = await api.expect(200, 'GET', `/v1/commissions?dealId=${dealId}`);
    expect(deal).to.include({ currency: 'JPY', closeDate: '2026-02-01' });
    expect(events).to.deep.equal([]);
    crm.companyCurrency = 'USD';
    crm.timeZone = 'UTC';
    expect((await connect()).warnings).to.deep.equal([]);
  });

  it('a plan pays on a field in its currency, also of a deal in another currency, and never on one in another', async () => {
    crm.exchangeRates.set('EUR', 2);
    const owner = crm.addOwner({ firstName: 'Fay', lastName: 'F', email: 'fay@x.io' });
    const dealId = crm.addDeal({
      hubspot_owner_id: owner,
      amount: '1000',
      deal_currency_code: 'EUR',
      dealstage: 'closedwon',
      closedate: '2026-02-10T12:00:00.000Z',
    });
    await connect();
    await api.expect(200, ...sync, {});
    const { reps } = await api.expect(200, 'GET', '/v1/reps?email=fay@x.io');
    for (const currency of ['USD', 'EUR']) {
      const rules = ['amount', 'amount_in_home_currency'].map((measure) => ({
        name: `${measure} in ${currency}`,
        measure,
        tiers: [{ tierIndex: 0, minThreshold: 0, rate: 0.1 }],
      }));
      const { planId } = await api.createPlan({ name: currency, currency, config: { rules } });
      await api.assign([reps[0].id], planId);
    }
    await service.waitForCalculations(workspaceId);
    const { events } = await api.expect(200, 'GET', `/v1/commissions?dealId=${dealId}`);
    const paid = events.map((one: Record<string, unknown>) => [one['amount'], one['currency']]);
    expect(paid).to.have.deep.members([
      [200, 'USD'],
      [100, 'EUR'],
    ]);
  });

  it('a connection without a required scope is rejected with its name, and the list shows the scopes held', async () => {
    crm.oauth.scopes.delete('crm.objects.owners.read');
    const rejected = await connect(400);
    expect(rejected).to.include({ code: 'crm_refused' });
    expect(rejected.message).to.contain('crm.objects.owners.read');
    expect(rejected.details.missing).to.deep.equal(['crm.objects.owners.read']);
    crm.oauth.scopes.add('crm.objects.owners.read');
    await connect();
    const { integrations } = await api.expect(200, 'GET', '/auth/workspace/integrations');
    expect(integrations[1].permissions).to.deep.include({
      name: 'crm.objects.owners.read',
      purpose: 'people',
      granted: true,
      required: true,
    });
    crm.oauth.scopes.delete('crm.schemas.deals.read');
    const failed = await api.expect(400, ...sync, {});
    crm.oauth.scopes.add('crm.schemas.deals.read');
    expect(failed.message).to.contain('grant crm.schemas.deals.read and connect again');
  });

  it('a sync continues after an outage of hours, and is given up after a day with a mail to the admins', async () => {
    await api.expect(200, 'PUT', '/v1/reps', { reps: [{ email: 'boss@x.io', name: 'Boss', role: 'admin' }] });
    for (let count = 0; count < 120; count += 1) crm.addDeal({ amount: '1' });
    await connect();
    const listing = /GET .*objects.*deals\?.*after=/;
    for (const isOver of [false, true]) {
      const end = crm.server.fault({ on: listing, answer: hangUp });
      const { jobId } = await api.expect(200, ...sync, { async: true });
      const hasFailed = async (attempts: number) =>
        Number((await rows('select attempts from crm_sync_runs where workspace_id = $1'))[0]?.['attempts']) > attempts;
      await until(() => hasFailed(0));
      const since = isOver ? '25 hours' : '23 hours';
      await rows(`update crm_sync_runs set attempts = 50, failing_since = now() - interval '${since}', not_before = now()
        where workspace_id = $1`);
      if (isOver) {
        expect(await api.finishedJob(jobId)).to.include({ status: 'failed' });
        end();
        continue;
      }
      await until(() => hasFailed(50));
      expect(await api.job(jobId)).to.include({ status: 'running' });
      end();
      await rows('update crm_sync_runs set not_before = now() where workspace_id = $1');
      expect(await api.finishedJob(jobId)).to.include({ status: 'completed' });
    }
    const texts = (await service.mailsTo('boss@x.io')).map(({ text }) => text);
    expect(texts.filter((text) => text.includes('The last error was'))).to.have.length(1);
  });

  it('deletions are listed at most once per hour by polls, and none is missed', async () => {
    const ids = Array.from({ length: 3 }, () => crm.addDeal({ amount: '1' }));
    await connect();
    await api.expect(200, ...sync, {});
    const listings = () => crm.server.countRequests(/GET .*deals\?.*archived=true/);
    const polls = async () =>
      (await rows("select 1 from crm_syncs where workspace_id = $1 and kind = 'poll' and status = 'completed'")).length;
    const poll = async () => {
      const before = await polls();
      await rows(pollNow);
      await until(async () => (await polls()) > before);
    };
    const live = async () => {
      const { deals } = await api.expect(200, 'GET', '/v1/deals?limit=500');
      return ids.filter((id) => deals.some((one: { deal_id: string }) => one.deal_id === id)).length;
    };
    const before = listings();
    crm.delete(ids[0] as string);
    await poll();
    expect([await live(), listings() - before]).to.deep.equal([2, 1]);
    crm.delete(ids[1] as string);
    await poll();
    expect([await live(), listings() - before]).to.deep.equal([2, 1]);
    await rows(`update crm_connections set deletions_through = now() - interval '61 minutes' where workspace_id = $1`);
    await poll();
    expect([await live(), listings() - before]).to.deep.equal([1, 2]);
  });

  it('disconnecting stops a running sync and revokes the tokens', async () => {
    for (let count = 0; count < 120; count += 1) crm.addDeal({ amount: '1' });
    const { accessToken, refreshToken } = crm.oauth.issue();
    await api.expect(200, 'POST', '/auth/workspace/connect-crmb', { accessToken, refreshToken });
    const reached = new Promise<() => void>((resolve) => {
      crm.server.fault({
        on: /GET .*objects.*deals\?.*after=/,
        times: 1,
        answer: (_request, _response, next) => resolve(next),
      });
    });
    const { jobId } = await api.expect(200, ...sync, { async: true });
    const respond = await reached;
    await api.expect(200, 'POST', '/auth/workspace/disconnect-crmb');
    const job = await api.job(jobId);
    expect([job.status, job.result.failure]).to.deep.equal(['failed', 'disconnected']);
    const { count } = await api.expect(200, 'GET', '/v1/deals?limit=1');
    respond();
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect((await api.expect(200, 'GET', '/v1/deals?limit=1')).count).to.equal(count);
    expect(crm.oauth.isAlive(accessToken)).to.equal(false);
    expect(crm.oauth.isKnown(refreshToken as string)).to.equal(false);
  });

  it('a wrong client secret does not break the connection, and deliveries wait until it is corrected', async () => {
    const owner = crm.addOwner({ firstName: 'Ben', lastName: 'B', email: 'ben@x.io' });
    const dealId = crm.addDeal({ hubspot_owner_id: owner, amount: '1' });
    await connect();
    await api.expect(200, ...sync, {});
    const stored = async () =>
      (await rows(`select amount::float8 from deals where workspace_id = $1 and deal_id = '${dealId}'`))[0];
    expect(await stored()).to.deep.equal({ amount: 1 });
    crm.webhookUrl = 'http://127.0.0.1:9/webhooks/crmb';
    crm.oauth.expireAccessTokens();
    crm.oauth.clientSecret = 'rotated at the CRM';
    crm.change(dealId, { amount: '2' });
    const [delivery] = crm.deliveries.take() as [Delivery];
    crm.webhookUrl = null;
    expect(await deliver({ ...delivery, targetUrl: `${service.url}/webhooks/crmb` })).to.equal(200);
    await until(
      async () => (await rows('select 1 from inbox where workspace_id = $1 and error is not null')).length === 1,
    );
    const failed = await api.expect(502, ...sync, {});
    expect(failed.message).to.contain('CRMB_CLIENT_SECRET');
    const { integrations } = await api.expect(200, 'GET', '/auth/workspace/integrations');
    expect(integrations[1]).to.include({ connected: true, broken: false });
    expect(await rows('select attempts from inbox where workspace_id = $1')).to.deep.equal([{ attempts: 0 }]);
    crm.oauth.clientSecret = crm.oauth.options.clientSecret;
    await rows('update inbox set not_before = now() where workspace_id = $1');
    await untilInboxEmpty(service.database.ownerUrl);
    expect(await stored()).to.deep.equal({ amount: 2 });
  });
});

describe('accounts of crm-c', () => {
  let production: FakeCrmc;
  let sandbox: FakeCrmc;
  let service: Service;
  let api: ApiClient;
  let workspaceId: string;

  before(async () => {
    [production, sandbox] = await Promise.all([FakeCrmc.start(), FakeCrmc.start({ orgId: '00DSB0000005678AAA' })]);
    service = await Service.start({ settings: { ...unreached, ...production.environment } });
  });

  after(async () => {
    await service.stop();
    await Promise.all([production.stop(), sandbox.stop()]);
  });

  beforeEach(async () => {
    ({ api, workspaceId } = await service.workspace({ currency: 'EUR' }));
  });

  const connect = (
    crm: FakeCrmc,
    { client = api, status = 200, ...more }: Record<string, unknown> & { client?: ApiClient; status?: number } = {},
  ) => {
    const body = { ...crm.oauth.issue(), instanceUrl: crm.url, ...more };
    return client.expect(status, 'POST', '/auth/workspace/connect-crmc', body);
  };
  const idsOf = async (client = api) => {
    const { deals } = await client.expect(200, 'GET', '/v1/deals?limit=500');
    return deals.map((deal: { deal_id: string }) => deal.deal_id).sort();
  };
  const idsIn = (crm: FakeCrmc) =>
    crm
      .liveDeals()
      .map((deal) => String(deal['Id']))
      .sort();

  it('a sandbox and production are connected side by side and outlive their tokens', async () => {
    const other = await service.workspace({ currency: 'EUR' });
    production.addDeal();
    sandbox.addDeal();
    sandbox.addDeal();
    await connect(production);
    await connect(sandbox, { client: other.api });
    for (let round = 0; round < 2; round += 1) {
      production.oauth.expireAccessTokens();
      sandbox.oauth.expireAccessTokens();
      for (const client of [api, other.api]) await client.expect(200, ...sync, {});
    }
    expect(await idsOf()).to.deep.equal(idsIn(production));
    expect(await idsOf(other.api)).to.deep.equal(idsIn(sandbox));
    const { authorizeUrl } = await api.expect(200, 'GET', `/auth/crmc/connect?loginUrl=${sandbox.loginUrl}`);
    expect(authorizeUrl).to.contain('/auth/crmc/authorize');
    await api.expect(400, 'GET', '/auth/crmc/connect?loginUrl=https://login.evil.test');
  });

  it('a deal that sharing hides stays paid, after a delivery as after a reconciliation', async () => {
    const ada = production.addUser({ Name: 'Ada', Email: 'ada@x.io' });
    const dealId = production.addDeal({ ...won, OwnerId: ada });
    const deleted = production.addDeal({ ...won, OwnerId: ada });
    for (let count = 0; count < 5; count += 1) production.addDeal({ ...won, OwnerId: ada });
    production.viewsAllDeals = false;
    const { webhookSecret, warnings } = await connect(production);
    production.viewsAllDeals = true;
    expect(warnings.map((one: { code: string }) => one.code)).to.deep.equal(['permission_missing']);
    expect(warnings[0].message).to.contain('View All on Opportunity');
    await api.expect(200, ...sync, {});
    await payEveryone(api);
    await service.waitForCalculations(workspaceId);
    const statusOf = async (id: string) =>
      (await api.expect(200, 'GET', `/v1/commissions?dealId=${id}`)).events[0]?.status;
    expect(await statusOf(dealId)).to.equal('earned');
    production.hiddenDeals.add(dealId);
    production.deleteDeal(deleted);
    production.purgeDeal(deleted);
    const flow = production.flow({ targetUrl: `${service.url}/webhooks/crmc`, secret: webhookSecret });
    flow.add(dealId, deleted);
    await flow.flush();
    await untilInboxEmpty(service.database.ownerUrl);
    const { counts } = await api.expect(200, ...sync, { reconcile: true });
    expect(counts).to.include({ hidden: 1 });
    await service.waitForCalculations(workspaceId);
    expect(await statusOf(dealId)).to.equal('earned');
    expect(await statusOf(deleted)).to.not.equal('earned');
    const { runs } = await api.expect(200, 'GET', `/v1/workspaces/audit-logs?dealId=${dealId}`);
    expect(JSON.stringify(runs)).to.contain('may not see it');
    production.hiddenDeals.clear();
  });

  it('another account needs a decision about the deals of the previous one, and their data do not mix', async () => {
    await connect(production);
    await api.expect(200, ...sync, {});
    const before = await idsOf();
    expect(before.length).to.be.greaterThan(0);
    const rejected = await connect(sandbox, { status: 409 });
    expect(rejected).to.include({ code: 'account_changed' });
    expect(rejected.details).to.include({ previousAccountId: production.orgId, deals: before.length });
    await connect(sandbox, { previousDeals: 'keep' });
    await api.expect(200, ...sync, { reconcile: true });
    expect(await idsOf()).to.deep.equal([...new Set([...before, ...idsIn(sandbox)])].sort());
    expect((await connect(sandbox)).warnings).to.deep.equal([]);
  });

  it('a sync that runs while another account is connected begins again with that account', async () => {
    for (let count = 0; count < 3; count += 1) production.addDeal();
    production.maxRowsPerPage = 2;
    await connect(production);
    const reached = new Promise<() => void>((resolve) => {
      production.server.fault({
        on: /GET .*\/query\/\w+-/,
        times: 1,
        answer: (_request, _response, next) => resolve(next),
      });
    });
    const { jobId } = await api.expect(200, ...sync, { async: true });
    const respond = await reached;
    await connect(sandbox, { previousDeals: 'remove' });
    respond();
    expect(await api.finishedJob(jobId)).to.include({ status: 'completed' });
    production.maxRowsPerPage = 2000;
    expect(await idsOf()).to.deep.equal(idsIn(sandbox));
  });

  it('a sync whose listing begins again counts each deal once', async () => {
    const count = production.liveDeals().length;
    production.maxRowsPerPage = Math.ceil(count / 3);
    await connect(production);
    production.server.fault({
      on: /GET .*\/query\/\w+-/,
      times: 1,
      answer: (_request, _response, next) => {
        production.expireLocators();
        next();
      },
    });
    const { totalDeals, counts } = await api.expect(200, ...sync, {});
    production.maxRowsPerPage = 2000;
    expect([totalDeals, counts.created, counts.unchanged ?? 0]).to.deep.equal([count, count, 0]);
  });
});
