import { z } from 'zod';
import { type CrmProvider, crmProviders } from '../crm/port.js';

export const connectedAnswer = z.object({
  connected: z.literal(true).describe('Always true'),
  provider: z.enum(crmProviders).describe('The CRM'),
  accountId: z.string().nullable().describe('Id of the account at the CRM; null if the CRM does not return one'),
  /** URL for deliveries, if they must be set up by hand. */
  webhookUrl: z
    .string()
    .nullable()
    .describe('URL for webhook deliveries, if they must be set up by hand; otherwise null'),
  /** Bearer secret of deliveries; shown once. */
  webhookSecret: z
    .string()
    .nullable()
    .describe('Bearer secret of webhook deliveries, returned only once; null if the CRM needs none'),
});

export function connectedExample(provider: CrmProvider) {
  return {
    connected: true,
    provider,
    accountId: '62515',
    webhookUrl: provider === 'crma' ? null : `https://pay.acme.com/webhooks/${provider}`,
    webhookSecret: provider === 'crmc' ? 'whsec_…' : null,
  };
}
