import { createHash, randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { type ApiClient } from '#test/support/api-client.js';

/** Options of a service to which people can connect agents. */
export const forAgents = { hasPublicUrl: true, settings: { MCP_OAUTH: '1' } } as const;

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly expires_in: number;
  readonly scope: string;
}

interface TokenReply {
  readonly status: number;
  readonly body: Tokens & { readonly error?: string; readonly error_description?: string };
}

export const redirectUri = 'http://127.0.0.1:5173/callback';

/** The program of an agent, as a minimal client of OAuth that can also misbehave. */
export class ClientProgram {
  readonly verifier = randomBytes(32).toString('base64url');
  readonly challenge = createHash('sha256').update(this.verifier).digest('base64url');

  constructor(
    readonly url: string,
    readonly clientId: string,
  ) {}

  static async register(url: string, metadata: object = {}): Promise<ClientProgram> {
    const { status, body } = await register(url, { client_name: 'Agent', redirect_uris: [redirectUri], ...metadata });
    expect(status, JSON.stringify(body)).to.equal(201);
    return new ClientProgram(url, body.client_id);
  }

  /** The response of the authorization endpoint to a request with the changes. */
  authorize(change: Record<string, string> = {}): Promise<Response> {
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: this.clientId,
      redirect_uri: redirectUri,
      code_challenge: this.challenge,
      code_challenge_method: 'S256',
      state: 'st4te',
      scope: 'read write',
      resource: `${this.url}/v1/mcp`,
      ...change,
    });
    return fetch(`${this.url}/oauth/authorize?${query}`, { redirect: 'manual' });
  }

  /** The request of the consent page. */
  async pending(change: Record<string, string> = {}): Promise<string> {
    const response = await this.authorize(change);
    expect(response.status).to.equal(302);
    const page = new URL(response.headers.get('location') ?? '');
    expect(page.pathname).to.equal('/connect-agent');
    return page.searchParams.get('request') ?? '';
  }

  /** The code after the person has agreed. */
  async code(person: ApiClient, scopes?: readonly string[], change: Record<string, string> = {}): Promise<string> {
    const request = await this.pending(change);
    const body = { request, decision: 'allow', ...(scopes === undefined ? {} : { scopes }) };
    const { redirectTo } = await person.expect(200, 'POST', '/v1/agents/request', body);
    const returned = new URL(redirectTo);
    expect(`${returned.origin}${returned.pathname}`).to.equal(redirectUri);
    expect(returned.searchParams.get('state')).to.equal('st4te');
    expect(returned.searchParams.get('iss')).to.equal(this.url);
    return returned.searchParams.get('code') ?? '';
  }

  exchange(code: string, change: Record<string, string> = {}): Promise<TokenReply> {
    return this.token({
      grant_type: 'authorization_code',
      code,
      code_verifier: this.verifier,
      redirect_uri: redirectUri,
      resource: `${this.url}/v1/mcp`,
      ...change,
    });
  }

  refresh(refreshToken: string, change: Record<string, string> = {}): Promise<TokenReply> {
    return this.token({ grant_type: 'refresh_token', refresh_token: refreshToken, ...change });
  }

  async connect(person: ApiClient, scopes?: readonly string[]): Promise<Tokens> {
    const { status, body } = await this.exchange(await this.code(person, scopes));
    expect(status, JSON.stringify(body)).to.equal(200);
    return body;
  }

  async revoke(token: string): Promise<number> {
    return (await this.send('/oauth/revoke', { token })).status;
  }

  private async token(fields: Record<string, string>): Promise<TokenReply> {
    const response = await this.send('/oauth/token', fields);
    return { status: response.status, body: (await response.json()) as TokenReply['body'] };
  }

  private send(path: string, fields: Record<string, string>): Promise<Response> {
    const body = new URLSearchParams({ client_id: this.clientId, ...fields });
    return fetch(`${this.url}${path}`, { method: 'POST', body });
  }
}

export async function register(url: string, metadata: object): Promise<TokenReply & { body: { client_id: string } }> {
  const response = await fetch(`${url}/oauth/register`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(metadata),
  });
  return { status: response.status, body: (await response.json()) as TokenReply['body'] & { client_id: string } };
}
