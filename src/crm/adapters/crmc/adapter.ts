import { z } from 'zod';
import { id18 } from '../../../kernel/opportunity-id.js';
import { withAssociated } from '../associated.js';
import { CrmHttp, type CrmTiming, realTiming } from '../http.js';
import {
  type CrmAccess,
  type CrmAccount,
  type CrmAccountOptions,
  type CrmAdapter,
  type CrmCredentials,
  CrmFailure,
  type PastedCredentials,
} from '../port.js';
import { CrmcAccount } from './account.js';
import { CrmcAssociated } from './associated.js';
import { classifyCrmcError } from './errors.js';
import { instanceOrigin, loginOrigin } from './instance.js';

interface CrmcSettings {
  /** Default URL of consent and tokens. Each connection may have another one. */
  readonly loginUrl: string;
  /** API version, such as `v67.0`. */
  readonly apiVersion: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Allows organisations on this machine, for the fake CRM. Never in production. */
  readonly allowLoopback: boolean;
}

const tokenResponse = z.object({
  access_token: z.string(),
  refresh_token: z.string().nullish(),
  instance_url: z.string(),
  /** A URL that ends in the ids of the organisation and the user. */
  id: z.string().nullish(),
});

export class CrmcAdapter implements CrmAdapter {
  readonly provider = 'crmc';
  private readonly http: CrmHttp;

  constructor(
    private readonly settings: CrmcSettings,
    timing: CrmTiming = realTiming,
  ) {
    this.http = new CrmHttp({ provider: 'crmc', classifyError: classifyCrmcError }, timing);
  }

  authorizeUrl({ state, redirectUri, codeChallenge, loginUrl }: Parameters<CrmAdapter['authorizeUrl']>[0]): string {
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: this.settings.clientId,
      redirect_uri: redirectUri,
      scope: 'api refresh_token',
      state,
      code_challenge: codeChallenge,
      code_challenge_method: 'S256',
    });
    return `${this.login(loginUrl)}/services/oauth2/authorize?${query}`;
  }

  async exchangeCode({
    code,
    redirectUri,
    codeVerifier,
    loginUrl,
  }: Parameters<CrmAdapter['exchangeCode']>[0]): Promise<CrmCredentials> {
    const base = this.login(loginUrl);
    const credentials = await this.token(base, {
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirectUri,
      code_verifier: codeVerifier,
    });
    return { ...credentials, loginUrl: base };
  }

  /**
   * Tokens of a sandbox are unknown to the login host of production, so they are renewed where they were issued.
   * Pasted tokens are renewed at the organisation's own domain. With the client credentials flow there is no refresh
   * token; a new access token is requested instead.
   */
  async refresh(credentials: CrmCredentials): Promise<CrmCredentials> {
    const { refreshToken, accountId, loginUrl } = credentials;
    const renewed = await (refreshToken === null
      ? this.token(this.instance(credentials), { grant_type: 'client_credentials' })
      : this.token(loginUrl ?? this.instance(credentials), {
          grant_type: 'refresh_token',
          refresh_token: refreshToken,
        }));
    if (accountId !== null && renewed.accountId !== null && accountId !== renewed.accountId)
      throw new CrmFailure('unauthorized', 'crmc: the new token belongs to another organisation');
    return {
      ...renewed,
      refreshToken: renewed.refreshToken ?? refreshToken,
      accountId: renewed.accountId ?? accountId,
      ...(loginUrl === undefined ? {} : { loginUrl }),
    };
  }

  async verify({ accessToken, refreshToken, instanceUrl }: PastedCredentials): Promise<CrmCredentials> {
    const pasted = {
      accessToken,
      refreshToken: refreshToken ?? null,
      expiresAt: null,
      accountId: null,
      instanceUrl: instanceOrigin(instanceUrl ?? '', this.settings.allowLoopback),
    };
    let current: CrmCredentials = pasted;
    const accountId = await this.org({
      credentials: async () => current,
      renewed: async (rejected) => {
        current = await this.refresh(rejected);
        return current;
      },
      rejected: async () => {},
    }).organisation();
    return { ...current, accountId };
  }

  async revoke({ accessToken, refreshToken, loginUrl, ...rest }: CrmCredentials): Promise<void> {
    const base = loginUrl ?? this.instance({ accessToken, refreshToken, ...rest });
    await this.http.getOrNull({
      method: 'POST',
      url: `${base}/services/oauth2/revoke`,
      form: { token: refreshToken ?? accessToken },
      schema: z.unknown(),
    });
  }

  /** The domain of the organisation, which contains its name. */
  async accountName(credentials: CrmCredentials): Promise<string | null> {
    return new URL(this.instance(credentials)).hostname;
  }

  account(access: CrmAccess, options: CrmAccountOptions = {}): CrmAccount {
    const { lineItems = false, companyFields = [], splits = false, lines = null } = options;
    const associations = { lineItems, companyFields, splits, lines };
    const org = this.org(access, options);
    return withAssociated(org, associations, new CrmcAssociated((query, row) => org.rows(query, row), associations));
  }

  private org(access: CrmAccess, options: CrmAccountOptions = {}): CrmcAccount {
    const instanceUrl = async () => this.instance(await access.credentials());
    return new CrmcAccount(this.http, access, instanceUrl, this.settings.apiVersion, options);
  }

  private instance({ instanceUrl }: CrmCredentials): string {
    return instanceOrigin(instanceUrl ?? '', this.settings.allowLoopback);
  }

  private login(requested: string | null | undefined): string {
    const { loginUrl, allowLoopback } = this.settings;
    return requested == null ? loginUrl : loginOrigin(requested, allowLoopback);
  }

  private async token(base: string, grant: Readonly<Record<string, string>>): Promise<CrmCredentials> {
    const { clientId, clientSecret } = this.settings;
    const { body } = await this.http.request({
      method: 'POST',
      url: `${base}/services/oauth2/token`,
      form: { ...grant, client_id: clientId, client_secret: clientSecret },
      schema: tokenResponse,
      // Authorization codes and rotating refresh tokens work only once.
      isUnrepeatable: true,
    });
    const orgId = /\/id\/(00D[A-Za-z0-9]{12}(?:[A-Za-z0-9]{3})?)\//.exec(body.id ?? '')?.[1];
    return {
      accessToken: body.access_token,
      refreshToken: body.refresh_token ?? null,
      expiresAt: null,
      accountId: orgId === undefined ? null : id18(orgId),
      instanceUrl: instanceOrigin(body.instance_url, this.settings.allowLoopback),
    };
  }
}
