import { z } from 'zod';
import { crmProviders } from '../crm/port.js';

export const integration = z.object({
  provider: z.enum(crmProviders),
  connected: z.boolean(),
  connectedAt: z.string().nullable(),
  /** If false, polling skips the workspace; the connection stays. */
  syncEnabled: z.boolean(),
  /** The CRM rejects the credentials: an admin must connect again. */
  broken: z.boolean(),
  brokenReason: z.string().nullable(),
  /** End of the last successful sync. */
  lastSyncAt: z.string().nullable(),
});
export type Integration = z.input<typeof integration>;

export const unconnectedExample = {
  connected: false,
  connectedAt: null,
  syncEnabled: true,
  broken: false,
  brokenReason: null,
  lastSyncAt: null,
};
