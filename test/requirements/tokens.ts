import { expect } from 'chai';
import { CookieClient } from '#test/support/cookie-client.js';
import { row } from './rows.js';
import { type Json, service } from './running-service.js';
import { expectError, World } from './world.js';

const everyone = ['admin', 'mgr', 'ben', 'conn'] as const;

/** Operations without a specified role that every kind of token may call, and a check of each response. */
const open: readonly (readonly [number, string, (body: Json, world: World) => void])[] = [
  [610, '/auth/status', (body, { workspaceId }) => expect(body).to.include({ valid: true, workspaceId })],
  [611, '/v1/fields', (body) => expect(body.map((one: Json) => one.slug)).to.include('dealAmount')],
  [612, '/v1/fields/attributes', (body) => expect(body.map((one: Json) => one.slug)).to.include('dealStage')],
  [
    613,
    '/v1/fields/attributes/dealStage/options',
    (body) => expect(body.map((one: Json) => one.value)).to.deep.equal(['Won']),
  ],
  [614, '/v1/fields/current', (body) => expect(body).to.deep.include({ standard: {}, measures: {} })],
  [615, '/v1/deals', (body) => expect(body).to.include({ count: 3 })],
  [616, '/v1/workspaces', (body, { workspaceId }) => expect(body).to.include({ workspaceId, currency: 'USD' })],
];

/** Section 5 of the specification: kinds of tokens and what each may call. */
export function describeTokens(): void {
  describe('5: authentication', () => {
    let world: World;

    before(async () => {
      ({ world } = await World.example());
    });

    describeKinds(() => world);
    describeOpenOperations(() => world);
    describeConnections(() => world);
    describeIdentityProvider();
  });
}

function describeKinds(world: () => World): void {
  row(607, 'a connection token has the prefix conn_ and no person', async () => {
    expect(world().tokens.conn).to.match(/^conn_[0-9A-Za-z]{20,}$/);
    const status = await world().conn.expect(200, 'GET', '/auth/status');
    expect(status).to.include({ kind: 'conn', repId: null, role: null });
  });

  row(608, 'an API key has the prefix ws_', async () => {
    expect(world().apiKey).to.match(/^ws_[0-9A-Za-z]{20,}$/);
    expect(await world().get('/auth/status')).to.include({ kind: 'ws', role: 'admin' });
  });

  row(609, 'a key of one workspace sees nothing of another', async () => {
    const other = await World.create();
    const [plan] = await world().get('/v1/plans');
    await expectError('404 plan_not_found', other.admin.get(`/v1/plans/${plan.planId}`));
    await expectError('400 rep_not_found', other.admin.get(`/v1/reps/${world().ids.ben}`));
    await expectError('404 deal_not_found', other.admin.get('/v1/commissions?dealId=D1'));
    expect(await other.get('/v1/plans')).to.deep.equal([]);
    expect((await other.get('/v1/deals')).count).to.equal(0);
    expect((await other.get('/v1/reps')).reps.map((rep: Json) => rep.id)).to.have.members(Object.values(other.ids));
  });

  row(617, 'every operation under /v1 needs a token; only openapi.json is public', async () => {
    const anyone = world().anyone;
    const { paths } = await anyone.expect(200, 'GET', '/v1/openapi.json');
    const routes = Object.entries<Json>(paths).filter(([path]) => path.startsWith('/v1/'));
    expect(routes.length).to.be.at.least(50);
    for (const [path, methods] of routes)
      for (const method of Object.keys(methods).filter((one) => /^(get|post|put|patch|delete)$/.test(one))) {
        const filled = path.replace(/\{[^}]+\}/g, 'x');
        const answer = await anyone.send(method.toUpperCase(), filled, method === 'get' ? undefined : {});
        expect([answer.status, answer.body.code], `${method} ${path}`).to.deep.equal([401, 'unauthorized']);
      }
  });
}

function describeOpenOperations(world: () => World): void {
  for (const [number, path, holds] of open)
    row(number, `GET ${path} may be called with every kind of token`, async () => {
      for (const who of everyone) {
        const body = await world().client(who).expect(200, 'GET', path);
        if (path === '/v1/deals' && who === 'ben') expect(body.count).to.equal(3);
        holds(body, world());
      }
      await expectError('401 unauthorized', world().anyone.get(path));
    });

  row(606, 'settings of the workspace may be written only with an admin token', async () => {
    const body = { reps: [{ email: `ada@${world().workspaceId}.test`, name: 'Ada', role: 'admin' }] };
    const { reps } = await world().admin.expect(200, 'PUT', '/v1/reps', body);
    const session = service().client(await service().token(world().workspaceId, 'sess', reps[0].id));
    for (const admin of [world().admin, session]) {
      await admin.expect(201, 'POST', '/v1/fields/save', { standard: {} });
      for (const provider of ['crma', 'crmb', 'crmc']) {
        const answer = await admin.expect(200, 'POST', `/auth/workspace/disconnect-${provider}`);
        expect(answer).to.deep.equal({ disconnected: false, provider });
      }
      const toggled = await admin.expect(200, 'POST', '/auth/workspace/crmc/sync-enabled', { enabled: true });
      expect(toggled).to.deep.equal({ enabled: true });
    }
    for (const who of ['mgr', 'ben', 'conn'] as const) {
      const client = world().client(who);
      await expectError('403 forbidden', client.post('/v1/fields/save', { standard: {} }));
      await expectError('403 forbidden', client.post('/auth/workspace/disconnect-crma'));
      await expectError('403 forbidden', client.post('/auth/workspace/crmc/sync-enabled', { enabled: true }));
    }
  });
}

function describeConnections(world: () => World): void {
  const get = (path: string) => world().conn.expect(200, 'GET', path);

  row(605, "a connection token may call what has no stated role and is not a person's pay", async () => {
    expect((await get('/v1/plans')).map((plan: Json) => plan.name)).to.deep.equal(['AE']);
    expect(await get('/v1/plans/templates')).to.have.length.of.at.least(8);
    expect(await get('/v1/commissions/periods')).to.deep.equal(['2026-Q1']);
    const { reps } = await get('/v1/reps');
    expect(reps.map((rep: Json) => rep.name)).to.include.members(['Ben', 'Cat', 'Mia']);
    for (const rep of reps) expect(rep.payrollId ?? null).to.equal(null);
    const pay = [
      `/v1/commissions?repId=${world().ids.ben}`,
      `/v1/statements?repId=${world().ids.ben}&period=2026-Q1`,
      '/v1/quotas',
    ];
    for (const path of pay) await expectError('403 forbidden', world().conn.get(path));
  });

  row(618, 'a connection token reads what a CRM widget needs', async () => {
    expect((await get('/v1/deals')).deals.map((deal: Json) => deal.deal_id)).to.have.members(['D1', 'D2', 'D3']);
    expect((await get('/v1/fields')).length).to.be.at.least(7);
    expect(await get('/v1/workspaces')).to.include({ name: 'Acme', currency: 'USD' });
  });

  row(619, "a connection token reads a deal's breakdown", async () => {
    const { deal, total, events } = await get('/v1/commissions?dealId=D2');
    expect(deal).to.include({ deal_id: 'D2', amount: 60_000 });
    expect(total).to.equal(7200);
    expect(events.map((event: Json) => event.ruleName)).to.deep.equal(['Commission']);
  });

  row(620, 'the team view is 403 for a connection token', async () => {
    await expectError('403 forbidden', world().conn.get('/v1/commissions'));
    await expectError('403 forbidden', world().conn.get('/v1/statements?period=2026-Q1'));
  });
}

function describeIdentityProvider(): void {
  row(621, 'a sign-in through the identity provider gives a sess_ token', async () => {
    const world = await World.create();
    const { oidc } = service().outside;
    oidc.person = { email: world.email('ben'), email_verified: true };
    const browser = new CookieClient(service().url);
    const login = await browser.fetch('/auth/oidc/login');
    const back = await oidc.authorize(login.headers.get('location') ?? '');
    const answer = (await (await browser.fetch(`${back.pathname}${back.search}`)).json()) as { sessionToken: string };
    expect(answer.sessionToken).to.match(/^sess_[0-9A-Za-z]{20,}$/);
    const me = await service().client(answer.sessionToken).expect(200, 'GET', '/auth/me');
    expect(me).to.include({ repId: world.ids.ben, role: 'rep' });
    await expectError('401 unauthorized', world.anyone.get(`${back.pathname}${back.search}`));
  });
}
