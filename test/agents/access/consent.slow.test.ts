import { createServer } from 'node:http';
import {
  Client,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { expect } from 'chai';
import { Browser } from '#test/support/browser.js';
import { query } from '#test/support/ledger-checks.js';
import { violations } from '#test/web/accessibility.js';
import { publishDocument } from './metadata-document.js';
import { forAgents } from './oauth-fixture.js';

/** The program of a person: it opens a browser for the sign-in and waits for the browser to return. */
class Program implements OAuthClientProvider {
  readonly opened: URL[] = [];
  readonly clientMetadataUrl?: string;
  registration: StoredOAuthClientInformation | undefined;
  saved: StoredOAuthTokens | undefined;
  private discovered: OAuthDiscoveryState | undefined;
  private verifier = '';

  constructor(
    readonly redirectUrl: string,
    documentUrl?: string,
  ) {
    if (documentUrl !== undefined) this.clientMetadataUrl = documentUrl;
  }

  get clientMetadata() {
    return { client_name: 'Test program', redirect_uris: [this.redirectUrl], token_endpoint_auth_method: 'none' };
  }
  state = () => 'st4te';
  clientInformation = () => this.registration;
  saveClientInformation = (information: StoredOAuthClientInformation) => {
    this.registration = information;
  };
  tokens = () => this.saved;
  saveTokens = (tokens: StoredOAuthTokens) => {
    this.saved = tokens;
  };
  invalidateCredentials = () => {
    this.saved = undefined;
  };
  redirectToAuthorization = (url: URL) => {
    this.opened.push(url);
  };
  saveCodeVerifier = (verifier: string) => {
    this.verifier = verifier;
  };
  codeVerifier = () => this.verifier;
  discoveryState = () => this.discovered;
  saveDiscoveryState = (state: OAuthDiscoveryState) => {
    this.discovered = state;
  };
}

describe('connecting an agent with the official client and a browser', () => {
  const browser = Browser.duringSuite({ service: forAgents });

  const endpoint = () => new URL(`${browser.service.url}/v1/mcp`);
  const transportOf = (program: Program) => new StreamableHTTPClientTransport(endpoint(), { authProvider: program });
  const newClient = () => new Client({ name: 'test', version: '1' });

  /** A page to which the browser returns, and the parameters with which it did. */
  async function callback() {
    const { promise, resolve } = resolvers<URLSearchParams>();
    const server = createServer((request, response) => {
      response.end('<h1>Return to the program</h1>');
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://127.0.0.1');
      if (pathname === '/callback') resolve(searchParams);
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const { port } = server.address() as { port: number };
    return { url: `http://127.0.0.1:${port}/callback`, returned: promise, stop: () => server.close() };
  }

  /** The first connection fails because no user has signed in, and the program has an address to open. */
  async function addressToOpen(program: Program): Promise<string> {
    const rejection = await newClient()
      .connect(transportOf(program))
      .catch((error: unknown) => error);
    expect(rejection).to.be.instanceOf(UnauthorizedError);
    const { pathname, search } = program.opened.at(-1) ?? expect.fail('the program did not open a browser');
    return `${pathname}${search}`;
  }

  async function consent(role: string, address: string, write: boolean): Promise<string[]> {
    const { page, problems, close } = await browser.openPage(role, address);
    expect(await page.$eval('h1', ({ textContent }) => textContent)).to.equal('Connect an agent');
    const shown = await page.$$eval('dd', (cells) => cells.map(({ textContent }) => textContent ?? ''));
    expect(await violations(page)).to.deep.equal([]);
    if (!write) await page.click('input[name=write]');
    await Promise.all([page.waitForNavigation(), page.click('button:not([disabled])')]);
    expect(problems.filter((one) => !one.includes('favicon'))).to.deep.equal([]);
    await close();
    return shown;
  }

  it('registers, signs in, calls tools, refreshes its tokens, and ends when the person disconnects it', async () => {
    const back = await callback();
    const program = new Program(back.url);
    const shown = await consent('manager', await addressToOpen(program), true);
    expect(shown.join(' | ')).to.include('Maya Ito').and.include('Manager').and.include('not verified');
    const transport = transportOf(program);
    await transport.finishAuth(await back.returned);
    const client = newClient();
    await client.connect(transport);
    const { structuredContent } = await client.callTool({ name: 'get_workspace', arguments: {} });
    expect((structuredContent as { caller: object }).caller).to.include({
      role: 'manager',
      repId: browser.repId('manager'),
    });

    const before = program.saved?.access_token ?? '';
    await query(browser.service.database.ownerUrl, `update tokens set expires_at = now() where kind = 'agt'`);
    expect((await client.listTools()).tools).not.to.deep.equal([]);
    expect(program.saved?.access_token).not.to.equal(before);

    const { page, problems, close } = await browser.openPage('manager', '/account/agents');
    expect(await violations(page)).to.deep.equal([]);
    await page.locator('main td button').click();
    await page.locator('form button[type=submit]').click();
    await page.waitForFunction(`document.querySelector('h2')?.textContent === 'No agents are connected'`);
    expect(problems).to.deep.equal([]);
    await close();
    const ended = await client.callTool({ name: 'get_workspace', arguments: {} }).catch((error: unknown) => error);
    expect(ended).to.be.instanceOf(UnauthorizedError);
    back.stop();
  });

  it('a program with a metadata document needs no registration, and shows its address', async () => {
    const back = await callback();
    const document = await publishDocument({ client_name: 'Published program', redirect_uris: [back.url] });
    try {
      const program = new Program(back.url, document.url);
      const shown = await consent('admin', await addressToOpen(program), false);
      expect(shown).to.include(new URL(document.url).host);
      const transport = transportOf(program);
      await transport.finishAuth(await back.returned);
      expect(program.saved?.scope).to.equal('read');
      const clients = await query(
        browser.service.database.ownerUrl,
        `select from agent_clients where metadata->>'name' like 'Pub%'`,
      );
      expect(clients).to.deep.equal([]);
    } finally {
      await document.stop();
      back.stop();
    }
  });

  it('asks for a code from an e-mail where the workspace requires it, and then connects', async () => {
    const back = await callback();
    const program = new Program(back.url);
    const { page, close } = await browser.openPage('payroll', await addressToOpen(program));
    await browser.workspace.api.expect(200, 'PATCH', '/v1/workspaces', { stepUpMinutes: 15 });
    const asking = '[role=dialog][aria-label="Confirm that it is you"]';
    await page.locator('::-p-xpath(//button[. = "Connect"])').click();
    await page.locator(`${asking} button[type=submit]`).click();
    await page.waitForSelector(`${asking} input`);
    const code = await browser.service.lastCode('joan.pereira@demo.example');
    await Promise.all([page.waitForNavigation(), page.keyboard.type(code)]);
    expect((await back.returned).get('code')).to.match(/^agc_/);
    await browser.workspace.api.expect(200, 'PATCH', '/v1/workspaces', { stepUpMinutes: null });
    await close();
    back.stop();
  });

  it('a person who cancels returns to the program with access_denied, and nothing is connected', async () => {
    const back = await callback();
    const program = new Program(back.url);
    const { page, close } = await browser.openPage('manager', await addressToOpen(program));
    const cancel = await page.waitForSelector('::-p-text(Cancel)');
    await Promise.all([page.waitForNavigation(), cancel?.click()]);
    await close();
    const rejection = await transportOf(program)
      .finishAuth(await back.returned)
      .catch((error: unknown) => error);
    expect(String(rejection)).to.include('access_denied');
    expect(program.saved).to.equal(undefined);
    back.stop();
  });

  it('a foreign redirect URI ends on an error page, and the browser does not return', async () => {
    const [back, foreign] = [await callback(), await callback()];
    const address = new URL(await addressToOpen(new Program(back.url)), browser.service.url);
    address.searchParams.set('redirect_uri', `${foreign.url}/other`);
    const context = await browser.chromium.createBrowserContext();
    const page = await context.newPage();
    const response = await page.goto(address.href);
    expect(response?.status()).to.equal(400);
    expect(new URL(page.url()).pathname).to.equal('/oauth/authorize');
    expect(await response?.json()).to.include({ error: 'invalid_request' });
    await context.close();
    for (const one of [back, foreign]) one.stop();
  });

  describe('the official client', () => {
    /** What the browser returns after the person has agreed. */
    async function agreed(program: Program): Promise<URLSearchParams> {
      const address = new URL(await addressToOpen(program), browser.service.url);
      const response = await fetch(address, { redirect: 'manual' });
      const request = new URL(response.headers.get('location') ?? '').searchParams.get('request');
      const person = await browser.as('manager');
      const { redirectTo } = await person.expect(200, 'POST', '/v1/agents/request', { request, decision: 'allow' });
      return new URL(redirectTo).searchParams;
    }

    const expire = () =>
      query(browser.service.database.ownerUrl, `update tokens set expires_at = now() where kind = 'agt'`);
    const listTools = async (program: Program): Promise<unknown> => {
      const client = newClient();
      await client.connect(transportOf(program));
      return (await client.listTools()).tools;
    };
    const rejected = (work: Promise<unknown>) =>
      work.then(
        () => expect.fail('it was not rejected'),
        (error: unknown) => error,
      );

    it('gets invalid_grant for a code that was used, and loses the connection', async () => {
      const program = new Program('http://127.0.0.1:5173/callback');
      const returned = await agreed(program);
      await transportOf(program).finishAuth(returned);
      await listTools(program);
      const replayed = await rejected(transportOf(program).finishAuth(returned));
      expect((replayed as { code: string }).code).to.equal('invalid_grant');
      expect(await rejected(listTools(program))).to.be.instanceOf(UnauthorizedError);
    });

    it('must sign in again when a refresh token was used twice, also with the newer tokens', async () => {
      const program = new Program('http://127.0.0.1:5173/callback');
      await transportOf(program).finishAuth(await agreed(program));
      const first = program.saved;
      await expire();
      await listTools(program);
      const second = program.saved;
      program.saved = first;
      await expire();
      expect(await rejected(listTools(program))).to.be.instanceOf(UnauthorizedError);
      program.saved = second;
      expect(await rejected(listTools(program))).to.be.instanceOf(UnauthorizedError);
    });

    it('is rejected with tokens for another address', async () => {
      const program = new Program('http://127.0.0.1:5173/callback');
      await transportOf(program).finishAuth(await agreed(program));
      await query(
        browser.service.database.ownerUrl,
        `update agent_connections set audience = 'https://other.test/v1/mcp'`,
      );
      expect(await rejected(listTools(program))).to.be.instanceOf(UnauthorizedError);
    });

    it('with a metadata document on a private address gets invalid_client', async () => {
      const program = new Program('http://127.0.0.1:5173/callback', 'https://10.0.0.5/client.json');
      const response = await fetch(new URL(await addressToOpen(program), browser.service.url), { redirect: 'manual' });
      expect(response.status).to.equal(400);
      expect(await response.json()).to.include({ error: 'invalid_client' });
    });
  });

  it('a person who is not signed in signs in first', async () => {
    const back = await callback();
    const { page, close } = await browser.openPage(null, await addressToOpen(new Program(back.url)));
    const { pathname, searchParams } = new URL(page.url());
    expect(pathname).to.equal('/login');
    expect(searchParams.get('next')).to.match(/^\/connect-agent\?request=/);
    await close();
    back.stop();
  });
});

function resolvers<T>() {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
