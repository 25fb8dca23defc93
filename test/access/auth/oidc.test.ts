import { expect } from 'chai';
import { pino } from 'pino';
import { IdentityProvider } from '#src/access/auth/oidc/identity-provider.js';
import { type ApiClient, type ApiResponse } from '#test/support/api-client.js';
import { CookieClient } from '#test/support/cookie-client.js';
import { expectError } from '#test/support/errors.js';
import { FakeOidc } from '#test/support/fake-oidc.js';
import { Service } from '#test/support/service.js';
import { addPerson, dump, OtpRequests, signInRuns } from './otp-requests.js';

describe('signing in with an identity provider', () => {
  let provider: FakeOidc;
  let service: Service;
  let otp: OtpRequests;
  let workspaceId: string;
  let api: ApiClient;

  before(async () => {
    provider = await FakeOidc.start();
    service = await Service.start({ settings: provider.environment('https://pay.acme.test/app/') });
    otp = new OtpRequests(service);
    ({ workspaceId, api } = await service.workspace());
  });

  beforeEach(() => {
    provider.person = { email: 'ada@acme.test', email_verified: true };
    provider.forge = (claims) => claims;
    provider.signWith = 'own';
    provider.tokenStatus = 200;
    browser = new CookieClient(service.url);
    return otp.clearLimits();
  });

  after(async () => {
    await service.stop();
    await provider.stop();
  });

  let browser: CookieClient;

  async function begin(query = ''): Promise<URL> {
    const response = await browser.fetch(`/auth/oidc/login${query}`);
    expect(response.status).to.equal(302);
    return new URL(response.headers.get('location') ?? '');
  }

  async function finish(back: URL, from = browser): Promise<ApiResponse> {
    const response = await from.fetch(`/auth/oidc/callback${back.search}`);
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text.startsWith('{') ? JSON.parse(text) : text };
  }

  async function signIn(query = ''): Promise<ApiResponse> {
    return finish(await provider.authorize((await begin(query)).href));
  }

  it('accepts a verified address that the provider marks with a text', async () => {
    const { repId } = await addPerson(api, 'cognito@acme.test');
    provider.person = { email: 'cognito@acme.test', email_verified: 'true' };
    expect((await signIn()).body.rep).to.include({ id: repId });
  });

  it('redirects to the provider with PKCE, state and nonce, and returns with a session', async () => {
    const ada = await addPerson(api, 'ada@acme.test', { active: false });
    await api.expect(200, 'POST', `/v1/reps/${ada.repId}/invite`);
    provider.person = { email: ' ADA@acme.test', email_verified: true };
    const location = await begin();
    expect(Object.fromEntries(location.searchParams)).to.include({
      client_id: provider.clientId,
      response_type: 'code',
      redirect_uri: 'https://pay.acme.test/app/auth/oidc/callback',
      code_challenge_method: 'S256',
    });
    for (const secret of ['state', 'nonce', 'code_challenge'])
      expect(location.searchParams.get(secret)?.length).to.be.greaterThan(40);
    const answer = await finish(await provider.authorize(location.href));
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    expect(answer.body).to.have.all.keys('sessionToken', 'expiresAt', 'rep');
    expect(answer.body.rep).to.include({ id: ada.repId, invite_status: 'accepted' });
    expect((await service.client(answer.body.sessionToken).get('/auth/me')).body.email).to.equal('ada@acme.test');
    expect((await signInRuns(service, workspaceId)).at(-1)).to.include({ trigger: 'login', outcome: 'written' });
  });

  it('accepts each state once and rejects unknown states', async () => {
    await addPerson(api, 'ada@acme.test');
    const back = await provider.authorize((await begin()).href);
    expect((await finish(back)).status).to.equal(200);
    await expectError('401 unauthorized', finish(back));
    const another = await provider.authorize((await begin()).href);
    another.searchParams.set('state', 'made-up');
    for (const search of [another.search, '', '?code=x', '?state=x', '?error=access_denied&state=x'])
      expect((await service.client(null).get(`/auth/oidc/callback${search}`)).status, search).to.equal(401);
  });

  it('signs in only the browser that started the sign-in', async () => {
    await addPerson(api, 'ada@acme.test');
    const victim = new CookieClient(service.url);
    const back = await provider.authorize((await begin()).href);
    expect((await finish(back, victim)).status).to.equal(401);
    expect((await finish(back)).status, 'the state is used').to.equal(401);
    await victim.fetch('/auth/oidc/login');
    expect((await finish(await provider.authorize((await begin()).href), victim)).status).to.equal(401);
    expect((await signIn()).status).to.equal(200);
  });

  it('starts a session in a browser and redirects to the first page', async () => {
    await addPerson(api, 'ada@acme.test');
    const back = await provider.authorize((await begin()).href);
    const headers = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
    const answer = await browser.fetch(`/auth/oidc/callback${back.search}`, { headers });
    expect([answer.status, answer.headers.get('location')]).to.deep.equal([303, '/app/']);
    expect(browser.cookie('__Host-session')).to.match(/^sess_/);
  });

  it('shows a browser the error of a failed sign-in as a page', async () => {
    const headers = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
    const answer = await browser.fetch('/auth/oidc/callback?state=x&code=y', { headers });
    expect([answer.status, answer.headers.get('content-type')]).to.deep.equal([401, 'text/html; charset=utf-8']);
    const page = await answer.text();
    expect(page).to.contain('The sign-in failed').and.to.contain('href="/app/sign-in"');
  });

  it('rejects a state after ten minutes', async () => {
    const back = await provider.authorize((await begin()).href);
    await service.sql(`update sign_in_states set expires_at = expires_at - interval '10 minutes'`);
    expect((await finish(back)).status).to.equal(401);
  });

  it('rejects the response to another sign-in', async () => {
    await addPerson(api, 'ada@acme.test');
    const mine = await provider.authorize((await begin()).href);
    const theirs = await provider.authorize((await begin()).href);
    theirs.searchParams.set('state', mine.searchParams.get('state') as string);
    expect((await finish(theirs)).status).to.equal(401);
  });

  it('accepts only tokens signed by the provider for this client, with a verified address', async () => {
    await addPerson(api, 'ada@acme.test');
    const ofPerson = (person: Partial<FakeOidc['person']>) => () => {
      provider.person = person as FakeOidc['person'];
    };
    const withClaims = (change: FakeOidc['forge']) => () => {
      provider.forge = change;
    };
    const signedByStranger = () => {
      provider.signWith = 'stranger';
    };
    const forgeries: [string, () => void][] = [
      ['an unknown address', ofPerson({ email: 'nobody@acme.test', email_verified: true })],
      ['not verified', ofPerson({ email: 'ada@acme.test', email_verified: false })],
      ['not verified, as text', ofPerson({ email: 'ada@acme.test', email_verified: 'false' })],
      ['without email_verified', ofPerson({ email: 'ada@acme.test' })],
      ['without an address', ofPerson({ email_verified: true })],
      ['an address of two lines', ofPerson({ email: 'ada@acme.test\r\nBcc: x@y.z', email_verified: true })],
      ['for another client', withClaims((claims) => ({ ...claims, aud: 'another' }))],
      ['by another provider', withClaims((claims) => ({ ...claims, iss: 'http://127.0.0.1:1' }))],
      ['another nonce', withClaims((claims) => ({ ...claims, nonce: 'x' }))],
      ['without a nonce', withClaims(({ nonce: _, ...claims }) => claims)],
      ['signed by another key', signedByStranger],
      ['expired', withClaims((claims) => ({ ...claims, exp: 1_000_000 }))],
    ];
    const sessions = () => service.sql("select token_id from tokens where kind = 'sess'");
    const before = await sessions();
    for (const [name, forge] of forgeries) {
      provider.person = { email: 'ada@acme.test', email_verified: true };
      provider.forge = (claims) => claims;
      provider.signWith = 'own';
      forge();
      await expectError('401 unauthorized', signIn(), name);
    }
    expect(await sessions()).to.deep.equal(before);
  });

  it('trusts a directory that says nothing about addresses for the domains that the operator has listed', async () => {
    const logged: string[] = [];
    const log = pino({}, { write: (line: string) => void logged.push(JSON.parse(line).reason) });
    const { issuer, clientId, clientSecret } = provider;
    const client = { id: null, kind: 'other', name: 'SSO', issuer, clientId, clientSecret } as const;
    const emailFor = async (person: object, domains: string[]) => {
      provider.person = person as FakeOidc['person'];
      const directory = new IdentityProvider({ ...client, publicUrl: 'https://pay.acme.test', domains }, true, log);
      const { location, ...secrets } = await directory.begin();
      const back = await provider.authorize(location);
      return directory.finish(Object.fromEntries(back.searchParams), secrets);
    };
    const silent = { email: 'ada@acme.test' };
    expect(await emailFor(silent, ['acme.test'])).to.equal('ada@acme.test');
    expect(await emailFor(silent, [])).to.equal(null);
    expect(logged.at(-1)).to.include('OIDC_TRUSTED_DOMAINS');
    expect(await emailFor({ ...silent, email_verified: false }, ['acme.test'])).to.equal(null);
    expect(await emailFor({ ...silent, email_verified: true }, ['acme.example'])).to.equal(null);
    expect(logged.at(-1)).to.include('not listed');
  });

  it('rejects people who are not active', async () => {
    const gone = await addPerson(api, 'gone@acme.test', { active: false });
    provider.person = { email: 'gone@acme.test', email_verified: true };
    expect((await signIn()).status).to.equal(401);
    expect((await signInRuns(service, workspaceId)).at(-1)).to.deep.equal({
      actor: 'anonymous',
      trigger: 'login',
      outcome: 'failed',
      rep_id: gone.repId,
    });
  });

  it('requires a workspace from people who have several', async () => {
    const other = await service.workspace({ name: 'Other' });
    await addPerson(api, 'ada@acme.test');
    await addPerson(other.api, 'ada@acme.test');
    const choice = await signIn();
    expect(choice.status).to.equal(400);
    expect(choice.body.details.workspaces).to.have.length(2);
    const chosen = await signIn(`?workspaceId=${other.workspaceId}`);
    expect(chosen.status).to.equal(200);
    const { body } = await service.client(chosen.body.sessionToken).get('/auth/status');
    expect(body.workspaceId).to.equal(other.workspaceId);
    expect((await service.client(null).get('/auth/oidc/login?workspaceId=x')).status).to.equal(400);
  });

  it('distinguishes an outage of the provider from a rejected sign-in', async () => {
    provider.tokenStatus = 503;
    await expectError('503 identity_provider_unavailable', signIn());
  });

  it('stores neither state, nonce nor verifier in plain text', async () => {
    const { searchParams } = await begin();
    const rows = await dump(service);
    for (const name of ['state', 'nonce']) expect(rows).to.not.contain(searchParams.get(name));
  });
});

describe('without an identity provider', () => {
  it('returns an error for sign-in with an identity provider', async () => {
    const service = await Service.start();
    try {
      for (const path of ['/auth/oidc/login', '/auth/oidc/callback?state=x&code=y']) {
        await expectError('404 not_found', service.client(null).get(path));
      }
    } finally {
      await service.stop();
    }
  });
});

describe('with an unavailable identity provider', () => {
  it('reports the outage and retries on the next request', async () => {
    const provider = await FakeOidc.start();
    const environment = provider.environment('http://127.0.0.1:1');
    await provider.stop();
    const service = await Service.start({ settings: environment });
    try {
      for (let tries = 0; tries < 2; tries += 1) {
        await expectError('503 identity_provider_unavailable', service.client(null).get('/auth/oidc/login'));
      }
    } finally {
      await service.stop();
    }
  });
});
