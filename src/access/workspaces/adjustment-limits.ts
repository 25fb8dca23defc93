import { z } from 'zod';
import { namedSigners } from './approval-steps.js';

/** A limit above which another person approves an adjustment. */
const adjustmentLimit = z
  .strictObject({
    above: z.number().min(0).max(1e12).describe('Absolute amount in the currency of the workspace; equal is not above'),
    by: namedSigners.describe('Who approves: never who has proposed it, and never the rep'),
  })
  .describe('A limit');
export type AdjustmentLimit = z.output<typeof adjustmentLimit>;

export const adjustmentLimits = z
  .array(adjustmentLimit)
  .min(1)
  .max(8)
  .refine((limits) => new Set(limits.map(({ above }) => above)).size === limits.length, 'has an amount twice')
  .describe(
    'Above which amounts an adjustment waits for another person; the highest limit that is exceeded counts. Adjustments of a person and period within 24 hours count together',
  );
