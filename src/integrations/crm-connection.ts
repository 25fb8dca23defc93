import { z } from 'zod';
import { crmProviders } from '../platform/crm/crm-adapter.js';

export const integration = z.object({
  provider: z.enum(crmProviders),
  connected: z.boolean(),
  connectedAt: z.string().nullable(),
  /** Off, the workspace is passed over when the CRM is polled; the connection stays. */
  syncEnabled: z.boolean(),
});
export type Integration = z.input<typeof integration>;
