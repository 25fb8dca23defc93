import { type Tier } from '../access/workspaces/workspace-tables.js';
import { type Config } from '../platform/config.js';
import { type BillingTerms } from './billing-inbox-handler.js';
import { BillingProvider } from './billing-provider.js';

/** Null if no provider is configured. */
export function billingProvider({
  BILLING_API_KEY: apiKey,
  BILLING_API_BASE: apiBase,
}: Config): BillingProvider | null {
  return apiKey === undefined ? null : new BillingProvider({ apiKey, apiBase });
}

export function billingTerms({ BILLING_GRACE_DAYS, BILLING_PRICE_TIERS = '' }: Config): BillingTerms {
  const pairs = BILLING_PRICE_TIERS.split(',').filter((pair) => pair !== '');
  return {
    graceDays: BILLING_GRACE_DAYS,
    // The configuration has validated that each pair is a price and a tier.
    priceTiers: new Map(pairs.map((pair) => pair.split(':') as [string, Tier])),
  };
}
