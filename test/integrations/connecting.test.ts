import 'reflect-metadata';
import { expect } from 'chai';
import { pino } from 'pino';
import { deliver } from '#fakes/deliveries.js';
import { answerWith } from '#fakes/fake-server.js';
import { type CrmWorld, crmWorlds, payEveryone, startServiceFor, untilInboxEmpty } from '#test/support/crm-worlds.js';
import { query } from '#test/support/ledger-checks.js';
import { type ApiClient, type TestService } from '#test/support/test-service.js';
import { sessionOf } from '#test/support/tokens.js';

describe('CRM connections', function () {
  this.timeout(60_000);
  let worlds: CrmWorld[];
  let service: TestService;
  let api: ApiClient;
  let workspaceId: string;
  const logged: string[] = [];

  before(async () => {
    worlds = await Promise.all(crmWorlds.map(({ start }) => start()));
    const log = pino({ level: 'debug' }, { write: (line: string) => void logged.push(line) });
    service = await startServiceFor(worlds, {}, log);
  });

  after(async () => {
    await service.stop();
    await Promise.all(worlds.map((world) => world.stop()));
  });

  beforeEach(async () => {
    ({ api, workspaceId } = await service.workspace());
  });

  const worldOf = (provider: string) => worlds.find((world) => world.provider === provider) as CrmWorld;
  const rows = (text: string, values: unknown[] = []) =>
    query<Record<string, unknown>>(service.database.ownerUrl, text, values);
  const statusOf = async (provider: string, client = api) => {
    const { integrations } = await client.expect(200, 'GET', '/auth/workspace/integrations');
    return integrations.find((one: { provider: string }) => one.provider === provider);
  };

  /** Follows the admin's browser to the consent page and back to the address that it names. */
  async function consent(provider: string, client = api): Promise<URL> {
    const { authorizeUrl } = await client.expect(200, 'GET', `/auth/${provider}/connect`);
    const page = await fetch(authorizeUrl, { redirect: 'manual' });
    expect(page.status).to.equal(302);
    return new URL(page.headers.get('location') as string);
  }

  const followCallback = (back: URL) => service.client(null).get(`${back.pathname}${back.search}`);

  it('a sync without a provider covers every connected CRM and returns a result for each', async () => {
    await api.expect(200, 'POST', '/auth/workspace/crmc/sync-enabled', { enabled: false });
    for (const world of worlds) {
      const owner = world.addPerson('Ada');
      world.addDeal({ owner, amount: 1000, won: true, closeDate: '2026-02-10' });
      await world.connect(api, service.url);
    }
    const providers = crmWorlds.map(({ provider }) => provider);
    const answer = await api.expect(200, 'POST', '/v1/commissions/sync', { reconcile: true });
    expect(answer).to.include({ synced: true, triggered: true, status: 'completed' });
    expect(Object.keys(answer.results)).to.have.members(providers);
    const pulled = providers.map((provider) => answer.results[provider].totalDeals as number);
    for (const count of pulled) expect(count).to.be.at.least(1);
    expect(answer.totalDeals).to.equal(pulled.reduce((sum, count) => sum + count));
    for (const provider of providers) {
      expect(answer.message).to.contain(`pulled from ${provider}`);
      expect((await statusOf(provider)).lastSyncAt).to.be.a('string');
    }
    const one = await api.expect(200, 'POST', '/v1/commissions/sync', { provider: 'crmb' });
    expect(Object.keys(one.results)).to.deep.equal(['crmb']);
    const started = await api.expect(200, 'POST', '/v1/commissions/sync', { async: true });
    expect(Object.keys(started.results)).to.have.members(providers);
    for (const provider of providers) {
      const { jobId } = started.results[provider];
      await api.expect(200, 'GET', `/v1/commissions/recalculate/jobs/${jobId}`);
    }
  });

  it('a failing CRM does not hide the results of the others', async () => {
    await api.expect(200, 'POST', '/auth/workspace/crmc/sync-enabled', { enabled: false });
    const [broken, sound] = [worldOf('crma'), worldOf('crmb')];
    for (const world of [broken, sound]) await world.connect(api, service.url);
    const endFault = broken.server.fault({ on: broken.listing, answer: answerWith(403, {}) });
    const answer = await api.expect(200, 'POST', '/v1/commissions/sync', {});
    endFault();
    expect(answer).to.include({ synced: false, status: 'completed' });
    expect(answer.results.crma).to.deep.include({ status: 'failed' });
    expect(answer.results.crma.error.code).to.be.a('string');
    expect(answer.results.crmb).to.include({ status: 'completed' });
  });

  for (const { provider } of crmWorlds) {
    describe(provider, () => {
      it('connects through the consent page, and a sync works afterwards', async () => {
        const back = await consent(provider);
        expect(back.origin).to.equal(service.url);
        const answer = await followCallback(back);
        expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
        expect(answer.body).to.include({ connected: true, provider });
        expect(await statusOf(provider)).to.include({ connected: true, broken: false, lastSyncAt: null });
        await api.expect(200, 'POST', '/v1/commissions/sync', {});
        expect((await statusOf(provider)).lastSyncAt).to.be.a('string');
      });

      it('accepts an OAuth state once, for its own CRM, and only if the service issued it', async () => {
        const back = await consent(provider);
        const elsewhere = new URL(back.href.replace(provider, provider === 'crma' ? 'crmb' : 'crma'));
        const made = new URL(back.href.replace(/state=[^&]+/, 'state=made-up'));
        for (const wrong of [made, elsewhere]) {
          const answer = await followCallback(wrong);
          expect([answer.status, answer.body.code]).to.deep.equal([401, 'unauthorized']);
        }
        expect(await statusOf(provider)).to.include({ connected: false });
        const again = await consent(provider);
        expect((await followCallback(again)).status).to.equal(200);
        expect((await followCallback(again)).status).to.equal(401);
      });

      it('does not connect when the caller is no admin any more on return', async () => {
        const { reps } = await api.expect(200, 'PUT', '/v1/reps', {
          reps: [
            { email: 'ada@x.io', name: 'Ada', role: 'admin' },
            { email: 'ben@x.io', name: 'Ben', role: 'admin' },
          ],
        });
        const session = await sessionOf(service, workspaceId, reps[0].id);
        const back = await consent(provider, session);
        await api.expect(200, 'PATCH', `/v1/reps/${reps[0].id}`, { role: 'rep' });
        expect((await followCallback(back)).status).to.equal(401);
        expect(await statusOf(provider)).to.include({ connected: false });
      });

      it('does not connect when the admin denies consent', async () => {
        const { oauth } = worldOf(provider);
        oauth.denies = true;
        const answer = await followCallback(await consent(provider));
        oauth.denies = false;
        expect(answer.status).to.equal(401);
        expect(await statusOf(provider)).to.include({ connected: false });
      });

      it('rejects a pasted token that the CRM rejects, and stores nothing', async () => {
        const body = {
          accessToken: 'wrong',
          ...(provider === 'crmc' ? { instanceUrl: worldOf(provider).server.url } : {}),
        };
        const answer = await api.expect(400, 'POST', `/auth/workspace/connect-${provider}`, body);
        expect(answer).to.include({ code: 'crm_refused' });
        expect(await rows('select 1 from crm_connections where workspace_id = $1', [workspaceId])).to.deep.equal([]);
      });

      it('redirects the browser on request', async () => {
        const { apiKey } = await service.workspace();
        const answer = await fetch(`${service.url}/auth/${provider}/connect?redirect=true`, {
          headers: { Authorization: `Bearer ${apiKey}` },
          redirect: 'manual',
        });
        expect([answer.status, answer.headers.get('location')?.startsWith(worldOf(provider).server.url)]).to.deep.equal(
          [302, true],
        );
      });

      it('reports access that the CRM revoked until an admin connects again', async () => {
        const world = worldOf(provider);
        await world.connect(api, service.url);
        world.oauth.revokeAll();
        const rejected = await api.expect(400, 'POST', '/v1/commissions/sync', {});
        expect(rejected).to.include({ code: 'crm_refused' });
        const status = await statusOf(provider);
        expect(status).to.include({ connected: true, broken: true });
        expect(status.brokenReason).to.be.a('string').and.not.equal('');
        const { runs } = await api.expect(200, 'GET', '/v1/workspaces/audit-logs');
        expect(runs.map((run: { trigger: string }) => run.trigger)).to.include('crm_broken');
        await world.connect(api, service.url);
        expect(await statusOf(provider)).to.include({ broken: false, brokenReason: null });
        await api.expect(200, 'POST', '/v1/commissions/sync', {});
      });

      it('disconnecting removes the webhooks and tokens and keeps deals and reps', async () => {
        const world = worldOf(provider);
        const ada = world.addPerson('Ada');
        world.addDeal({ owner: ada, amount: 10, won: true, closeDate: '2026-01-15' });
        await world.connect(api, service.url);
        await api.expect(200, 'POST', '/v1/commissions/sync', {});
        const { count } = await api.expect(200, 'GET', '/v1/deals');
        expect(count).to.be.greaterThan(0);
        await api.expect(200, 'POST', `/auth/workspace/disconnect-${provider}`);
        for (const table of ['crm_connections', 'inbound_routes', 'crm_fields'])
          expect(await rows(`select 1 from ${table} where workspace_id = $1`, [workspaceId]), table).to.deep.equal([]);
        expect((await api.expect(200, 'GET', '/v1/deals')).count).to.equal(count);
        if (provider === 'crma') expect(world.server.countRequests(/DELETE .*webhooks/)).to.be.greaterThan(0);
      });

      it('a sync imports the fields as the CRM defines them', async () => {
        const world = worldOf(provider);
        await world.connect(api, service.url);
        await api.expect(200, 'POST', '/v1/commissions/sync', {});
        const fields = await api.expect(200, 'GET', '/v1/fields');
        const status = fields.find(
          (field: { slug: string; type: string }) => field.type === 'status' && field.slug !== 'dealStage',
        );
        expect(status, JSON.stringify(fields)).to.be.an('object');
        const options = await api.expect(200, 'GET', `/v1/fields/attributes/${status.slug}/options`);
        expect(options.length).to.be.greaterThan(2);
        const { standard } = await api.expect(201, 'POST', '/v1/fields/auto-match');
        expect(standard).to.include.all.keys('dealAmount', 'dealStage', 'closeDate', 'dealName', 'ownerId');
      });
    });
  }

  it("crm-c: rejects an instance URL outside the CRM's domains without sending a request to it", async () => {
    for (const instanceUrl of [
      'http://169.254.169.254/',
      'https://evil.example/',
      'https://acme.salesforce.com.evil.example',
      'https://x@evil.example',
    ])
      expect(
        await api.expect(400, 'POST', '/auth/workspace/connect-crmc', { accessToken: 'x', instanceUrl }),
      ).to.include({ code: 'crm_refused' });
  });

  it('crm-b: applies deliveries in any order while the connection is broken', async () => {
    const world = worldOf('crmb');
    const ada = world.addPerson('Ada');
    const ben = world.addPerson('Ben');
    const id = world.addDeal({ owner: ada, amount: 1000, won: true, closeDate: '2026-02-10' });
    await world.connect(api, service.url);
    await api.expect(200, 'POST', '/v1/commissions/sync', {});
    await payEveryone(api);
    await service.waitForCalculations(workspaceId);
    world.oauth.revokeAll();
    await api.expect(400, 'POST', '/v1/commissions/sync', {});
    world.takeDeliveries();
    for (const change of [{ amount: 2000 }, { amount: 2500 }, { owner: ben }, { closeDate: '2026-03-31' }]) {
      world.change(id, change);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    for (const delivery of world.takeDeliveries().reverse()) expect(await deliver(delivery)).to.equal(200);
    await untilInboxEmpty(service.database.ownerUrl);
    await service.waitForCalculations(workspaceId);
    const { deals } = await api.expect(200, 'GET', '/v1/deals?limit=500');
    const deal = deals.find((one: { deal_id: string }) => one.deal_id === id);
    expect(deal).to.include({ amount: 2500, closeDate: '2026-03-31', ownerId: ben, repName: 'Ben Test' });
  });

  it('tokens and secrets are in no table, job or log in plain text', async () => {
    const tokens: string[] = [];
    for (const world of worlds) {
      const original = world.oauth.issue.bind(world.oauth);
      world.oauth.issue = () => {
        const issued = original();
        tokens.push(issued.accessToken, ...(issued.refreshToken === null ? [] : [issued.refreshToken]));
        return issued;
      };
      await world.connect(api, service.url);
      await followCallback(await consent(world.provider));
      await api.expect(200, 'POST', '/v1/commissions/sync', { provider: world.provider });
      world.oauth.revokeAll();
      await api.expect(400, 'POST', '/v1/commissions/sync', { provider: world.provider });
    }
    expect(tokens.length).to.be.greaterThan(6);
    const tables = await rows(`select table_schema || '.' || table_name as name from information_schema.tables
      where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`);
    const stored: string[] = [];
    for (const { name } of tables) {
      const [row] = await rows(`select string_agg(t::text, chr(10)) as content from ${name} t`);
      stored.push(String(row?.['content']));
    }
    const everything = `${stored.join('\n')}\n${logged.join('\n')}`;
    for (const token of tokens) {
      expect(everything.includes(token), 'in clear').to.equal(false);
      expect(everything.includes(Buffer.from(token).toString('hex')), 'as bytes').to.equal(false);
    }
  });
});
