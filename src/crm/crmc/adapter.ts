import { z } from 'zod';
import { CrmHttp, type CrmTiming, realTiming } from '../http.js';
import {
  type CrmAccess,
  type CrmAccount,
  type CrmAdapter,
  type CrmCredentials,
  CrmFailure,
  type PastedCredentials,
} from '../port.js';
import { CrmcAccount } from './account.js';
import { classifyCrmcError } from './errors.js';
import { id18 } from './ids.js';
import { instanceOrigin } from './instance.js';

export interface CrmcSettings {
  /** URL of consent and tokens: production, sandbox, or a custom domain. */
  readonly loginUrl: string;
  /** API version, such as `v67.0`. */
  readonly apiVersion: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Allows organisations on this machine, for the fake CRM. Never in production. */
  readonly allowLoopback: boolean;
}

const tokenAnswer = z.object({
  access_token: z.string(),
  refresh_token: z.string().nullish(),
  instance_url: z.string(),
  /** A URL that ends in the ids of the organisation and the user. */
  id: z.string().nullish(),
});

/** Adapter for crm-c. */
export class CrmcAdapter implements CrmAdapter {
  readonly provider = 'crmc';
  private readonly http: CrmHttp;

  constructor(
    private readonly settings: CrmcSettings,
    timing: CrmTiming = realTiming,
  ) {
    this.http = new CrmHttp({ provider: 'crmc', classifyError: classifyCrmcError }, timing);
  }

  authorizeUrl({ state, redirectUri, codeChallenge }: Parameters<CrmAdapter['authorizeUrl']>[0]): string {
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: this.settings.clientId,
      redirect_uri: redirectUri,
      scope: 'api refresh_token',
      state,
      code_challenge: codeChallenge,
      code_challenge_method: 'S256',
    });
    return `${this.settings.loginUrl}/services/oauth2/authorize?${query}`;
  }

  exchangeCode({
    code,
    redirectUri,
    codeVerifier,
  }: Parameters<CrmAdapter['exchangeCode']>[0]): Promise<CrmCredentials> {
    return this.token(this.settings.loginUrl, {
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirectUri,
      code_verifier: codeVerifier,
    });
  }

  /** With the client credentials flow there is no refresh token; a new access token is requested instead. */
  async refresh(credentials: CrmCredentials): Promise<CrmCredentials> {
    const { refreshToken, accountId } = credentials;
    const renewed = await (refreshToken === null
      ? this.token(this.instance(credentials), { grant_type: 'client_credentials' })
      : this.token(this.settings.loginUrl, { grant_type: 'refresh_token', refresh_token: refreshToken }));
    if (accountId !== null && renewed.accountId !== null && accountId !== renewed.accountId)
      throw new CrmFailure('unauthorized', 'crmc: the new token belongs to another organisation');
    return {
      ...renewed,
      refreshToken: renewed.refreshToken ?? refreshToken,
      accountId: renewed.accountId ?? accountId,
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

  /** The domain of the organisation, which contains its name. */
  async accountName(credentials: CrmCredentials): Promise<string | null> {
    return new URL(this.instance(credentials)).hostname;
  }

  account(access: CrmAccess): CrmAccount {
    return this.org(access);
  }

  private org(access: CrmAccess): CrmcAccount {
    const instanceUrl = async () => this.instance(await access.credentials());
    return new CrmcAccount(this.http, access, instanceUrl, this.settings.apiVersion);
  }

  private instance({ instanceUrl }: CrmCredentials): string {
    return instanceOrigin(instanceUrl ?? '', this.settings.allowLoopback);
  }

  private async token(base: string, grant: Readonly<Record<string, string>>): Promise<CrmCredentials> {
    const { clientId, clientSecret } = this.settings;
    const { body } = await this.http.request({
      method: 'POST',
      url: `${base}/services/oauth2/token`,
      form: { ...grant, client_id: clientId, client_secret: clientSecret },
      schema: tokenAnswer,
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
