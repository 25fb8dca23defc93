import { type Express, type Request, type Response, urlencoded } from 'express';
import { anonymousCaller, type Caller } from '../../../kernel/caller.js';
import { Failure } from '../../../kernel/failure.js';
import { type BrowserSessions } from '../../../platform/http/browser-sessions.js';
import { formFields, type Page, pageGuard, pageHandler, pageStyles, sendPage } from '../../../platform/http/page.js';
import { type AddressLimit } from '../../../platform/limits/address-limit.js';
import { type AnyOperation } from '../../../platform/operations/operation.js';
import { type OperationDispatcher } from '../../../platform/operations/operation-dispatcher.js';
import { logOut } from '../commands/log-out.js';
import { sendCode } from '../commands/send-code.js';
import { verifyCode } from '../commands/verify-code.js';
import { type ProviderButton } from '../oidc/identity-providers.js';
import { getProfile } from '../queries/get-profile.js';
import { type Session } from '../sign-in.js';
import { codePage, emailPage, homePage, type Profile, signedInPage, type Workspace } from './sign-in-forms.js';

const form = urlencoded({ extended: false, inflate: false, limit: '4kb', parameterLimit: 20 });
/** A path of this service; a path that begins with two slashes would be another host. */
const localPath = /^\/(?!\/)[\w./?=&%~-]{0,1000}$/;

/** The pages on which a person signs in with a code, sees who is signed in, and signs out. They need no script. */
export class SignInPages {
  constructor(
    private readonly browser: BrowserSessions,
    private readonly dispatcher: OperationDispatcher,
    private readonly loadProviders: () => Promise<readonly ProviderButton[]>,
    private readonly addressLimit: AddressLimit,
  ) {}

  routes(app: Express): void {
    const { basePath } = this.browser;
    const page = (handle: (request: Request, response: Response) => Promise<void>) => pageHandler(basePath, handle);
    // Before the form is read: anyone can send one.
    const limit = pageGuard(basePath, (request) => this.addressLimit.admit(request.ip ?? ''));
    pageStyles(app);
    app.get('/session', limit, page(this.home));
    app.get('/sign-in', limit, page(this.showEmailForm));
    app.post('/sign-in', limit, form, page(this.send));
    app.post('/sign-in/code', limit, form, page(this.verify));
    app.post('/sign-out', limit, form, page(this.signOut));
  }

  private readonly home = async (request: Request, response: Response): Promise<void> => {
    const caller = await this.browser.authenticate(request, response);
    if (caller === null) this.redirect(response, '/sign-in');
    else this.show(response, homePage(await this.loadProfile(caller), this.browser, this.browser.formToken(request)));
  };

  private readonly showEmailForm = async (request: Request, response: Response): Promise<void> => {
    const next = readNextPath(request.query['next']);
    if (next === null && (await this.browser.authenticate(request, response)) !== null)
      this.redirect(response, '/session');
    else this.show(response, await this.emailPage({ email: '', next }));
  };

  private readonly send = async (request: Request, response: Response): Promise<void> => {
    this.browser.assertOwnPage(request);
    const { email = '', next: requestedPath } = formFields(request);
    const next = readNextPath(requestedPath);
    try {
      const { nonce } = (await this.run(sendCode, { email }, request, response)) as { nonce: string };
      this.show(response, codePage({ email, next, nonce }, this.browser));
    } catch (error) {
      if (!isFailure(error, 'VALIDATION_FAILED')) throw error;
      const page = await this.emailPage({ email, next }, 'Enter a valid e-mail address.');
      this.show(response, { ...page, status: 400 });
    }
  };

  private readonly verify = async (request: Request, response: Response): Promise<void> => {
    this.browser.assertOwnPage(request);
    const { email = '', code = '', nonce, workspaceId, next: requestedPath } = formFields(request);
    const next = readNextPath(requestedPath);
    const chosen = { ...(nonce === undefined ? {} : { nonce }), ...(workspaceId === undefined ? {} : { workspaceId }) };
    const body = { email, code: code.replace(/\s/g, ''), ...chosen };
    try {
      const { sessionToken, expiresAt } = (await this.run(verifyCode, body, request, response)) as Session;
      this.browser.start(response, sessionToken, new Date(expiresAt));
      if (next === null) this.redirect(response, '/session');
      else this.show(response, signedInPage(email, next, this.browser));
    } catch (error) {
      const entered = { email, next, nonce };
      if (isFailure(error, 'invalid_code')) {
        const message = 'The code is wrong or has expired.';
        this.show(response, { ...codePage(entered, this.browser, { message }), status: 401 });
      } else if (isFailure(error, 'VALIDATION_FAILED') && error.details?.['workspaces'] !== undefined) {
        const workspaces = error.details['workspaces'] as readonly Workspace[];
        this.show(response, codePage({ ...entered, code: body.code }, this.browser, { workspaces }));
      } else throw error;
    }
  };

  private readonly signOut = async (request: Request, response: Response): Promise<void> => {
    this.browser.assertOwnForm(request);
    const caller = await this.browser.authenticate(request, response);
    if (caller !== null) await this.dispatcher.run(logOut, { params: {}, query: {}, body: {} }, caller);
    this.browser.end(response);
    this.redirect(response, '/sign-in');
  };

  private async emailPage(entered: { email: string; next: string | null }, message?: string): Promise<Page> {
    return emailPage(entered, this.browser, await this.loadProviders(), message);
  }

  private async loadProfile(caller: Caller): Promise<Profile> {
    const { body } = await this.dispatcher.run(getProfile, { params: {}, query: {}, body: {} }, caller);
    return body as Profile;
  }

  private async run(operation: AnyOperation, body: object, request: Request, response: Response): Promise<unknown> {
    const caller = anonymousCaller(String(response.getHeader('X-Request-Id')), request.ip ?? '');
    return (await this.dispatcher.run(operation, { params: {}, query: {}, body }, caller)).body;
  }

  private redirect(response: Response, path: string): void {
    response.setHeader('Cache-Control', 'no-store');
    response.redirect(303, `${this.browser.basePath}${path}`);
  }

  private show(response: Response, page: Page): void {
    sendPage(response, this.browser.basePath, page);
  }
}

function isFailure(error: unknown, code: string): error is Failure {
  return error instanceof Failure && error.code === code;
}

function readNextPath(requestedPath: unknown): string | null {
  return typeof requestedPath === 'string' && localPath.test(requestedPath) ? requestedPath : null;
}
