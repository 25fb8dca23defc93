import { createHash } from 'node:crypto';
import { type Caller } from '../../kernel/caller.js';
import { type Clock } from '../../kernel/clock.js';
import { Failure } from '../../kernel/failure.js';
import { type Config } from '../../platform/config.js';
import { type UnitOfWork } from '../../platform/database/unit-of-work.js';
import { type AttemptLimits } from '../../platform/limits/attempt-limits.js';
import { type Secrets } from '../../platform/secrets/secrets.js';
import { type CrmProvider } from '../adapters/port.js';
import { type PreviousAccount, type PreviousDeals } from './account-change.js';
import { consumeConsent, newKey, type Started, storeConsent } from './consent-state-store.js';
import { type CrmAccounts } from './crm-accounts.js';
import { type Connected, type CrmConnector } from './crm-connector.js';
import { callingCrm } from './crm-failures.js';
import { findSettings } from './crm-settings-views.js';
import { authorizePath, redirectUri } from './oauth-client.js';

const validMs = 10 * 60_000;

/** Identifies for whom a URL that starts a consent was created. */
interface Start {
  readonly workspaceId: string;
  /** Null if an API key requested the URL: any admin of the workspace may open it. */
  readonly repId: string | null;
  /** Base URL of the consent page; null for the default. */
  readonly loginUrl: string | null;
  readonly validUntil: number;
}

/** The account that an admin is about to connect. */
export interface OfferedAccount {
  /** Identifies the grant until it is confirmed or discarded. */
  readonly grant: string;
  readonly accountId: string | null;
  readonly accountName: string | null;
  /** The other account from which stored deals are; null if there is none. */
  readonly previous: PreviousAccount | null;
}

/**
 * Connects a CRM by consent, from beginning to end in one browser session of one admin. Otherwise a person could send
 * the address of the consent page to an admin of another company and receive access to that company's CRM.
 */
export class CrmConsents {
  constructor(
    private readonly accounts: CrmAccounts,
    private readonly connector: CrmConnector,
    private readonly unitOfWork: UnitOfWork,
    private readonly limits: AttemptLimits,
    private readonly secrets: Secrets,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /** Returns the URL of the page that starts the consent. It is no secret: opening it requires a session of an admin. */
  async startUrl(provider: CrmProvider, { workspaceId, repId }: Caller, loginUrl: string | null): Promise<string> {
    const request = { state: '', redirectUri: this.callbackUrl(provider), codeChallenge: '', loginUrl };
    // Rejects a login URL that is not the CRM's.
    await callingCrm(() => this.accounts.adapters[provider].authorizeUrl(request));
    const start: Start = { workspaceId, repId, loginUrl, validUntil: this.clock.now().getTime() + validMs };
    const sealed = this.secrets.seal(startEncryptionContext(provider), JSON.stringify(start)).toString('base64url');
    return `${this.config.PUBLIC_URL}${authorizePath(provider)}?start=${sealed}`;
  }

  /** Rejects a URL that this service did not create, or that has expired. */
  openStart(provider: CrmProvider, sealed: string): Start {
    const start = this.readStart(provider, sealed);
    if (start !== null && start.validUntil > this.clock.now().getTime()) return start;
    throw notConnected(provider);
  }

  /** Stores the consent for the browser and returns the URL of the CRM's consent page. */
  async begin(provider: CrmProvider, start: Start, caller: Caller, browserKey: string): Promise<string> {
    const { workspaceId, repId, loginUrl } = start;
    const isStarter = workspaceId === caller.workspaceId && (repId === null || repId === caller.repId);
    if (!isStarter || !isAdminSession(caller))
      throw new Failure(
        'forbidden',
        'Another person or workspace has started this connection. Sign in as the admin who started it.',
      );
    const settings = await this.unitOfWork.read(caller, (tx) => findSettings(tx, provider));
    const codeVerifier = newKey();
    const consent = { ...startedBy(caller, browserKey), codeVerifier, loginUrl };
    const state = await this.unitOfWork.withoutWorkspace((tx) =>
      storeConsent(tx, this.secrets, 'consent', provider, consent),
    );
    return this.accounts.adapters[provider].authorizeUrl({
      state,
      redirectUri: this.callbackUrl(provider),
      codeChallenge: createHash('sha256').update(codeVerifier).digest('base64url'),
      loginUrl,
      writes: settings.writeBack !== null,
    });
  }

  /** Exchanges the code if the same browser and session have started the consent, and discards it otherwise. */
  async finish(
    provider: CrmProvider,
    { state, code }: { readonly state: string; readonly code: string },
    caller: Caller | null,
    browserKey: string | null,
    address: string,
  ): Promise<OfferedAccount> {
    this.limits.assertNotBlocked(address);
    const consent = await this.unitOfWork.withoutWorkspace((tx) =>
      consumeConsent(tx, this.secrets, 'consent', provider, state),
    );
    if (consent === null || code === '' || !isSameBrowser(consent, caller, browserKey)) {
      await this.limits.countFailure(address);
      throw notConnected(provider);
    }
    const { codeVerifier, loginUrl, ...started } = consent;
    const adapter = this.accounts.adapters[provider];
    return callingCrm(async () => {
      const redirectUri = this.callbackUrl(provider);
      const credentials = await adapter.exchangeCode({ code, redirectUri, codeVerifier, loginUrl });
      const accountName = await adapter.accountName(credentials);
      const { accountId } = credentials;
      const previous = await this.connector.previousAccount(started.workspaceId, provider, accountId);
      const grant = await this.unitOfWork.withoutWorkspace((tx) =>
        storeConsent(tx, this.secrets, 'grant', provider, { ...started, credentials }),
      );
      return { grant, accountId, accountName, previous };
    });
  }

  /** Connects the account that the admin has confirmed; `isConfirmed` false discards the grant. */
  async decide(
    provider: CrmProvider,
    {
      grant,
      isConfirmed,
      previousDeals,
    }: { readonly grant: string; readonly isConfirmed: boolean; readonly previousDeals: PreviousDeals | null },
    caller: Caller | null,
    browserKey: string | null,
  ): Promise<Connected | null> {
    const found = await this.unitOfWork.withoutWorkspace((tx) =>
      consumeConsent(tx, this.secrets, 'grant', provider, grant),
    );
    if (!isConfirmed) return null;
    if (found === null || caller === null || !isSameBrowser(found, caller, browserKey)) throw notConnected(provider);
    return callingCrm(() => this.connector.connect(caller, provider, found.credentials, previousDeals));
  }

  private callbackUrl(provider: CrmProvider): string {
    const uri = redirectUri(this.config, provider);
    if (uri !== null) return uri;
    throw new Failure(
      'not_found',
      `No OAuth client for ${provider} is configured. Connect with a token instead: POST /auth/workspace/connect-${provider}.`,
    );
  }

  private readStart(provider: CrmProvider, sealed: string): Start | null {
    try {
      return JSON.parse(this.secrets.open(startEncryptionContext(provider), Buffer.from(sealed, 'base64url'))) as Start;
    } catch {
      return null;
    }
  }
}

function startEncryptionContext(provider: CrmProvider): string {
  return `start of a consent to ${provider}`;
}

function isAdminSession({ accessLevel, tokenKind }: Caller): boolean {
  return accessLevel === 'admin' && tokenKind === 'sess';
}

function startedBy({ workspaceId, tokenId = '' }: Caller, browserKey: string): Started {
  return { workspaceId, sessionId: tokenId, browserKey };
}

function isSameBrowser(started: Started, caller: Caller | null, browserKey: string | null): boolean {
  return (
    caller !== null &&
    isAdminSession(caller) &&
    started.sessionId === caller.tokenId &&
    started.workspaceId === caller.workspaceId &&
    started.browserKey === browserKey
  );
}

/** One response for every cause: unknown, expired and repeated states, denied consent, another browser or session. */
function notConnected(provider: CrmProvider): Failure {
  return new Failure(
    'unauthorized',
    `${provider} was not connected. Begin again with GET /auth/${provider}/connect, in one browser and one session.`,
  );
}
