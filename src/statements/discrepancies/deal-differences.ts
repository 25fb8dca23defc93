import { sql } from 'kysely';
import { z } from 'zod';
import { fields } from '../../api/resource-fields.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type DealSelection, joinLinesOfDeals } from '../correction.js';

/** The part of a discrepancy that one rule on one deal adds. */
export const dealDifference = z
  .object({
    discrepancyId: z.string().describe('Id of the discrepancy (UUID)'),
    status: z.enum(['open', 'dismissed']).describe('open: a person has not decided; dismissed: it is not paid'),
    repId: fields.repId,
    repName: fields.repName,
    planId: fields.planId,
    ruleName: fields.ruleName,
    period: fields.period.describe('The approved period that owes the difference'),
    approved: z.number().describe('Amount that the period has paid, including corrections'),
    live: z.number().describe('Amount that the period would pay if it were not approved'),
    delta: z.number().describe('live - approved: what is not paid yet'),
    currency: fields.currency,
  })
  .describe('What an approved period owes for the deal and has not paid');
export type DealDifference = z.input<typeof dealDifference>;

interface DifferenceRow extends Omit<DealDifference, 'approved' | 'live' | 'delta'> {
  readonly dealId: string;
  readonly approved: string;
  readonly live: string;
  readonly delta: string;
}

/** What approved periods owe for the deals, among the lines that the discrepancies list. */
export async function listDealDifferences(
  tx: Transaction,
  { dealIds, repIds }: DealSelection,
): Promise<DifferenceRow[]> {
  if (dealIds.length === 0) return [];
  const { rows } = await sql<DifferenceRow>`
    select d.discrepancy_id as "discrepancyId", d.status, d.rep_id as "repId", r.name as "repName",
      l.line ->> 'dealId' as "dealId", l.line ->> 'planId' as "planId", l.line ->> 'ruleName' as "ruleName", d.period,
      l.line ->> 'approved' as approved, l.line ->> 'live' as live, l.line ->> 'delta' as delta, d.currency
    from discrepancies d
    join reps r on r.workspace_id = d.workspace_id and r.rep_id = d.rep_id
    ${joinLinesOfDeals(sql.ref('d.lines'), dealIds)}
    where d.workspace_id = ${tx.workspaceId} and d.status in ('open', 'dismissed')
      ${repIds === null ? sql`` : sql`and d.rep_id = any(${repIds}::uuid[])`}
    order by d.since, l.line ->> 'ruleName', d.discrepancy_id`.execute(tx.db);
  return rows;
}

export function toDifferenceResponse({ dealId: _, approved, live, delta, ...same }: DifferenceRow): DealDifference {
  return { ...same, approved: Number(approved), live: Number(live), delta: Number(delta) };
}
