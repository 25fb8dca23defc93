import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type Configuration,
  calculatePKCECodeChallenge,
  discovery,
  enableNonRepudiationChecks,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client';
import { Failure } from '../../../kernel/failure.js';
import { timeLimit } from '../../../kernel/time-limit.js';
import { type Log } from '../../../platform/log.js';
import { typedEmail } from '../sign-in.js';
import { callbackPath, type KnownProvider } from './provider-terms.js';

/** The secrets of a started sign-in, known only to this service. */
export interface FlowSecrets {
  readonly nonce: string;
  readonly verifier: string;
}

const timeoutSeconds = timeLimit(10_000) / 1000;

/** One OpenID Connect provider: authorization code with PKCE, state and nonce. */
export class IdentityProvider {
  private known: Promise<Configuration> | null = null;

  constructor(
    readonly terms: KnownProvider,
    private readonly allowHttp: boolean,
    private readonly log: Log,
  ) {}

  async begin(): Promise<FlowSecrets & { readonly state: string; readonly location: string }> {
    const provider = await this.discover();
    const [state, nonce, verifier] = [randomState(), randomNonce(), randomPKCECodeVerifier()];
    const location = buildAuthorizationUrl(provider, {
      redirect_uri: this.callbackUrl().href,
      scope: 'openid email',
      response_type: 'code',
      code_challenge: await calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      nonce,
    });
    return { state, nonce, verifier, location: location.href };
  }

  /** The verified e-mail address; null if the provider has verified none or the response is not genuine. */
  async finish(query: Readonly<Record<string, string>>, { nonce, verifier }: FlowSecrets): Promise<string | null> {
    const provider = await this.discover();
    const responseUrl = this.callbackUrl();
    responseUrl.search = new URLSearchParams(query).toString();
    try {
      const tokens = await authorizationCodeGrant(provider, responseUrl, {
        pkceCodeVerifier: verifier,
        expectedNonce: nonce,
        expectedState: query['state'] as string,
        idTokenExpected: true,
      });
      return this.findEmail(tokens.claims() ?? {});
    } catch (error) {
      this.log.warn({ reason: formatReason(error) }, 'sign-in through the identity provider failed');
      if (isOutage(error)) throw unavailable();
      return null;
    }
  }

  /** Rejects if the provider is unreachable or not what its issuer says. */
  async check(): Promise<void> {
    await this.discover();
  }

  /**
   * Microsoft does not say whether it has verified an address: the directory is trusted for the domains that an admin has
   * listed, and for no others. So is another directory that says nothing, for the domains that the operator has listed.
   */
  private findEmail(claims: Readonly<Record<string, unknown>>): string | null {
    const { id, kind, domains } = this.terms;
    const email = typedEmail.safeParse(claims['email']);
    if (!email.success) return this.rejected('the provider states no e-mail address');
    const isListed = domains.includes(email.data.slice(email.data.lastIndexOf('@') + 1));
    if (domains.length > 0 && !isListed) return this.rejected('the domain of the address is not listed');
    // Some providers, such as Cognito, send the text.
    const verified = claims['email_verified'];
    const isVouchedFor = isListed && (kind === 'microsoft' || (id === null && verified === undefined));
    if (verified === true || verified === 'true' || isVouchedFor) return email.data;
    return this.rejected(
      verified === undefined
        ? 'the provider does not state whether it has verified the address (email_verified); OIDC_TRUSTED_DOMAINS trusts a directory for its domains'
        : 'the provider has not verified the address (email_verified)',
    );
  }

  /** Only the operator reads why. */
  private rejected(reason: string): null {
    this.log.warn({ reason }, 'sign-in through the identity provider failed');
    return null;
  }

  /** Cached after the first success; a failure is retried at the next sign-in. */
  private async discover(): Promise<Configuration> {
    const { issuer, clientId, clientSecret } = this.terms;
    this.known ??= discovery(new URL(issuer), clientId, clientSecret, undefined, {
      timeout: timeoutSeconds,
      // The signature is checked although the token comes directly from the provider: there may be a proxy in
      // between.
      execute: [enableNonRepudiationChecks, ...(this.allowHttp ? [allowInsecureRequests] : [])],
    });
    try {
      return await this.known;
    } catch (error) {
      this.known = null;
      this.log.warn({ reason: formatReason(error) }, 'the identity provider is unreachable');
      throw unavailable();
    }
  }

  private callbackUrl(): URL {
    return new URL(`${this.terms.publicUrl}${callbackPath}`);
  }
}

function unavailable(): Failure {
  return new Failure('identity_provider_unavailable', 'The identity provider is unreachable. Try again shortly.');
}

function isOutage(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { name, message = '', cause, status = 0 } = error as Partial<Error> & { status?: number };
  return name === 'TimeoutError' || status >= 500 || /^fetch failed/.test(message) || isOutage(cause);
}

/** Names and codes only, because descriptions may repeat what was sent. */
function formatReason(error: unknown): string {
  const { name, code, error: reported } = (error ?? {}) as { name?: string; code?: string; error?: string };
  return [name, code, reported].filter((part) => typeof part === 'string').join(' ');
}
