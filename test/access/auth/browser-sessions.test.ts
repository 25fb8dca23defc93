import { expect } from 'chai';
import { CookieClient } from '#test/support/cookie-client.js';
import { Service } from '#test/support/service.js';
import { addPerson, OtpRequests, otherThan, type Person, signInRuns } from './otp-requests.js';

describe('browser sessions', () => {
  let service: Service;
  let otp: OtpRequests;
  let workspaceId: string;
  let mia: Person;

  before(async () => {
    service = await Service.start();
    otp = new OtpRequests(service);
    const created = await service.workspace({ name: 'Acme <Ltd>' });
    ({ workspaceId } = created);
    mia = await addPerson(created.api, 'mia@acme.test', { role: 'admin' });
  });

  beforeEach(async () => {
    await otp.clearLimits();
    await otp.ageCodes('1 day');
  });

  after(() => service.stop());

  async function signIn(): Promise<CookieClient> {
    const browser = new CookieClient(service.url);
    await browser.signIn(mia.email, () => service.lastCode(mia.email));
    return browser;
  }

  it('sign in with a code on pages without scripts, and show who is signed in', async () => {
    const browser = new CookieClient(service.url);
    const first = await browser.open('/session');
    expect(first.url).to.equal('/sign-in');
    expect(first.text).to.contain('<label for="email">').and.to.not.contain('<script');
    const policy = first.headers.get('content-security-policy');
    expect(policy).to.contain("default-src 'none'").and.to.not.contain('unsafe-inline');
    const requested = await browser.submit('/sign-in', { email: mia.email });
    expect(requested.text).to.contain('autocomplete="one-time-code"');
    const home = await browser.submit('/sign-in/code', {
      ...requested.fields,
      code: await service.lastCode(mia.email),
    });
    expect([home.status, home.url]).to.deep.equal([200, '/session']);
    expect(home.text).to.contain(mia.email).and.to.contain('Acme &lt;Ltd&gt;').and.to.contain('href="/docs"');
    expect((await browser.open('/sign-in')).url).to.equal('/session');
  });

  it('keep the session in a cookie that scripts and other sites cannot use', async () => {
    const browser = await signIn();
    const [cookie = ''] = browser.received.filter((text) => text.startsWith('session='));
    expect(cookie).to.match(/^session=sess_[0-9A-Za-z]{49};/);
    for (const term of ['HttpOnly', 'SameSite=Lax', 'Path=/', 'Expires=']) expect(cookie).to.contain(term);
    expect(cookie).to.not.contain('Secure').and.to.not.contain('Domain');
  });

  it('call operations like a bearer token', async () => {
    const browser = await signIn();
    const me = await browser.fetch('/auth/me');
    expect([me.status, ((await me.json()) as { repId: string }).repId]).to.deep.equal([200, mia.repId]);
    const own = { 'Sec-Fetch-Site': 'same-origin', 'X-Requested-By': 'page', 'Content-Type': 'application/json' };
    const changed = await browser.fetch('/v1/workspaces', { method: 'PATCH', headers: own, body: '{"name":"Acme"}' });
    expect(changed.status).to.equal(200);
    const { 'Sec-Fetch-Site': _, ...withoutSite } = { ...own, Origin: service.url };
    const again = await browser.fetch('/v1/workspaces', {
      method: 'PATCH',
      headers: withoutSite,
      body: '{"name":"Acme"}',
    });
    expect(again.status).to.equal(200);
  });

  it('change nothing for requests that other sites cause', async () => {
    const browser = await signIn();
    const json = { 'Content-Type': 'application/json' };
    const forged: Record<string, string>[] = [
      { ...json },
      { ...json, 'X-Requested-By': 'page' },
      { ...json, 'Sec-Fetch-Site': 'same-origin' },
      { ...json, 'X-Requested-By': 'page', 'Sec-Fetch-Site': 'cross-site', Origin: service.url },
      { ...json, 'X-Requested-By': 'page', 'Sec-Fetch-Site': 'same-site' },
      { ...json, 'X-Requested-By': 'page', Origin: 'https://evil.example' },
      { ...json, 'X-Requested-By': 'page', Origin: 'null' },
    ];
    for (const headers of forged) {
      const answer = await browser.fetch('/v1/workspaces', { method: 'PATCH', headers, body: '{"name":"Taken"}' });
      expect(answer.status, JSON.stringify(headers)).to.equal(403);
    }
    for (const path of ['/sign-in', '/sign-in/code', '/sign-out']) {
      const body = new URLSearchParams({ email: mia.email, code: '123456' });
      const answer = await browser.fetch(path, { method: 'POST', body, headers: { Origin: 'https://evil.example' } });
      expect(answer.status, path).to.equal(403);
    }
    const token = await browser.fetch('/sign-out', {
      method: 'POST',
      body: new URLSearchParams({ token: 'of another session' }),
      headers: { 'Sec-Fetch-Site': 'same-origin' },
    });
    expect(token.status).to.equal(403);
    expect((await browser.fetch('/auth/me')).status).to.equal(200);
  });

  it('end with a sign-out, here and as a bearer token', async () => {
    const browser = await signIn();
    const bearer = service.client(browser.cookie('session'));
    expect((await bearer.get('/auth/me')).status).to.equal(200);
    const home = await browser.open('/session');
    const out = await browser.submit('/sign-out', home.fields);
    expect(out.url).to.equal('/sign-in');
    expect(browser.cookie('session')).to.equal(null);
    expect((await bearer.get('/auth/me')).status).to.equal(401);
    expect((await signInRuns(service, workspaceId)).at(-1)).to.include({
      trigger: 'logout',
      actor: `rep:${mia.repId}`,
    });
  });

  it('delete the cookie of a session that has ended', async () => {
    const browser = await signIn();
    await service.client(browser.cookie('session')).expect(200, 'POST', '/auth/logout');
    expect((await browser.open('/session')).url).to.equal('/sign-in');
    expect(browser.cookie('session')).to.equal(null);
  });

  it('show an error on the page of the code, and accept no keys and no tokens of widgets', async () => {
    const browser = new CookieClient(service.url);
    await browser.submit('/sign-in', { email: mia.email });
    const code = await service.lastCode(mia.email);
    const wrong = await browser.submit('/sign-in/code', { email: mia.email, code: otherThan(code) });
    expect(wrong.status).to.equal(401);
    expect(wrong.text).to.contain('role="alert"');
    const bad = await browser.submit('/sign-in', { email: '<b>nobody' });
    expect(bad.status).to.equal(400);
    expect(bad.text).to.contain('&lt;b&gt;nobody').and.to.not.contain('<b>nobody');
    const { apiKey } = await service.workspace();
    browser.setCookie('session', apiKey);
    expect((await browser.fetch('/auth/me')).status).to.equal(401);
  });

  it('let a person with several workspaces choose one', async () => {
    const first = await service.workspace({ name: 'One' });
    const second = await service.workspace({ name: 'Two' });
    for (const { api } of [first, second]) await addPerson(api, 'both@acme.test');
    const browser = new CookieClient(service.url);
    const requested = await browser.submit('/sign-in', { email: 'both@acme.test' });
    const code = await service.lastCode('both@acme.test');
    const choice = await browser.submit('/sign-in/code', { ...requested.fields, code });
    expect(choice.text).to.contain('type="radio"').and.to.contain('Two');
    const home = await browser.submit('/sign-in/code', { ...choice.fields, workspaceId: second.workspaceId });
    expect(home.text).to.contain('Two').and.to.not.contain('One');
  });

  it('continue after the sign-in only with a page of this service', async () => {
    const browser = new CookieClient(service.url);
    for (const next of ['//evil.example', 'https://evil.example', '/\\evil.example', 'javascript:alert(1)'])
      expect((await browser.open(`/sign-in?next=${encodeURIComponent(next)}`)).text, next).to.not.contain(
        'name="next"',
      );
    const page = await browser.open('/sign-in?next=%2Fdocs');
    const requested = await browser.submit('/sign-in', { ...page.fields, email: mia.email });
    const done = await browser.submit('/sign-in/code', {
      ...requested.fields,
      code: await service.lastCode(mia.email),
    });
    expect(done.text).to.contain('href="/docs"').and.to.contain(mia.email);
  });
});

describe('browser sessions over TLS', () => {
  it('have a Secure cookie with the prefix __Host-, and links below the path of PUBLIC_URL', async () => {
    const service = await Service.start({ settings: { PUBLIC_URL: 'https://pay.acme.test/app/' } });
    const otp = new OtpRequests(service);
    try {
      const { api } = await service.workspace();
      const mia = await addPerson(api, 'mia@acme.test');
      const code = await otp.code(mia.email);
      const answer = await fetch(`${service.url}/sign-in/code`, {
        method: 'POST',
        redirect: 'manual',
        body: new URLSearchParams({ email: mia.email, code }),
        headers: { Origin: 'https://pay.acme.test' },
      });
      expect([answer.status, answer.headers.get('location')]).to.deep.equal([303, '/app/session']);
      const [cookie = ''] = answer.headers.getSetCookie();
      expect(cookie).to.match(/^__Host-session=sess_.*; Path=\/;.*HttpOnly; Secure; SameSite=Lax$/);
    } finally {
      await service.stop();
    }
  });
});
