import { sql } from 'kysely';
import { z } from 'zod';
import { groupBy } from '../../kernel/group-by.js';
import { unnestRows } from '../../platform/database/columns.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type Conversion } from './affected-by-rates.js';

/** Which plans and months use the rates of a change. */
export const rateUse = {
  plans: z
    .array(
      z
        .object({
          planId: z.string().describe('Id of the plan'),
          name: z.string().describe('Name of the plan'),
          deals: z.int().describe('Number of deals, or days of commission below a manager, that it converts by them'),
        })
        .describe('A plan that converts by the rates'),
    )
    .optional()
    .describe('With dryRun: the plans that convert by the rates, those with most deals first'),
  months: z
    .array(
      z
        .object({
          month: z.string().describe('Month of the close dates, YYYY-MM'),
          people: z.int().describe('Number of people with deals in it that the rates convert'),
          deals: z.int().describe('Number of these deals, or days of commission below a manager'),
          approvedDeals: z
            .int()
            .describe(
              'Number of them in an approved statement, which keeps the rate that it was calculated with; a difference becomes a discrepancy',
            ),
        })
        .describe('A month whose deals the rates convert'),
    )
    .optional()
    .describe('With dryRun: the months whose deals the rates convert, the earliest first'),
};

interface RateUse {
  readonly plans: z.input<typeof rateUse.plans>;
  readonly months: z.input<typeof rateUse.months>;
}

export async function readRateUse(tx: Transaction, conversions: readonly Conversion[]): Promise<RateUse> {
  const [names, approved] = [await findPlanNames(tx, conversions), await findApprovedDays(tx, conversions)];
  const plans = [...groupBy(conversions, ({ planId }) => planId)].map(([planId, ofPlan]) => ({
    planId,
    name: names.get(planId) ?? planId,
    deals: ofPlan.length,
  }));
  const months = [...groupBy(conversions, ({ day }) => day.slice(0, 7))].map(([month, ofMonth]) => ({
    month,
    people: new Set(ofMonth.map(({ repId }) => repId)).size,
    deals: ofMonth.length,
    approvedDeals: ofMonth.filter((conversion) => approved.has(dayKey(conversion))).length,
  }));
  return {
    plans: plans.sort((a, b) => b.deals - a.deals || (a.name < b.name ? -1 : 1)),
    months: months.sort((a, b) => (a.month < b.month ? -1 : 1)),
  };
}

async function findPlanNames(
  tx: Transaction,
  conversions: readonly Conversion[],
): Promise<ReadonlyMap<string, string>> {
  const planIds = [...new Set(conversions.map(({ planId }) => planId))];
  const { rows } = await sql<{ planId: string; name: string }>`
    select plan_id as "planId", name from plans
    where workspace_id = ${tx.workspaceId} and plan_id = any(${planIds}::uuid[])`.execute(tx.db);
  return new Map(rows.map(({ planId, name }) => [planId, name]));
}

function dayKey({ repId, day }: Pick<Conversion, 'repId' | 'day'>): string {
  return `${repId} ${day}`;
}

/** The days of people that lie in an approved statement. */
async function findApprovedDays(tx: Transaction, conversions: readonly Conversion[]): Promise<ReadonlySet<string>> {
  const days = [...new Map(conversions.map((conversion) => [dayKey(conversion), conversion])).values()];
  const { rows } = await sql<{ repId: string; day: string }>`
    select input.rep_id as "repId", input.day
    from ${unnestRows(days, [
      ['rep_id', 'uuid', ({ repId }) => repId],
      ['day', 'date', ({ day }) => day],
    ])}
    where exists (
      select from statement_periods s
      where s.workspace_id = ${tx.workspaceId} and s.rep_id = input.rep_id and s.status = 'approved'
        and input.day between s.from_day and s.to_day
    )`.execute(tx.db);
  return new Set(rows.map(dayKey));
}
