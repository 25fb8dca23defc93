import { z } from 'zod';
import { crmProviders } from '../crm/port.js';

export const connectedAnswer = z.object({
  connected: z.literal(true),
  provider: z.enum(crmProviders),
  accountId: z.string().nullable(),
  /** URL for deliveries, if they must be set up by hand. */
  webhookUrl: z.string().nullable(),
  /** Bearer secret of deliveries; shown once. */
  webhookSecret: z.string().nullable(),
});
