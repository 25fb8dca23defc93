import { z } from 'zod';
import { crmProviders } from '../crm/port.js';

export const connectedAnswer = z.object({
  connected: z.literal(true),
  provider: z.enum(crmProviders),
  accountId: z.string().nullable(),
  /** Where deliveries are to be sent, where they have to be set up by hand. */
  webhookUrl: z.string().nullable(),
  /** What they have to show as a bearer; told once. */
  webhookSecret: z.string().nullable(),
});
