import { z } from 'zod';
import { type Config, type SettingsGroup } from '../platform/config.js';
import { externalBase, optionalText, whole } from '../platform/setting-schemas.js';

const shape = {
  BILLING_WEBHOOK_SECRET: optionalText.meta({
    description: 'Signing secret of the billing webhooks; without it they are rejected. Requires BILLING_API_KEY',
    example: 'whsec_as-the-provider-gave-it',
  }),
  BILLING_API_KEY: optionalText.meta({
    description: 'API key that reads subscriptions, customers and events at the billing provider',
    example: 'rk_live_as-the-provider-gave-it',
  }),
  BILLING_API_BASE: externalBase('https://api.stripe.com').describe('Base URL of the API of the billing provider'),
  BILLING_PRICE_TIERS: z
    .string()
    .regex(
      /^[\w-]+:(free|pro|enterprise)(,[\w-]+:(free|pro|enterprise))*$/,
      'must be a comma-separated list of price:tier pairs',
    )
    .optional()
    .meta({
      description: 'Tiers of prices whose metadata and lookup key name no tier',
      example: 'price_1Pro:pro,price_1Big:enterprise',
    }),
  BILLING_GRACE_DAYS: whole(0, 90)
    .default(7)
    .describe('Days for which a workspace keeps its tier after a failed payment'),
};

type BillingConfig = z.infer<z.ZodObject<typeof shape>>;

declare module '../platform/config.js' {
  interface Config extends BillingConfig {}
}

export const billingConfig: SettingsGroup = { shape, contradictions };

function contradictions(config: Config): string[] {
  const found: string[] = [];
  if (!config.BILLING_API_BASE.startsWith('https://') && !config.CRM_ALLOW_LOOPBACK)
    found.push('BILLING_API_BASE | must start with https:// | remove it');
  if ((config.BILLING_API_KEY === undefined) !== (config.BILLING_WEBHOOK_SECRET === undefined))
    found.push('BILLING_API_KEY | requires BILLING_WEBHOOK_SECRET and the reverse | set both or neither');
  return found;
}
