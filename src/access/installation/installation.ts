import { z } from 'zod';
import { mailSettings } from '../../platform/mail/mail-settings.js';
import { providerTerms } from '../auth/oidc/provider-terms.js';

const source = z
  .enum(['environment', 'app'])
  .describe('environment: set when the service starts, and not changeable here; app: set up here');

export const mailServer = z.object({
  source,
  settings: z
    .object({ ...mailSettings.shape, hasPassword: z.boolean().describe('Whether a password is stored') })
    .nullable()
    .describe('The settings, without the password; null if they are in the environment'),
});

export const mailsOfInstallation = z.object({
  waiting: z.int().describe('Number of mails that are sent next or tried again'),
  notSent: z.int().describe('Number of mails that are not sent any more'),
  lastSentAt: z.string().nullable().describe('When the last mail was sent, instant in ISO 8601; null for never'),
  lastError: z
    .string()
    .nullable()
    .describe('Code that the mail server returned for the last mail; null if it was accepted'),
});

export const identityProvider = z.object({
  ...providerTerms.shape,
  publicUrl: z.string().describe('Address of the service to which the provider returns'),
  id: z.string().nullable().describe('Id (UUID) of the identity provider; null for that of the environment'),
  source,
  callbackUrl: z.string().describe('Redirect address to enter at the provider'),
});

export const mailServerExample = {
  source: 'app',
  settings: {
    host: 'smtp.acme.com',
    port: 587,
    security: 'starttls',
    username: 'pay@acme.com',
    from: 'Acme Pay <pay@acme.com>',
    hasPassword: true,
  },
} as const;

export const providerExample = {
  id: '6f1c2a34-58d1-4c1e-9a55-0d2f6f1f7c21',
  kind: 'google',
  name: 'Google',
  issuer: 'https://accounts.google.com',
  clientId: '1234.apps.googleusercontent.com',
  domains: ['acme.com'],
  publicUrl: 'https://pay.acme.com',
  source: 'app',
  callbackUrl: 'https://pay.acme.com/auth/oidc/callback',
} as const;
