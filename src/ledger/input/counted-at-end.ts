import { type RawBuilder, sql } from 'kysely';
import { countedRows } from './counted-rows.js';

/**
 * Whether the credit of the row of `quotas q` is unknown: only periodic rules count towards it, which count once, at the
 * end of its period, and none has counted by then. `periods` is an array of all periods of the rows.
 */
export function isCountedAtEnd(workspaceId: string, periods: RawBuilder<unknown>): RawBuilder<boolean> {
  const hasRule = (phase: RawBuilder<unknown>) => sql`exists (
    select from plan_rules r
    join plan_versions v on v.workspace_id = r.workspace_id and v.plan_version_id = r.plan_version_id
    where r.workspace_id = ${workspaceId} and r.plan_id = q.plan_id and r.attainment_key = q.attainment_key
      and v.has_been_active and r.phase ${phase})`;
  return sql<boolean>`(${hasRule(sql`= 'periodic'`)} and not ${hasRule(sql`<> 'periodic'`)}
    and (q.rep_id, q.plan_id, q.attainment_key, q.period) not in (
      select c.rep_id, c.plan_id, c.attainment_key, c.period from ${countedRows(workspaceId)}
      where c.phase = 'periodic' and c.deal_key = any(${periods})))`;
}
