import { sql } from 'kysely';
import { Failure } from '../../../kernel/failure.js';
import { type Config } from '../../../platform/config.js';
import { type TransactionWithoutWorkspace, type UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { type Log } from '../../../platform/log.js';
import { type Secrets } from '../../../platform/secrets/secrets.js';
import { IdentityProvider } from './identity-provider.js';
import { type KnownProvider, type ProviderTerms, providerEncryptionContext } from './provider-terms.js';

type OidcConfig = Pick<
  Config,
  'OIDC_ISSUER' | 'OIDC_CLIENT_ID' | 'OIDC_CLIENT_SECRET' | 'OIDC_TRUSTED_DOMAINS' | 'OIDC_ALLOW_HTTP' | 'PUBLIC_URL'
>;

/** A button of the sign-in page. */
export interface ProviderButton {
  /** Null for the provider of the environment. */
  readonly id: string | null;
  readonly kind: ProviderTerms['kind'];
  readonly name: string;
}

const buttonsFreshMs = 2000;

/**
 * The identity providers of the installation: that of the environment first, then those that were set up in the app. A
 * change applies to the next sign-in of every process.
 */
export class IdentityProviders {
  private readonly opened = new Map<string, IdentityProvider>();
  private buttons: { readonly until: number; readonly list: Promise<readonly ProviderButton[]> } | null = null;

  constructor(
    private readonly config: OidcConfig,
    private readonly unitOfWork: UnitOfWork,
    private readonly secrets: Secrets,
    private readonly log: Log,
  ) {}

  /** What the sign-in page offers. Anyone may ask, so the database is read once in two seconds. */
  listButtons(): Promise<readonly ProviderButton[]> {
    const now = performance.now();
    if (this.buttons === null || this.buttons.until < now) {
      const list = this.list().then((known) => known.map(({ id, kind, name }) => ({ id, kind, name })));
      this.buttons = { until: now + buttonsFreshMs, list };
      list.catch(() => this.reloadButtons());
    }
    return this.buttons.list;
  }

  /** Shows a change on the sign-in page of this process at once. */
  reloadButtons(): void {
    this.buttons = null;
  }

  async list(): Promise<readonly KnownProvider[]> {
    const stored = await this.unitOfWork.withoutWorkspace((tx) => listStoredProviders(tx, this.secrets, this.config));
    return [...providersOfEnvironment(this.config), ...stored];
  }

  /** The provider with the id; without an id, the first one. */
  async find(id: string | null): Promise<IdentityProvider> {
    const known = await this.list();
    const terms = id === null ? known[0] : known.find((provider) => provider.id === id);
    if (terms === undefined)
      throw new Failure('not_found', 'No such identity provider is set up. Sign in by e-mail: POST /auth/otp/send.');
    return this.open(terms);
  }

  /** Rejects if nothing answers at the issuer. The provider need not be stored. */
  async check(terms: KnownProvider): Promise<void> {
    await new IdentityProvider(terms, this.config.OIDC_ALLOW_HTTP, this.log).check();
  }

  /** The provider caches what it has discovered. Changed terms replace it. */
  private open(terms: KnownProvider): IdentityProvider {
    const key = terms.id ?? '';
    const known = this.opened.get(key);
    if (known !== undefined && JSON.stringify(known.terms) === JSON.stringify(terms)) return known;
    const provider = new IdentityProvider(terms, this.config.OIDC_ALLOW_HTTP, this.log);
    this.opened.set(key, provider);
    return provider;
  }
}

function providersOfEnvironment(config: OidcConfig): readonly KnownProvider[] {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId = '', OIDC_CLIENT_SECRET: clientSecret = '' } = config;
  if (issuer === undefined) return [];
  const { OIDC_TRUSTED_DOMAINS: domains, PUBLIC_URL: publicUrl = '' } = config;
  return [{ id: null, kind: 'other', name: 'Single sign-on', issuer, clientId, clientSecret, domains, publicUrl }];
}

/** The providers that were set up in the app, in the order in which they were added. */
export async function listStoredProviders(
  tx: Pick<TransactionWithoutWorkspace, 'db'>,
  secrets: Secrets,
  { PUBLIC_URL }: Pick<Config, 'PUBLIC_URL'>,
): Promise<readonly KnownProvider[]> {
  const { rows } = await sql<{ id: string; terms: ProviderTerms; secret: Buffer }>`
    select provider_id as id, terms, client_secret as secret from list_identity_providers()`.execute(tx.db);
  return rows.map(({ id, terms, secret }) => ({
    ...terms,
    publicUrl: PUBLIC_URL ?? terms.publicUrl,
    id,
    clientSecret: secrets.open(providerEncryptionContext(id), secret),
  }));
}
