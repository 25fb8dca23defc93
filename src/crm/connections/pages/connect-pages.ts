import { type Express, type Request, type Response, urlencoded } from 'express';
import { Html, html } from '../../../platform/documents/html.js';
import { type BrowserSessions } from '../../../platform/http/browser-sessions.js';
import { formFields, hiddenField, type Page, pageHandler, sendPage } from '../../../platform/http/page.js';
import { type CrmProvider, crmProviders } from '../../adapters/port.js';
import { previousDealsChoices } from '../account-change.js';
import { newKey } from '../consent-state-store.js';
import { type Connected } from '../crm-connector.js';
import { type CrmConsents, type OfferedAccount } from '../crm-consents.js';
import { crmFailures } from '../crm-failures.js';
import { authorizePath, callbackPath, confirmPath } from '../oauth-client.js';
import { productNames } from '../product-names.js';

const form = urlencoded({ extended: false, inflate: false, limit: '4kb', parameterLimit: 20 });
const stateCookie = 'crm_consent';
const validMs = 10 * 60_000;
const maxParameter = 8000;

/** The pages on which an admin connects a CRM by consent: start, return from the CRM, confirmation. */
export class ConnectPages {
  constructor(
    private readonly browser: BrowserSessions,
    private readonly consents: CrmConsents,
  ) {}

  routes(app: Express): void {
    for (const provider of crmProviders) {
      const page = (handle: (provider: CrmProvider, request: Request, response: Response) => Promise<void>) =>
        pageHandler(this.browser.basePath, (request, response) => handle(provider, request, response), {
          ...crmFailures,
          account_changed: 409,
        });
      app.get(authorizePath(provider), page(this.start));
      app.get(callbackPath(provider), page(this.confirmation));
      app.post(confirmPath(provider), form, page(this.decide));
    }
  }

  private readonly start = async (provider: CrmProvider, request: Request, response: Response): Promise<void> => {
    const start = this.consents.openStart(provider, parameter(request, 'start'));
    const caller = await this.browser.authenticate(request, response);
    response.setHeader('Cache-Control', 'no-store');
    if (caller === null) {
      const next = encodeURIComponent(`${authorizePath(provider)}?start=${parameter(request, 'start')}`);
      response.redirect(303, `${this.browser.basePath}/sign-in?next=${next}`);
      return;
    }
    const browserKey = newKey();
    const location = await this.consents.begin(provider, start, caller, browserKey);
    this.browser.cookies.set(response, stateCookie, browserKey, new Date(Date.now() + validMs));
    response.redirect(302, location);
  };

  private readonly confirmation = async (
    provider: CrmProvider,
    request: Request,
    response: Response,
  ): Promise<void> => {
    const caller = await this.browser.authenticate(request, response);
    const received = { state: parameter(request, 'state'), code: parameter(request, 'code') };
    const browserKey = this.browser.cookies.read(request, stateCookie);
    const account = await this.consents.finish(provider, received, caller, browserKey, request.ip ?? '');
    const action = `${this.browser.basePath}${confirmPath(provider)}`;
    this.show(response, confirmationPage(provider, account, action, this.browser.formToken(request)));
  };

  private readonly decide = async (provider: CrmProvider, request: Request, response: Response): Promise<void> => {
    this.browser.assertOwnForm(request);
    const caller = await this.browser.authenticate(request, response);
    const { grant = '', decision } = formFields(request);
    const browserKey = this.browser.cookies.read(request, stateCookie);
    const previousDeals = previousDealsChoices.find((choice) => decision === `connect-${choice}`) ?? null;
    const decided = { grant, isConfirmed: decision === 'connect' || previousDeals !== null, previousDeals };
    const connected = await this.consents.decide(provider, decided, caller, browserKey);
    this.browser.cookies.clear(response, stateCookie);
    this.show(response, resultPage(provider, connected, this.browser.basePath));
  };

  private show(response: Response, page: Page): void {
    sendPage(response, this.browser.basePath, page);
  }
}

/** A parameter of the query; empty if it is absent, repeated or too long. */
function parameter({ query }: Request, name: string): string {
  const value = query[name];
  return typeof value === 'string' && value.length <= maxParameter ? value : '';
}

function confirmationPage(provider: CrmProvider, account: OfferedAccount, action: string, token: string): Page {
  const product = productNames[provider];
  const body = html`<p>Deals and people of this account will be imported into your workspace.</p>
<dl>
<dt>Account</dt><dd>${account.accountName ?? 'without a name'}</dd>
<dt>Account id</dt><dd>${account.accountId ?? 'unknown'}</dd>
</dl>
<form method="post" action="${action}">
${hiddenField('token', token)}
${hiddenField('grant', account.grant)}
${connectButtons(account)}
<button name="decision" value="cancel" class="quiet">Cancel</button>
</form>`;
  return { title: `Connect ${product}?`, body };
}

/** With deals of another account, the admin decides what happens to them. */
function connectButtons({ previous }: OfferedAccount): Html {
  if (previous === null) return html`<button name="decision" value="connect">Connect</button>`;
  return html`<p>${previous.deals} deals are from another account, ${previous.accountId}. They can stay as they are, or be removed, with their commission, when the deals of this account are imported.</p>
<button name="decision" value="connect-keep">Connect and keep them</button>
<button name="decision" value="connect-remove">Connect and remove them</button>`;
}

function resultPage(provider: CrmProvider, connected: Connected | null, basePath: string): Page {
  const product = productNames[provider];
  const back = html`<p><a href="${basePath}/connections">Back to Connections</a></p>`;
  if (connected === null) return { title: `${product} was not connected`, body: back };
  const { accountId, webhookUrl, webhookSecret, warnings } = connected;
  const body = html`<dl>
<dt>Account id</dt><dd>${accountId ?? 'unknown'}</dd>
${row('Webhook URL', webhookUrl)}${row('Webhook secret, shown only here', webhookSecret)}</dl>
${warnings.map(({ message }) => html`<p>${message}</p>`)}
<p>Next, check <a href="${basePath}/fields">which fields of ${product} count</a>, then start a sync at Connections.</p>
${back}`;
  return { title: `${product} is connected`, body };
}

function row(name: string, value: string | null): Html {
  return value === null ? new Html('') : html`<dt>${name}</dt><dd>${value}</dd>`;
}
