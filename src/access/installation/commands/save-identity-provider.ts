import { sql } from 'kysely';
import { z } from 'zod';
import { Failure, invalid } from '../../../kernel/failure.js';
import { newId } from '../../../kernel/ids.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { CONFIG } from '../../../platform/injection-tokens.js';
import { operation } from '../../../platform/operations/operation.js';
import { Secrets } from '../../../platform/secrets/secrets.js';
import { IdentityProviders, listStoredProviders } from '../../auth/oidc/identity-providers.js';
import {
  type KnownProvider,
  type ProviderTerms,
  providerEncryptionContext,
  providerId,
  providerTerms,
} from '../../auth/oidc/provider-terms.js';
import { identityProvider, providerExample } from '../installation.js';
import { describeProvider } from '../installation-views.js';
import { assertOperator } from '../operator.js';

const maxProviders = 10;

const body = z.strictObject({
  ...providerTerms.shape,
  id: providerId.optional().describe('Id (UUID) of the provider to change; without it a provider is added'),
  clientSecret: z
    .string()
    .trim()
    .min(1)
    .max(1000)
    .optional()
    .describe('Client secret at the provider; without it the stored one stays, if issuer and client id stay'),
});

export const saveIdentityProvider = operation({
  id: 'saveIdentityProvider',
  summary: 'Add or change an identity provider of the sign-in page; what answers at its issuer is checked first',
  method: 'post',
  path: '/v1/installation/identity-providers',
  access: 'admin',
  stepUp: 'always',
  scope: null,
  body,
  response: identityProvider,
  failures: { not_operator: 409, identity_provider_unavailable: 409, too_many_providers: 409, provider_not_found: 404 },
  example: {
    body: {
      kind: 'google',
      name: 'Google',
      issuer: 'https://accounts.google.com',
      clientId: '1234.apps.googleusercontent.com',
      domains: ['acme.com'],
      publicUrl: 'https://pay.acme.com',
      clientSecret: '…',
    },
    response: providerExample,
  },
  uses: { unitOfWork: UnitOfWork, secrets: Secrets, providers: IdentityProviders, config: CONFIG },
  async execute(
    { body: { id: changedId, clientSecret, ...terms } },
    caller,
    { unitOfWork, secrets, providers, config },
  ): Promise<z.input<typeof identityProvider>> {
    assertSafe(terms, config.OIDC_ALLOW_HTTP);
    const stored = await unitOfWork.read(caller, async (tx) => {
      await assertOperator(tx, caller);
      return listStoredProviders(tx, secrets, config);
    });
    const before = stored.find(({ id }) => id === changedId);
    assertExists(changedId, before, stored.length);
    const id = changedId ?? newId();
    const provider: KnownProvider = { ...terms, id, clientSecret: clientSecret ?? keepSecret(before, terms) };
    await assertReachable(providers, provider);
    await unitOfWork.write(caller, async (tx) => {
      await assertOperator(tx, caller);
      const secret = secrets.seal(providerEncryptionContext(id), provider.clientSecret);
      await sql`select save_identity_provider(${id}, ${JSON.stringify(terms)}::jsonb, ${secret})`.execute(tx.db);
    });
    providers.reloadButtons();
    return describeProvider({ ...provider, publicUrl: config.PUBLIC_URL ?? provider.publicUrl });
  },
});

const microsoftDirectory = /^https:\/\/login\.microsoftonline\.com\/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\/v2\.0$/;

/** Google and Microsoft need their own issuers: another one could claim any address. Trials with http are exempt. */
function assertSafe({ kind, issuer, domains }: ProviderTerms, allowHttp: boolean): void {
  const isTrial = allowHttp && issuer.startsWith('http://');
  if (!issuer.startsWith('https://') && !isTrial)
    throw invalid({ path: 'issuer', message: 'must begin with https://' });
  if (kind === 'google' && issuer !== 'https://accounts.google.com' && !isTrial)
    throw invalid({ path: 'issuer', message: 'must be https://accounts.google.com' });
  if (kind !== 'microsoft') return;
  if (!microsoftDirectory.test(issuer) && !isTrial)
    throw invalid({
      path: 'issuer',
      message: 'must name one directory: https://login.microsoftonline.com/<directory id>/v2.0',
    });
  if (domains.length === 0)
    throw invalid({
      path: 'domains',
      message: 'must list at least one domain: Microsoft does not say which addresses it has verified',
    });
}

function assertExists(changedId: string | undefined, before: KnownProvider | undefined, count: number): void {
  if (changedId !== undefined && before === undefined)
    throw new Failure('provider_not_found', 'This identity provider does not exist any more.');
  if (changedId === undefined && count >= maxProviders)
    throw new Failure('too_many_providers', `There can be ${maxProviders} identity providers. Remove one first.`);
}

/** The stored secret, which is never sent to another provider. */
function keepSecret(before: KnownProvider | undefined, { issuer, clientId }: ProviderTerms): string {
  if (before?.issuer === issuer && before.clientId === clientId) return before.clientSecret;
  throw invalid({ path: 'clientSecret', message: 'is needed for this issuer and client id' });
}

/** The secret is checked only at the first sign-in: providers do not check it before that. */
async function assertReachable(providers: IdentityProviders, provider: KnownProvider): Promise<void> {
  try {
    await providers.check(provider);
  } catch {
    throw new Failure(
      'identity_provider_unavailable',
      `No identity provider answers at ${provider.issuer}. Check the address and try again.`,
    );
  }
}
