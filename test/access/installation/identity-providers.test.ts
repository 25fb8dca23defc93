import { expect } from 'chai';
import { IdentityProviders } from '#src/access/auth/oidc/identity-providers.js';
import { type ApiClient, type ApiResponse } from '#test/support/api-client.js';
import { CookieClient } from '#test/support/cookie-client.js';
import { expectError } from '#test/support/errors.js';
import { FakeOidc } from '#test/support/fake-oidc.js';
import { Service } from '#test/support/service.js';
import { addPerson, dump, OtpRequests } from '../auth/otp-requests.js';

describe('identity providers that are set up in the app', () => {
  const service = Service.duringSuite({ settings: { OIDC_ALLOW_HTTP: '1' } });
  const otp = new OtpRequests(service);
  let first: FakeOidc;
  let second: FakeOidc;
  let admin: ApiClient;
  let stranger: ApiClient;
  let key: ApiClient;

  before(async () => {
    [first, second] = await Promise.all([FakeOidc.start(), FakeOidc.start()]);
    const { workspaceId, api } = await service.workspace();
    key = api;
    await addPerson(api, 'ada@acme.test', { role: 'admin' });
    await addPerson((await service.workspace()).api, 'eve@other.test', { role: 'admin' });
    admin = (await otp.signIn('ada@acme.test')).api;
    stranger = (await otp.signIn('eve@other.test')).api;
    await service.sql('insert into installation (operator_workspace_id) values ($1)', workspaceId);
  });

  beforeEach(async () => {
    first.person = { email: 'ada@acme.test', email_verified: true };
    second.person = { email: 'ada@acme.test', email_verified: true };
    await service.sql('delete from identity_providers');
    service.running.service.parts.resolve(IdentityProviders).reloadButtons();
    await otp.clearLimits();
  });

  after(() => Promise.all([first.stop(), second.stop()]));

  const terms = (provider: FakeOidc, more: object = {}) => ({
    kind: 'other',
    name: 'Acme',
    issuer: provider.issuer,
    clientId: provider.clientId,
    clientSecret: provider.clientSecret,
    domains: [],
    publicUrl: service.url,
    ...more,
  });
  const save = (body: object, client = admin): Promise<ApiResponse> =>
    client.post('/v1/installation/identity-providers', body);
  const buttons = async () => {
    const response = await fetch(`${service.url}/`, { headers: { Accept: 'application/json' } });
    return (await response.json()) as { singleSignOn: boolean; providers: { id: string; name: string }[] };
  };

  async function signIn(provider: FakeOidc, id: string): Promise<ApiResponse> {
    const browser = new CookieClient(service.url);
    const begun = await browser.fetch(`/auth/oidc/login?provider=${id}`);
    const back = await provider.authorize(begun.headers.get('location') ?? '');
    const response = await browser.fetch(`/auth/oidc/callback${back.search}`);
    return { status: response.status, headers: response.headers, body: await response.json() };
  }

  it('are offered on the sign-in page, several at a time, and each signs people in until it is removed', async () => {
    const google = (await save(terms(first, { kind: 'google', name: 'Google' }))).body;
    const other = (await save(terms(second, { name: 'Acme & Co' }))).body;
    expect(google).to.include({ source: 'app', callbackUrl: `${service.url}/auth/oidc/callback` });
    expect(await buttons()).to.deep.include({
      singleSignOn: true,
      providers: [
        { id: google.id, kind: 'google', name: 'Google' },
        { id: other.id, kind: 'other', name: 'Acme & Co' },
      ],
    });
    const page = await (await fetch(`${service.url}/sign-in`, { headers: { Accept: 'text/html' } })).text();
    expect(page).to.contain(`/auth/oidc/login?provider=${google.id}">Sign in with Google`);
    expect(page).to.contain('Sign in with Acme &amp; Co');
    expect((await signIn(first, google.id)).status).to.equal(200);
    expect((await signIn(second, other.id)).status).to.equal(200);
    await admin.expect(200, 'DELETE', `/v1/installation/identity-providers/${google.id}`);
    expect((await buttons()).providers.map(({ name }) => name)).to.deep.equal(['Acme & Co']);
    await expectError('404 not_found', service.client(null).get(`/auth/oidc/login?provider=${google.id}`));
    await expectError(
      '404 provider_not_found',
      admin.send('DELETE', `/v1/installation/identity-providers/${google.id}`),
    );
  });

  it('answer only for the sign-in that they began', async () => {
    const google = (await save(terms(first))).body;
    await save(terms(second));
    const browser = new CookieClient(service.url);
    const begun = new URL(
      (await browser.fetch(`/auth/oidc/login?provider=${google.id}`)).headers.get('location') ?? '',
    );
    const forged = new URL(begun.href.replace(first.issuer, second.issuer));
    const back = await second.authorize(forged.href);
    expect((await browser.fetch(`/auth/oidc/callback${back.search}`)).status).to.equal(401);
  });

  it('sign in only addresses of the listed domains, and Microsoft trusts only these', async () => {
    const listed = (await save(terms(first, { domains: ['Other.test'] }))).body;
    expect((await signIn(first, listed.id)).status).to.equal(401);
    first.person = { email: 'eve@other.test', email_verified: true };
    expect((await signIn(first, listed.id)).status).to.equal(200);
    const microsoft = (await save(terms(second, { kind: 'microsoft', domains: ['acme.test'] }))).body;
    second.person = { email: 'ada@acme.test' };
    expect((await signIn(second, microsoft.id)).status).to.equal(200);
    second.person = { email: 'eve@other.test' };
    expect((await signIn(second, microsoft.id)).status).to.equal(401);
    const unverified = (await save(terms(second))).body;
    second.person = { email: 'ada@acme.test' };
    expect((await signIn(second, unverified.id)).status).to.equal(401);
  });

  it('are changed only by a signed-in admin of the workspace that operates the installation', async () => {
    const { id } = (await save(terms(first))).body;
    for (const client of [stranger, key]) {
      await expectError('409 not_operator', save(terms(second), client));
      await expectError('409 not_operator', save(terms(second, { id }), client));
      await expectError('409 not_operator', client.send('DELETE', `/v1/installation/identity-providers/${id}`));
    }
    expect((await buttons()).providers).to.have.length(1);
  });

  it('keep the secret encrypted, and never send it to another provider', async () => {
    const saved = (await save(terms(first))).body;
    expect(JSON.stringify(saved) + (await dump(service))).to.not.contain(first.clientSecret);
    const { clientSecret: _, ...without } = terms(first, { id: saved.id, name: 'Renamed' });
    expect((await save(without)).body.name).to.equal('Renamed');
    expect((await signIn(first, saved.id)).status).to.equal(200);
    await expectError('400 VALIDATION_FAILED', save({ ...without, issuer: second.issuer }));
    await expectError('400 VALIDATION_FAILED', save({ ...without, clientId: 'another' }));
  });

  it('are rejected if nothing answers, or if their issuer would let strangers in', async () => {
    await expectError('409 identity_provider_unavailable', save(terms(first, { issuer: 'http://127.0.0.1:9' })));
    for (const wrong of [
      { kind: 'google', issuer: 'https://accounts.example.com' },
      { kind: 'microsoft', issuer: 'https://login.microsoftonline.com/common/v2.0', domains: ['acme.test'] },
      { kind: 'microsoft', issuer: first.issuer, domains: [] },
      { issuer: 'ftp://acme.test' },
      { domains: ['not a domain'] },
      { name: ' ' },
    ])
      expect((await save(terms(first, wrong))).status, JSON.stringify(wrong)).to.equal(400);
    expect((await buttons()).singleSignOn).to.equal(false);
  });
});

describe('identity providers beside that of the environment', () => {
  it('come after it, and it cannot be removed in the app', async () => {
    const [environment, added] = await Promise.all([FakeOidc.start(), FakeOidc.start()]);
    const service = await Service.start({ settings: environment.environment('https://pay.acme.test') });
    try {
      const { workspaceId, api } = await service.workspace();
      await addPerson(api, 'ada@acme.test', { role: 'admin' });
      await service.sql('insert into installation (operator_workspace_id) values ($1)', workspaceId);
      const { api: admin } = await new OtpRequests(service).signIn('ada@acme.test');
      const body = {
        kind: 'other',
        name: 'Second',
        issuer: added.issuer,
        clientId: added.clientId,
        clientSecret: added.clientSecret,
        domains: [],
        publicUrl: 'https://ignored.test',
      };
      await admin.expect(200, 'POST', '/v1/installation/identity-providers', body);
      const { identityProviders } = await admin.expect(200, 'GET', '/v1/installation');
      expect(
        identityProviders.map((one: Record<string, unknown>) => [one['name'], one['source'], one['callbackUrl']]),
      ).to.deep.equal([
        ['Single sign-on', 'environment', 'https://pay.acme.test/auth/oidc/callback'],
        ['Second', 'app', 'https://pay.acme.test/auth/oidc/callback'],
      ]);
    } finally {
      await service.stop();
      await Promise.all([environment.stop(), added.stop()]);
    }
  });
});
