import { z } from 'zod';
import { fields } from '../../api/resource-fields.js';
import { toAttainment } from '../../earnings/attainment.js';
import { listQuotas } from '../../earnings/commission-views.js';
import { withRunningCredits } from '../../earnings/running-quotas.js';
import { allDaysAtWork, type WorkingTime } from '../../engine/effective-quota.js';
import { addDays, type Day, type DayRange, isEffective, isWithin } from '../../kernel/day.js';
import { Decimal } from '../../kernel/decimal.js';
import { type Period } from '../../kernel/period.js';
import { calendarOf, type RepTerms } from '../../ledger/input/rep-terms.js';
import { listHolidays } from '../../people/holidays/holiday-views.js';
import { computeRatio } from '../../plans/quotas/quota.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';

export const pace = z
  .object({
    planId: fields.planId,
    measure: fields.measure,
    period: z.string().describe('Attainment period of the quota, such as 2026-Q1 or FY2026-Q1'),
    credit: z.number().describe('What has counted so far, in the unit of the measure'),
    target: z.number().describe('Target that counts, in the unit of the measure'),
    workingDays: z
      .int()
      .describe(
        'Days of the period from Monday to Friday that are no holidays, and on which the person is employed and not absent',
      ),
    elapsedDays: z
      .int()
      .describe('Those of them that have passed, today included, up to the last day whose credit counts'),
    pace: z
      .number()
      .nullable()
      .describe(
        'Credit ÷ (target × elapsedDays ÷ workingDays), where 1 is exactly on pace; null before the first working day and without a target',
      ),
  })
  .describe('How far a person is, compared with the working days that have passed');

/** The pace of every quota of the person that touches the period. */
export async function loadPaces(
  tx: Transaction,
  terms: RepTerms,
  period: Period,
  today: Day,
): Promise<z.input<typeof pace>[]> {
  const quotas = await withRunningCredits(tx, await listQuotas(tx, period, [terms.repId]), today);
  const workingTime = terms.workingTime ?? allDaysAtWork;
  const holidays = new Set((await listHolidays(tx)).map(({ day }) => day));
  return quotas.map((quota) => {
    const range = calendarOf(terms).range(quota.period);
    const days = listWorkingDays(range, workingTime).filter((day) => !holidays.has(day));
    const { planId, measure, credit, countsAtEnd, target } = toAttainment(quota);
    const counted = credit + (countsAtEnd ?? 0);
    const elapsed = days.filter((day) => day <= today && day <= quota.through).length;
    return {
      planId,
      measure,
      period: quota.period,
      credit: counted,
      target,
      workingDays: days.length,
      elapsedDays: elapsed,
      pace: computePace({ credit: counted, target, days: days.length, elapsed }),
    };
  });
}

function listWorkingDays(
  { from, to }: DayRange,
  { hireDate, endDate, absences }: Pick<WorkingTime, 'hireDate' | 'endDate' | 'absences'>,
): Day[] {
  const days: Day[] = [];
  for (let day = from; day <= to; day = addDays(day, 1))
    if (isWeekday(day) && isEffective(day, hireDate, endDate) && !absences.some((absence) => isWithin(day, absence)))
      days.push(day);
  return days;
}

function isWeekday(day: Day): boolean {
  const weekday = new Date(`${day}T00:00:00Z`).getUTCDay();
  return weekday !== 0 && weekday !== 6;
}

interface Progress {
  readonly credit: number;
  readonly target: number;
  readonly days: number;
  readonly elapsed: number;
}

function computePace({ credit, target, days, elapsed }: Progress): number | null {
  const due = Decimal.of(target).times(Decimal.of(elapsed));
  return due.isZero() ? null : computeRatio(Decimal.of(credit).times(Decimal.of(days)), due);
}
