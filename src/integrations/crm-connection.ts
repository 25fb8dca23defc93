import { z } from 'zod';
import { crmProviders } from '../crm/port.js';

export const integration = z
  .object({
    provider: z.enum(crmProviders).describe('The CRM'),
    connected: z.boolean().describe('Whether credentials are stored'),
    connectedAt: z.string().nullable().describe('When the CRM was connected, instant in ISO 8601; null if it is not'),
    /** If false, polling skips the workspace; the connection stays. */
    syncEnabled: z.boolean().describe('Whether the CRM is polled for changes'),
    /** The CRM rejects the credentials: an admin must connect again. */
    broken: z.boolean().describe('Whether the CRM rejected the credentials, so that it must be connected again'),
    brokenReason: z.string().nullable().describe('Why the connection does not work; null if it does'),
    /** End of the last successful sync. */
    lastSyncAt: z.string().nullable().describe('Start of the last successful sync, instant in ISO 8601; null for none'),
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
};
