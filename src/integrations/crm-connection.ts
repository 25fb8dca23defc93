import { z } from 'zod';
import { crmProviders } from '../crm/port.js';

export const integration = z.object({
  provider: z.enum(crmProviders),
  connected: z.boolean(),
  connectedAt: z.string().nullable(),
  /** Off, the workspace is passed over when the CRM is polled; the connection stays. */
  syncEnabled: z.boolean(),
  /** The CRM refuses what was given to us: somebody has to connect it anew. */
  broken: z.boolean(),
  brokenReason: z.string().nullable(),
  /** When the last sync ended well. */
  lastSyncAt: z.string().nullable(),
});
export type Integration = z.input<typeof integration>;
