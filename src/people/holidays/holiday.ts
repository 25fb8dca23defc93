import { z } from 'zod';
import { text } from '../../platform/operations/schemas.js';

export const holidayName = text(200);

export const holiday = z
  .object({
    day: z.string().describe('The day, YYYY-MM-DD'),
    name: z.string().describe('Name of the holiday'),
  })
  .describe('A day on which the company does not work');
export type Holiday = z.infer<typeof holiday>;
