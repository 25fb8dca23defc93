import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { pino } from 'pino';
import { deliver } from '#fakes/deliveries.js';
import { respondWith } from '#fakes/fake-server.js';
import { type ApiClient } from '#test/support/api-client.js';
import { CookieClient, type OpenedPage } from '#test/support/cookie-client.js';
import { type CrmWorld, crmWorlds, payEveryone, untilInboxEmpty } from '#test/support/crm-worlds.js';
import { Service } from '#test/support/service.js';
import { until } from '#test/support/until.js';

describe('CRM connections', () => {
  let worlds: CrmWorld[];
  let service: Service;
  let api: ApiClient;
  let workspaceId: string;
  const logged: string[] = [];

  before(async () => {
    worlds = await Promise.all(crmWorlds.map(({ start }) => start()));
    const log = pino({ level: 'debug' }, { write: (line: string) => void logged.push(line) });
    service = await Service.start({ crms: worlds, log });
  });

  after(async () => {
    await service.stop();
    await Promise.all(worlds.map((world) => world.stop()));
  });

  beforeEach(async () => {
    ({ api, workspaceId } = await service.workspace());
  });

  const worldOf = (provider: string) => worlds.find((world) => world.provider === provider) as CrmWorld;
  const rows = (text: string, values: unknown[] = []) => service.sql<Record<string, unknown>>(text, ...values);
  const statusOf = async (provider: string, client = api) => {
    const { integrations } = await client.expect(200, 'GET', '/auth/workspace/integrations');
    return integrations.find((one: { provider: string }) => one.provider === provider);
  };

  /** The browser of a person with a session; by default of a new admin of the workspace. */
  async function signedIn(client = api, workspace = workspaceId, role = 'admin') {
    const email = `${randomUUID()}@x.io`;
    const [repId] = await client.saveReps({ email, name: 'Ada', role });
    const browser = new CookieClient(service.url);
    const token = await service.token(workspace, 'sess', repId);
    browser.setCookie('session', token);
    return { browser, repId, email, session: service.client(token) };
  }

  async function startAddress(provider: string, client = api): Promise<string> {
    const { authorizeUrl } = await client.expect(200, 'GET', `/auth/${provider}/connect`);
    const { origin, pathname, search } = new URL(authorizeUrl);
    expect(origin).to.equal(service.url);
    return `${pathname}${search}`;
  }

  /** Follows the browser to the consent page and returns the address that the CRM redirects it to. */
  async function consent(provider: string, browser: CookieClient, client = api): Promise<URL> {
    const start = await browser.fetch(await startAddress(provider, client));
    expect(start.status).to.equal(302);
    return atCrm(start.headers.get('location') as string);
  }

  async function atCrm(location: string): Promise<URL> {
    const page = await fetch(location, { redirect: 'manual' });
    expect(page.status).to.equal(302);
    return new URL(page.headers.get('location') as string);
  }

  const followCallback = (back: URL, browser: CookieClient) => browser.open(`${back.pathname}${back.search}`);
  const decide = (provider: string, browser: CookieClient, { fields }: OpenedPage, decision = 'connect') =>
    browser.submit(`/auth/${provider}/confirm`, { ...fields, decision });

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
    const dealCounts = providers.map((provider) => answer.results[provider].totalDeals as number);
    for (const count of dealCounts) expect(count).to.be.at.least(1);
    expect(answer.totalDeals).to.equal(dealCounts.reduce((sum, count) => sum + count));
    for (const provider of providers) {
      expect(answer.message).to.contain(`read from ${provider}`);
      expect((await statusOf(provider)).lastSyncAt).to.be.a('string');
    }
    const one = await api.expect(200, 'POST', '/v1/commissions/sync', { provider: 'crmb' });
    expect(Object.keys(one.results)).to.deep.equal(['crmb']);
    const started = await api.expect(200, 'POST', '/v1/commissions/sync', { async: true });
    expect(Object.keys(started.results)).to.have.members(providers);
    for (const provider of providers) {
      const { jobId } = started.results[provider];
      await api.job(jobId);
    }
  });

  it('a failing CRM does not hide the results of the others', async () => {
    await api.expect(200, 'POST', '/auth/workspace/crmc/sync-enabled', { enabled: false });
    const [broken, sound] = [worldOf('crma'), worldOf('crmb')];
    for (const world of [broken, sound]) await world.connect(api, service.url);
    const endFault = broken.server.fault({ on: broken.listing, answer: respondWith(403, {}) });
    const answer = await api.expect(200, 'POST', '/v1/commissions/sync', {});
    endFault();
    expect(answer).to.include({ synced: false, status: 'completed' });
    expect(answer.results.crma).to.deep.include({ status: 'failed' });
    expect(answer.results.crma.error.code).to.be.a('string');
    expect(answer.results.crmb).to.include({ status: 'completed' });
  });

  for (const { provider } of crmWorlds) {
    describe(provider, () => {
      it('connects by consent in one browser after a confirmation, and a sync works afterwards', async () => {
        const { browser, repId } = await signedIn();
        const back = await consent(provider, browser);
        expect(back.origin).to.equal(service.url);
        const page = await followCallback(back, browser);
        expect(page.status, page.text).to.equal(200);
        expect(page.text).to.contain('Account id').and.to.not.contain('unknown');
        if (provider === 'crma') expect(page.text).to.contain('Fake workspace');
        expect(await statusOf(provider)).to.include({ connected: false });
        const connected = await decide(provider, browser, page);
        expect([connected.status, connected.text.includes('Webhook secret')]).to.deep.equal([200, provider === 'crmc']);
        expect(await statusOf(provider)).to.include({ connected: true, broken: false, lastSyncAt: null });
        const { runs } = await api.expect(200, 'GET', '/v1/workspaces/audit-logs');
        const entry = runs.find((run: { trigger: string }) => run.trigger === 'crm_connected');
        expect(entry.actor).to.equal(`rep:${repId}`);
        await api.expect(200, 'POST', '/v1/commissions/sync', {});
        expect((await statusOf(provider)).lastSyncAt).to.be.a('string');
      });

      it('connects nothing when a person sends the consent page to the CRM admin of another company', async () => {
        const attacker = await signedIn();
        const other = await service.workspace();
        const victim = await signedIn(other.api, other.workspaceId);
        const stranger = new CookieClient(service.url);
        for (const { browser } of [victim, { browser: stranger }]) {
          const back = await consent(provider, attacker.browser, attacker.session);
          expect((await followCallback(back, browser)).status).to.equal(401);
          // The state is deleted with the attempt, so that the attacker cannot use the victim's code either.
          expect((await followCallback(back, attacker.browser)).status).to.equal(401);
        }
        const sent = await startAddress(provider, attacker.session);
        expect((await victim.browser.fetch(sent)).status).to.equal(403);
        for (const client of [api, other.api])
          expect(await statusOf(provider, client)).to.include({ connected: false });
      });

      it('requires the cookie of the start and the same session on return', async () => {
        const { browser, repId } = await signedIn();
        const cookie = 'crm_consent';
        const again = await service.token(workspaceId, 'sess', repId);
        for (const change of [() => browser.setCookie(cookie, 'another'), () => browser.setCookie('session', again)]) {
          const back = await consent(provider, browser);
          change();
          expect((await followCallback(back, browser)).status).to.equal(401);
        }
        const page = await followCallback(await consent(provider, browser), browser);
        browser.setCookie(cookie, 'another');
        expect((await decide(provider, browser, page)).status).to.equal(401);
        expect(await statusOf(provider)).to.include({ connected: false });
      });

      it('requires a sign-in, and continues with the CRM after it', async () => {
        const { email } = await signedIn();
        const browser = new CookieClient(service.url);
        const page = await browser.open(await startAddress(provider));
        expect(page.url.startsWith('/sign-in?next=')).to.equal(true);
        const requested = await browser.submit('/sign-in', { ...page.fields, email });
        const code = await service.lastCode(email);
        const done = await browser.submit('/sign-in/code', { ...requested.fields, code });
        const [, next = ''] = /<a href="([^"]+)">Continue/.exec(done.text) ?? [];
        const start = await browser.fetch(next);
        expect(start.headers.get('location')?.startsWith(worldOf(provider).consentUrl)).to.equal(true);
      });

      it('lets an admin open the address that an API key requested, and no other person', async () => {
        const address = await startAddress(provider);
        expect((await (await signedIn()).browser.fetch(address)).status).to.equal(302);
        expect((await (await signedIn(api, workspaceId, 'manager')).browser.fetch(address)).status).to.equal(403);
        const first = await signedIn();
        const own = await startAddress(provider, first.session);
        expect((await (await signedIn()).browser.fetch(own)).status).to.equal(403);
        expect((await first.browser.fetch(own)).status).to.equal(302);
        expect((await first.browser.fetch(own.replace('start=', 'start=A'))).status).to.equal(401);
      });

      it('discards the account when the admin cancels, and accepts a confirmation once', async () => {
        const { browser } = await signedIn();
        const page = await followCallback(await consent(provider, browser), browser);
        await decide(provider, browser, page, 'cancel');
        expect((await decide(provider, browser, page)).status).to.equal(401);
        expect(await statusOf(provider)).to.include({ connected: false });
        const confirmed = await followCallback(await consent(provider, browser), browser);
        const forged = { ...confirmed, fields: { ...confirmed.fields, token: 'another' } };
        expect((await decide(provider, browser, forged)).status).to.equal(403);
        expect((await decide(provider, browser, confirmed)).status).to.equal(200);
        expect((await decide(provider, browser, confirmed)).status).to.equal(401);
      });

      it('accepts an OAuth state once, for its own CRM, and only if the service issued it', async () => {
        const { browser } = await signedIn();
        const back = await consent(provider, browser);
        const elsewhere = new URL(back.href.replace(provider, provider === 'crma' ? 'crmb' : 'crma'));
        const made = new URL(back.href.replace(/state=[^&]+/, 'state=made-up'));
        for (const wrong of [made, elsewhere]) expect((await followCallback(wrong, browser)).status).to.equal(401);
        expect(await statusOf(provider)).to.include({ connected: false });
        const again = await consent(provider, browser);
        expect((await followCallback(again, browser)).status).to.equal(200);
        expect((await followCallback(again, browser)).status).to.equal(401);
      });

      it('does not connect when the person is no admin any more on return', async () => {
        const { browser, repId } = await signedIn();
        await signedIn();
        const back = await consent(provider, browser);
        await api.expect(200, 'PATCH', `/v1/reps/${repId}`, { role: 'rep' });
        expect((await followCallback(back, browser)).status).to.equal(401);
        expect(await statusOf(provider)).to.include({ connected: false });
      });

      it('does not connect when the admin denies consent', async () => {
        const { oauth } = worldOf(provider);
        const { browser } = await signedIn();
        oauth.denies = true;
        const answer = await followCallback(await consent(provider, browser), browser);
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
        const page = `${service.url}/auth/${provider}/authorize?start=`;
        expect([answer.status, answer.headers.get('location')?.startsWith(page)]).to.deep.equal([302, true]);
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
        const hasConnection = `select 1 from crm_connections
          where workspace_id = $1 and num_nonnulls(connected_at, credentials, account_id, webhook_id) > 0`;
        const { count } = await api.expect(200, 'GET', '/v1/deals');
        expect(count).to.be.greaterThan(0);
        await api.expect(200, 'POST', `/auth/workspace/disconnect-${provider}`);
        expect(await rows(hasConnection, [workspaceId])).to.deep.equal([]);
        for (const table of ['inbound_routes', 'crm_fields'])
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

  it('crm-c: a rotated secret replaces the one before, also when the CRM is connected again', async () => {
    const world = worldOf('crmc');
    const post = (path: string, body: object = {}) => api.post(`/auth/workspace/${path}`, body);
    expect(await post('crmc/rotate-secret')).to.deep.include({ status: 400 });
    const connect = async () =>
      (await post('connect-crmc', { ...world.oauth.issue(), instanceUrl: world.server.url })).body;
    const status = async (secret: string) => {
      const headers = { Authorization: `Bearer ${secret}`, 'Content-Type': 'application/json' };
      const body = JSON.stringify({ opportunityId: '006RO000000abcdYAA' });
      return (await fetch(`${service.url}/webhooks/crmc`, { method: 'POST', headers, body })).status;
    };
    const { webhookSecret: lost, webhookUrl } = await connect();
    expect(await status(lost)).to.equal(202);
    const rotated = (await post('crmc/rotate-secret')).body;
    expect(rotated.webhookUrl).to.equal(webhookUrl);
    expect([await status(lost), await status(rotated.webhookSecret)]).to.deep.equal([401, 202]);
    expect((await connect()).webhookSecret).to.equal(null);
    expect(await status(rotated.webhookSecret)).to.equal(202);
    const { runs } = await api.expect(200, 'GET', '/v1/workspaces/audit-logs');
    expect(runs.map(({ trigger }: { trigger: string }) => trigger)).to.include('crm_secret_rotated');
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
      const changedAt = Date.now();
      await until(() => Date.now() > changedAt, { pauseMs: 1 });
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
      const { browser } = await signedIn();
      const page = await followCallback(await consent(world.provider, browser), browser);
      await decide(world.provider, browser, page);
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
