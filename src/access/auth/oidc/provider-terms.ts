import { z } from 'zod';
import { withoutEndSlashes } from '../../../kernel/end-slashes.js';
import { text, uuid } from '../../../platform/operations/schemas.js';

const domain = text(253)
  .toLowerCase()
  .regex(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/, 'must be a domain such as acme.com');

/** What an admin sets of an identity provider, besides its secret. */
export const providerTerms = z.object({
  kind: z.enum(['google', 'microsoft', 'other']).describe('Whose accounts sign in; other: any OpenID Connect provider'),
  name: text(60).describe('Name on the button of the sign-in page'),
  issuer: text(500)
    .regex(/^https?:\/\/\S+$/, 'must be an address that begins with https://')
    .describe('Issuer (URL) of the OpenID Connect provider'),
  clientId: text(500).describe('Client id at the provider'),
  domains: z
    .array(domain)
    .max(50)
    .describe('Domains of the e-mail addresses that may sign in with it; empty: every address that it has verified'),
  publicUrl: text(500)
    .regex(/^https?:\/\/[^\s?#]+$/, 'must be the address of the service')
    .transform(withoutEndSlashes)
    .describe('Address of the service to which the provider returns; PUBLIC_URL has precedence'),
});
export type ProviderTerms = z.output<typeof providerTerms>;

export const providerId = uuid.describe('Id (UUID) of the identity provider');

/** A provider with its secret. */
export interface KnownProvider extends ProviderTerms {
  /** Null for the provider of the environment. */
  readonly id: string | null;
  readonly clientSecret: string;
}

export function providerEncryptionContext(id: string): string {
  return `identity_providers ${id}`;
}

export const callbackPath = '/auth/oidc/callback';
