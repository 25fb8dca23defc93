import { createHash, createSign, generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';

type Claims = Record<string, unknown>;

interface Grant {
  readonly challenge: string;
  readonly redirectUri: string;
  readonly claims: Claims;
}

/** A small OpenID Connect provider on loopback: discovery, authorization, token and keys, with injectable faults. */
export class FakeOidc {
  readonly clientId = 'commissions';
  readonly clientSecret = 'a secret of tests';
  /** Claims of the next person who signs in; the provider adds the other claims. */
  person: Claims = { email: 'ada@acme.test', email_verified: true };
  /** Changes the claims of an ID token before it is signed. */
  forge: (claims: Claims) => Claims = (claims) => claims;
  /** Statuses of the token endpoint other than 200, for outages. */
  tokenStatus = 200;
  signWith: 'own' | 'stranger' = 'own';
  issuer = '';
  private readonly grants = new Map<string, Grant>();
  private readonly own = generateKeyPairSync('rsa', { modulusLength: 2048 });
  private readonly stranger = generateKeyPairSync('rsa', { modulusLength: 2048 });

  private constructor(private readonly server: Server) {}

  static async start(): Promise<FakeOidc> {
    const server = createServer();
    const provider = new FakeOidc(server);
    server.on('request', (request, response) => void provider.respond(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    provider.issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return provider;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  environment(publicUrl: string): Record<string, string> {
    return {
      OIDC_ISSUER: this.issuer,
      OIDC_CLIENT_ID: this.clientId,
      OIDC_CLIENT_SECRET: this.clientSecret,
      OIDC_ALLOW_HTTP: '1',
      PUBLIC_URL: publicUrl,
    };
  }

  /** Acts as the person's browser: signs in at the address and returns the redirect. */
  async authorize(location: string): Promise<URL> {
    const response = await fetch(location, { redirect: 'manual' });
    return new URL(response.headers.get('location') ?? '');
  }

  private async respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', this.issuer);
    if (url.pathname === '/.well-known/openid-configuration') return json(response, 200, this.metadata());
    if (url.pathname === '/keys')
      return json(response, 200, {
        keys: [{ ...this.own.publicKey.export({ format: 'jwk' }), kid: 'own', alg: 'RS256', use: 'sig' }],
      });
    if (url.pathname === '/authorize') return this.grant(url.searchParams, response);
    if (url.pathname === '/token') return this.token(request, response);
    json(response, 404, {});
  }

  private metadata() {
    return {
      issuer: this.issuer,
      authorization_endpoint: `${this.issuer}/authorize`,
      token_endpoint: `${this.issuer}/token`,
      jwks_uri: `${this.issuer}/keys`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      code_challenge_methods_supported: ['S256'],
    };
  }

  private grant(query: URLSearchParams, response: ServerResponse): void {
    const redirectUri = query.get('redirect_uri') ?? '';
    const code = randomUUID();
    this.grants.set(code, {
      challenge: query.get('code_challenge') ?? '',
      redirectUri,
      claims: { nonce: query.get('nonce'), ...this.person },
    });
    const back = new URL(redirectUri);
    back.search = new URLSearchParams({ code, state: query.get('state') ?? '' }).toString();
    response.writeHead(302, { Location: back.href }).end();
  }

  private async token(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (this.tokenStatus !== 200) return json(response, this.tokenStatus, { error: 'temporarily_unavailable' });
    const body = new URLSearchParams(Buffer.concat(chunks).toString());
    const grant = this.grants.get(body.get('code') ?? '');
    this.grants.delete(body.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(body.get('code_verifier') ?? '')
      .digest('base64url');
    const isRight =
      grant !== undefined &&
      grant.challenge === challenge &&
      grant.redirectUri === body.get('redirect_uri') &&
      body.get('client_id') === this.clientId &&
      body.get('client_secret') === this.clientSecret;
    if (!isRight) return json(response, 400, { error: 'invalid_grant' });
    json(response, 200, { access_token: randomUUID(), token_type: 'Bearer', id_token: this.idToken(grant.claims) });
  }

  private idToken(claims: Claims): string {
    const now = Math.floor(Date.now() / 1000);
    const all = this.forge({
      iss: this.issuer,
      aud: this.clientId,
      sub: 'person-1',
      iat: now,
      exp: now + 300,
      ...claims,
    });
    return signed(all, this[this.signWith].privateKey);
  }
}

function signed(claims: Claims, key: KeyObject): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const text = `${part({ alg: 'RS256', typ: 'JWT', kid: 'own' })}.${part(claims)}`;
  return `${text}.${createSign('RSA-SHA256').update(text).sign(key, 'base64url')}`;
}

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}
