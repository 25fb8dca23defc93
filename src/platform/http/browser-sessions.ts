import { randomBytes, timingSafeEqual } from 'node:crypto';
import { type Request, type Response } from 'express';
import { type Caller } from '../../kernel/caller.js';
import { withoutEndSlashes } from '../../kernel/end-slashes.js';
import { Failure } from '../../kernel/failure.js';
import { type Secrets } from '../secrets/secrets.js';
import { type Authenticate } from './authenticate.js';
import { Cookies } from './cookies.js';
import { type RateLimit } from './rate-limit.js';

export const sessionCookie = 'session';
export const scriptHeader = 'X-Requested-By';
const signInCookie = 'sign_in';
const signInMs = 10 * 60_000;
const safeMethods = ['GET', 'HEAD'];

interface BrowserParts {
  readonly publicUrl: string | undefined;
  readonly secrets: Secrets;
  readonly authenticate: Authenticate;
  readonly rateLimit: RateLimit;
}

/**
 * Sessions of browsers: the token of a sign-in, in a cookie. Operations accept the cookie in place of the header
 * Authorization. A browser adds cookies to requests that other sites cause, so every request that may change
 * something must show that a page of this service has sent it.
 */
export class BrowserSessions {
  readonly cookies: Cookies;
  /** The path of PUBLIC_URL, which precedes every path that a browser uses. */
  readonly basePath: string;

  constructor(private readonly parts: BrowserParts) {
    const { publicUrl } = parts;
    this.cookies = new Cookies(publicUrl);
    this.basePath = publicUrl === undefined ? '' : withoutEndSlashes(new URL(publicUrl).pathname);
  }

  start(response: Response, sessionToken: string, expiresAt: Date): void {
    this.cookies.set(response, sessionCookie, sessionToken, expiresAt);
  }

  end(response: Response): void {
    this.cookies.clear(response, sessionCookie);
  }

  /** Binds a sign-in at another site to this browser, and returns the value of its cookie. */
  beginSignIn(response: Response): string {
    const key = randomBytes(32).toString('base64url');
    this.cookies.set(response, signInCookie, key, new Date(Date.now() + signInMs));
    return key;
  }

  /** The value of the cookie of {@link beginSignIn}, which works once; null in another browser. */
  endSignIn(request: Request, response: Response): string | null {
    const key = this.cookies.read(request, signInCookie);
    if (key !== null) this.cookies.clear(response, signInCookie);
    return key;
  }

  /** The value of the header Authorization for the cookie; undefined without a session. */
  readAuthorization(request: Request): string | undefined {
    const token = this.readToken(request);
    if (token === null) return undefined;
    if (!safeMethods.includes(request.method)) {
      this.assertOwnPage(request);
      if (request.headers[scriptHeader.toLowerCase()] === undefined)
        throw new Failure('forbidden', `A request with the session cookie must have the header ${scriptHeader}.`);
    }
    return `Bearer ${token}`;
  }

  /** The person who is signed in; null without a session or after its end. */
  async authenticate(request: Request, response: Response): Promise<Caller | null> {
    const token = this.readToken(request);
    if (token === null) return null;
    const requestId = String(response.getHeader('X-Request-Id'));
    try {
      const { caller, counted } = await this.parts.authenticate(`Bearer ${token}`, requestId, request.ip ?? '', false);
      response.locals['actor'] = caller.actor;
      await this.parts.rateLimit.admit(caller, response, counted);
      return caller;
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'unauthorized') throw error;
      this.end(response);
      return null;
    }
  }

  /** Whether a script in a page of this service has sent the request. */
  isScriptOfOwnPage(request: Request): boolean {
    return request.headers[scriptHeader.toLowerCase()] !== undefined && this.isOfOwnPage(request);
  }

  /** Rejects a request that a page of another origin has caused, or that is not from a browser. */
  assertOwnPage(request: Request): void {
    if (this.isOfOwnPage(request)) return;
    throw new Failure('forbidden', 'The request does not come from a page of this service. Open the page again.');
  }

  /** Rejects a request that a page of another site has caused, also by a link. */
  assertNotOfOtherSite(request: Request): void {
    if (['same-origin', 'none', undefined].includes(request.header('Sec-Fetch-Site'))) return;
    throw new Failure('forbidden', 'Another site has caused this request. Start it in a page of this service.');
  }

  private isOfOwnPage(request: Request): boolean {
    const site = request.headers['sec-fetch-site'];
    return site === 'same-origin' || (site === undefined && this.isOwn(request, request.headers.origin));
  }

  /** The hidden field `token` of a form in a page of the session. */
  formToken(request: Request): string {
    return this.parts.secrets.mac('form', this.readToken(request) ?? '').toString('base64url');
  }

  /** Rejects a form that was not sent by a page of this session. */
  assertOwnForm(request: Request): void {
    this.assertOwnPage(request);
    const sent = Buffer.from(String((request.body as { token?: unknown } | undefined)?.token ?? ''));
    const expected = Buffer.from(this.formToken(request));
    if (sent.length !== expected.length || !timingSafeEqual(sent, expected))
      throw new Failure('forbidden', 'The form belongs to another session. Open the page again.');
  }

  private readToken(request: Request): string | null {
    const token = this.cookies.read(request, sessionCookie);
    return token?.startsWith('sess_') === true ? token : null;
  }

  private isOwn(request: Request, origin: string | undefined): boolean {
    if (origin === undefined || !URL.canParse(origin)) return false;
    const { publicUrl } = this.parts;
    const { host } = new URL(origin);
    return host === request.headers.host || (publicUrl !== undefined && host === new URL(publicUrl).host);
  }
}
