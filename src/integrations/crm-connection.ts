import { z } from 'zod';

/** CRMs that a workspace may connect. */
export const crmProviders = ['crma', 'crmb', 'crmc'] as const;
export type CrmProvider = (typeof crmProviders)[number];

export const integration = z.object({
  provider: z.enum(crmProviders),
  connected: z.boolean(),
  connectedAt: z.string().nullable(),
  /** Off, the workspace is passed over when the CRM is polled; the connection stays. */
  syncEnabled: z.boolean(),
});
export type Integration = z.input<typeof integration>;
