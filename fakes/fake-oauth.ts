import { createHash, randomBytes } from 'node:crypto';
import { type Request, type RequestHandler, type Response } from 'express';

interface FakeOAuthOptions {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Prefix of the tokens, as the vendor's tokens have. */
  readonly tokenPrefix: string;
  /** Null: access tokens do not expire. */
  readonly accessTokenMs: number | null;
  /** `rotated`: a refresh token works once. */
  readonly refreshTokens: 'none' | 'reusable' | 'rotated';
  /** What the admin grants to the app. */
  readonly scopes?: readonly string[];
  readonly now: () => number;
}

export interface IssuedTokens {
  readonly accessToken: string;
  readonly refreshToken: string | null;
}

type TokenForm = Readonly<Record<string, string | undefined>>;

/** The OAuth part of a fake vendor: consents immediately and tracks valid tokens. */
export class FakeOAuth {
  /** The person denies consent. */
  denies = false;
  /** Scopes of every token; tests remove some. */
  readonly scopes: Set<string>;
  /** The secret that the vendor has stored; tests replace it. */
  clientSecret: string;
  private readonly codes = new Map<string, { readonly redirectUri: string; readonly challenge: string | null }>();
  private readonly accessTokens = new Map<string, number>();
  private readonly refreshTokens = new Set<string>();
  /** The refresh token that came with an access token, or renewed it. */
  private readonly grants = new Map<string, string>();

  constructor(readonly options: FakeOAuthOptions) {
    this.scopes = new Set(options.scopes);
    this.clientSecret = options.clientSecret;
  }

  /** The consent page: redirects immediately. */
  readonly authorize: RequestHandler = (request, response) => {
    const query = new URL(request.url, 'http://fake').searchParams;
    const redirectUri = query.get('redirect_uri') ?? '';
    if (query.get('client_id') !== this.options.clientId || !URL.canParse(redirectUri)) {
      response.status(400).send('unknown client or redirect');
      return;
    }
    const back = new URL(redirectUri);
    if (this.denies) back.searchParams.set('error', 'access_denied');
    else back.searchParams.set('code', this.newCode(redirectUri, query.get('code_challenge')));
    back.searchParams.set('state', query.get('state') ?? '');
    response.redirect(302, back.href);
  };

  /** What is wrong with the client of the form; null if nothing is. */
  clientProblem(form: TokenForm): 'id' | 'secret' | null {
    if (form['client_id'] !== this.options.clientId) return 'id';
    return form['client_secret'] === this.clientSecret ? null : 'secret';
  }

  /** Issues tokens for the form; null if it grants nothing. */
  grant(form: TokenForm): IssuedTokens | null {
    if (this.clientProblem(form) !== null) return null;
    if (form['grant_type'] === 'authorization_code') return this.forCode(form);
    if (form['grant_type'] === 'refresh_token') return this.forRefreshToken(form['refresh_token'] ?? '');
    return null;
  }

  /** Tokens without consent, as an admin creates them in the vendor's settings. */
  issue(): IssuedTokens {
    const accessToken = this.newToken();
    const { accessTokenMs, now } = this.options;
    this.accessTokens.set(accessToken, accessTokenMs === null ? Number.POSITIVE_INFINITY : now() + accessTokenMs);
    if (this.options.refreshTokens === 'none') return { accessToken, refreshToken: null };
    const refreshToken = this.newToken();
    this.refreshTokens.add(refreshToken);
    this.grants.set(accessToken, refreshToken);
    return { accessToken, refreshToken };
  }

  isAlive(accessToken: string): boolean {
    return (this.accessTokens.get(accessToken) ?? 0) > this.options.now();
  }

  isAuthorized(request: Request): boolean {
    return this.isAlive(/^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '');
  }

  /** Lets requests with a valid token pass and rejects the others. */
  authorized(reject: (response: Response) => void): RequestHandler {
    return (request, response, next) => (this.isAuthorized(request) ? next() : reject(response));
  }

  /** Expires all access tokens; refresh tokens stay valid. */
  expireAccessTokens(): void {
    this.accessTokens.clear();
  }

  isKnown(token: string): boolean {
    return this.accessTokens.has(token) || this.refreshTokens.has(token);
  }

  /** Revokes a token; with a refresh token, also its access tokens. */
  revokeGrant(token: string): void {
    for (const [accessToken, refreshToken] of this.grants) if (refreshToken === token) this.revoke(accessToken);
    this.revoke(token);
  }

  revoke(token: string): void {
    this.accessTokens.delete(token);
    this.refreshTokens.delete(token);
  }

  /** The customer removed the app. */
  revokeAll(): void {
    this.accessTokens.clear();
    this.refreshTokens.clear();
  }

  private newCode(redirectUri: string, challenge: string | null): string {
    const code = randomBytes(16).toString('hex');
    this.codes.set(code, { redirectUri, challenge });
    return code;
  }

  private forCode(form: TokenForm): IssuedTokens | null {
    const grant = this.codes.get(form['code'] ?? '');
    this.codes.delete(form['code'] ?? '');
    if (grant === undefined || grant.redirectUri !== form['redirect_uri']) return null;
    const verifier = createHash('sha256')
      .update(form['code_verifier'] ?? '')
      .digest('base64url');
    return grant.challenge === null || grant.challenge === verifier ? this.issue() : null;
  }

  private forRefreshToken(refreshToken: string): IssuedTokens | null {
    if (!this.refreshTokens.has(refreshToken)) return null;
    const issued = this.issue();
    if (this.options.refreshTokens === 'rotated') {
      this.refreshTokens.delete(refreshToken);
      return issued;
    }
    if (issued.refreshToken !== null) this.refreshTokens.delete(issued.refreshToken);
    this.grants.set(issued.accessToken, refreshToken);
    return { ...issued, refreshToken };
  }

  private newToken(): string {
    return `${this.options.tokenPrefix}${randomBytes(24).toString('base64url')}`;
  }
}
