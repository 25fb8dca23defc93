import { z } from 'zod';
import { type CrmProvider, crmProviders } from '../adapters/port.js';
import { connectionWarning, permissionRecord } from './connection-warnings.js';

export const provider = z.enum(crmProviders).describe('The CRM');
export const providerParams = z.strictObject({ provider });

export const integration = z
  .object({
    provider,
    connected: z.boolean().describe('Whether credentials are stored'),
    connectedAt: z.string().nullable().describe('When the CRM was connected, instant in ISO 8601; null if it is not'),
    /** If false, polling skips the workspace; the connection stays. */
    syncEnabled: z.boolean().describe('Whether the CRM is polled for changes'),
    /** The CRM rejects the credentials: an admin must connect again. */
    broken: z.boolean().describe('Whether the CRM rejected the credentials, so that it must be connected again'),
    brokenReason: z.string().nullable().describe('Why the connection does not work; null if it does'),
    lastSyncAt: z.string().nullable().describe('Start of the last successful sync, instant in ISO 8601; null for none'),
    pollSeconds: z
      .int()
      .nullable()
      .describe('Interval in seconds in which the CRM is polled for changes; null for the default of the service'),
    permissions: z.array(permissionRecord).describe('What the connection needs, as of the last time it was connected'),
  })
  .describe('The connection to one CRM');
export type Integration = z.input<typeof integration>;

export const unconnectedExample = {
  connected: false,
  connectedAt: null,
  syncEnabled: true,
  broken: false,
  brokenReason: null,
  lastSyncAt: null,
  pollSeconds: null,
  permissions: [],
};

export const connectedResponse = z.object({
  connected: z.literal(true).describe('Always true'),
  provider,
  accountId: z.string().nullable().describe('Id of the account at the CRM; null if the CRM does not return one'),
  /** URL for deliveries, if they must be set up by hand. */
  webhookUrl: z
    .string()
    .nullable()
    .describe('URL for webhook deliveries, if they must be set up by hand; otherwise null'),
  /** Deliveries send this bearer secret; it is shown once. */
  webhookSecret: z
    .string()
    .nullable()
    .describe('Bearer secret of webhook deliveries, returned only once; null if the CRM needs none'),
  warnings: z.array(connectionWarning).describe('What to check although the connection works'),
});

export function connectedExample(crm: CrmProvider) {
  return {
    connected: true,
    provider: crm,
    accountId: '62515',
    webhookUrl: crm === 'crma' ? null : `https://pay.acme.com/webhooks/${crm}`,
    webhookSecret: crm === 'crmc' ? 'whsec_…' : null,
    warnings: [],
  };
}
