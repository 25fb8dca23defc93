import { z } from 'zod';
import { type Config, type SettingsGroup } from '../../platform/config.js';
import { externalBase, flag, optionalText, whole } from '../../platform/setting-schemas.js';

const shape = {
  CRMA_CLIENT_ID: optionalText.meta({
    description: 'OAuth client id at crm-a; without it admins paste tokens',
    example: 'c0ffee',
  }),
  CRMA_CLIENT_SECRET: optionalText.meta({ description: 'OAuth client secret at crm-a', example: 'as crm-a gave it' }),
  CRMA_API_BASE: externalBase('https://api.attio.com').describe('Base URL of the API of crm-a'),
  CRMA_AUTH_BASE: externalBase('https://app.attio.com').describe('Base URL of the consent page of crm-a'),
  CRMB_CLIENT_ID: optionalText.meta({
    description: 'OAuth client id at crm-b; without it admins paste tokens',
    example: 'c0ffee',
  }),
  CRMB_CLIENT_SECRET: optionalText.meta({
    description: 'OAuth client secret at crm-b; required for its webhooks, which are signed with it',
    example: 'as crm-b gave it',
  }),
  CRMB_API_BASE: externalBase('https://api.hubapi.com').describe('Base URL of the API of crm-b'),
  CRMB_AUTH_BASE: externalBase('https://app.hubspot.com').describe('Base URL of the consent page of crm-b'),
  CRMB_API_VERSION: z
    .string()
    .regex(/^[\w-]{1,20}$/)
    .default('2026-09')
    .describe('Version of the API of crm-b'),
  CRMB_OAUTH_VERSION: z
    .string()
    .regex(/^[\w-]{1,20}$/)
    .default('2026-03')
    .describe('Version of the OAuth endpoints of crm-b'),
  CRMB_ALLOW_SIGNATURE_V1: flag
    .default(false)
    .meta({ description: '1: accept webhooks of crm-b with signature v1, which has no expiry', example: '1' }),
  CRMC_CLIENT_ID: optionalText.meta({
    description: 'OAuth client id at crm-c; without it admins paste tokens',
    example: 'c0ffee',
  }),
  CRMC_CLIENT_SECRET: optionalText.meta({ description: 'OAuth client secret at crm-c', example: 'as crm-c gave it' }),
  CRMC_LOGIN_BASE: externalBase('https://login.salesforce.com').meta({
    description: 'Base URL of the consent page of crm-c: production, sandbox or a custom domain',
    example: 'https://test.salesforce.com',
  }),
  CRMC_API_VERSION: z
    .string()
    .regex(/^v\d{2,3}\.0$/)
    .default('v67.0')
    .describe('Version of the API of crm-c'),
  CRM_ALLOW_LOOPBACK: flag.default(false).meta({
    description:
      '1: allow CRM, billing and webhook addresses on this machine, for tests and the demo; rejected in production',
    example: '1',
  }),
  CRM_POLL_SECONDS: whole(1, 86_400)
    .default(300)
    .describe(
      'Interval in which crm-b and crm-c are polled for changes; crm-a cannot list changes and is read in full at every twelfth interval. A connection may have its own',
    ),
  CRM_RETRY_MS: whole(1, 60_000)
    .default(500)
    .describe('Longest wait in milliseconds before the first retry of a CRM request; doubles with every attempt'),
  WEBHOOKS_PER_SECOND: whole(1, 100_000)
    .default(50)
    .describe('Sustained rate of webhook deliveries per account; bursts may be four times as large'),
};

type CrmConfig = z.infer<z.ZodObject<typeof shape>>;

declare module '../../platform/config.js' {
  interface Config extends CrmConfig {}
}

export const crmConfig: SettingsGroup = { shape, contradictions };

const externalUrls = ['CRMA_API_BASE', 'CRMA_AUTH_BASE', 'CRMB_API_BASE', 'CRMB_AUTH_BASE', 'CRMC_LOGIN_BASE'] as const;

function contradictions(config: Config): string[] {
  const found: string[] = [];
  if (config.NODE_ENV === 'production' && config.CRM_ALLOW_LOOPBACK)
    found.push('CRM_ALLOW_LOOPBACK | is not allowed in production | remove it');
  for (const name of externalUrls)
    if (!config[name].startsWith('https://') && !config.CRM_ALLOW_LOOPBACK)
      found.push(`${name} | must start with https:// | remove it`);
  for (const crm of ['CRMA', 'CRMB', 'CRMC'] as const)
    if (config[`${crm}_CLIENT_ID`] !== undefined && config[`${crm}_CLIENT_SECRET`] === undefined)
      found.push(`${crm}_CLIENT_SECRET | is required with ${crm}_CLIENT_ID | see docs/integrations.md`);
  return found;
}
