import { z } from 'zod';
import { type CrmProvider, crmProviders } from '../crm/port.js';

export const connectedAnswer = z.object({
  connected: z.literal(true),
  provider: z.enum(crmProviders),
  accountId: z.string().nullable(),
  /** URL for deliveries, if they must be set up by hand. */
  webhookUrl: z.string().nullable(),
  /** Bearer secret of deliveries; shown once. */
  webhookSecret: z.string().nullable(),
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
