import { type RawBuilder, sql } from 'kysely';
import { type PlanVersion } from '../../engine/compiled-plan.js';
import { listFields } from '../../engine/convert-deal.js';
import { foldedSlug } from '../../engine/folded-slug.js';
import { lineSummarySlugs } from '../../engine/line-summary.js';

/** The lines of the deal `d`, as the engine reads them: those of the API, or else those of the CRM (`min` prefers `api`). */
export function linesOfDeal(workspaceId: string): RawBuilder<unknown> {
  return sql`(
    select jsonb_agg(l.content order by l.position) from deal_lines l
    where l.workspace_id = ${workspaceId} and l.deal_id = d.deal_id and l.source = (
      select min(other.source) from deal_lines other
      where other.workspace_id = l.workspace_id and other.deal_id = l.deal_id))`;
}

/** The lines of the deal `d` if a refund names lines of it. */
export function linesOfRefundedDeal(workspaceId: string): RawBuilder<unknown> {
  return sql`case when exists (
    select from deal_refunds r
    where r.workspace_id = ${workspaceId} and r.deal_id = d.deal_id and r.lines is not null
  ) then ${linesOfDeal(workspaceId)} end`;
}

/**
 * Whether a version needs the lines of deals: a rule pays lines, or a rule, a condition or the key of a rate table may
 * read a summary of them.
 */
export function readsLines({ rules, dealConditions }: Pick<PlanVersion, 'rules' | 'dealConditions'>): boolean {
  return rules.some(
    (rule) =>
      rule.lines !== undefined ||
      rule.tiers.some(({ table }) => table !== undefined) ||
      listFields(rule, dealConditions).some((slug) => lineSummarySlugs.includes(foldedSlug(slug))),
  );
}
