import { z } from 'zod';
import { PeriodCalendar } from '../../../kernel/period-calendar.js';
import { loadCalendar } from '../../../ledger/input/calendar.js';
import { CommissionChanges } from '../../../ledger/requests/commission-changes.js';
import { assertPayPeriodsStay } from '../../../pay/payables/change-payouts.js';
import { CLOCK } from '../../../platform/injection-tokens.js';
import { operation } from '../../../platform/operations/operation.js';
import { flag } from '../../../platform/operations/schemas.js';
import { changeOrPreview } from '../../../simulation/preview-write.js';
import { commissionEffect, toCommissionEffect } from '../../../simulation/write-effect.js';
import {
  assertContiguous,
  fiscalYear,
  fiscalYearsExample,
  fiscalYearTerms,
  toFiscalYearResponses,
} from '../fiscal-year.js';
import { replaceFiscalYears } from '../fiscal-year-store.js';

const query = z.strictObject({
  dryRun: flag
    .default(false)
    .describe('true: check, and return what the change would do to commission; writes nothing'),
});
const body = z
  .array(fiscalYearTerms)
  .max(50)
  .describe(
    'All fiscal years, earliest first, each beginning on the day after the one before it ends; [] removes them',
  );

const response = z.object({
  fiscalYears: z.array(fiscalYear).describe('The fiscal years, in their order'),
  count: z.int().describe('Number of fiscal years'),
  reps: z.int().describe('Number of people whose commission is calculated again'),
  effect: commissionEffect
    .nullable()
    .optional()
    .describe('With dryRun=true. null: the people have more deals than can be calculated at once'),
});

export const setFiscalYears = operation({
  id: 'setFiscalYears',
  summary: 'Define the fiscal years, in place of all that are defined',
  method: 'put',
  path: '/v1/fiscal-years',
  access: 'admin',
  query,
  body,
  response,
  failures: { calendar_in_use: 409, pay_period_in_use: 409 },
  example: {
    body: fiscalYearsExample.request,
    response: { fiscalYears: fiscalYearsExample.response, count: 1, reps: 0 },
  },
  uses: { changes: CommissionChanges, clock: CLOCK },
  async execute({ query: { dryRun }, body: requested }, caller, uses): Promise<z.input<typeof response>> {
    const fiscalYears = toFiscalYearResponses(assertContiguous(requested));
    const years = { fiscalYears, count: fiscalYears.length };
    return changeOrPreview(uses, caller, { dryRun, toEffect: toCommissionEffect }, async (tx) => {
      const before = await loadCalendar(tx);
      const affected = await replaceFiscalYears(tx, requested);
      await assertPayPeriodsStay(tx, before, new PeriodCalendar(requested));
      return { result: { ...years, reps: affected.size }, affected, trigger: 'calendar' };
    });
  },
});
