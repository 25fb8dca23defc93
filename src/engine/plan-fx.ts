import { z } from 'zod';
import { type Day, isDay } from '../kernel/day.js';

const fxDates = ['close_date', 'period_start', 'period_end', 'fixed'] as const;
type FxDate = (typeof fxDates)[number];

/** How a plan converts values in other currencies. */
export interface PlanFx {
  readonly date: FxDate;
  /** The day of `fixed`. */
  readonly day?: Day | undefined;
  readonly table?: string | undefined;
}

/** The name of a table of exchange rates. */
export const rateTable = z
  .string()
  .trim()
  .min(1)
  .max(50)
  .regex(/^[^\p{Cc}]*$/u, 'must not hold control characters');

export const planFx = z
  .strictObject({
    date: z
      .enum(fxDates)
      .describe(
        "Whose rate converts a deal: close_date: that of its close date; period_start, period_end: that of the first or last day of the rule's attainment period; fixed: that of day, for all deals",
      ),
    day: z
      .string()
      .refine(isDay, 'must be a day, YYYY-MM-DD')
      .optional()
      .describe('Day of the rates, YYYY-MM-DD; required with date fixed, and only with it'),
    table: rateTable.optional().describe('Table of exchange rates (PUT /v1/fx-rates); default when absent'),
  })
  .superRefine(({ date, day }, context) => {
    if ((date === 'fixed') === (day !== undefined)) return;
    const message = date === 'fixed' ? 'is required with date fixed' : 'is allowed only with date fixed';
    context.addIssue({ code: 'custom', path: ['day'], message });
  })
  .describe('How values in other currencies are converted to the currency of the plan');
