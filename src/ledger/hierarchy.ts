import { sql } from 'kysely';
import { type DayRange, latestDay } from '../kernel/day.js';
import { type Work } from '../platform/database/unit-of-work.js';

export interface TeamMember extends DayRange {
  readonly repId: string;
}

/**
 * Everyone below the manager, with the days on which the whole chain of reporting lines between them held. Spans
 * only shrink on the way down, so the recursion ends even on bad data.
 */
export async function loadTeam(trx: Work, workspaceId: string, managerId: string): Promise<TeamMember[]> {
  const { rows } = await sql<TeamMember>`
    with recursive team (rep_id, from_day, to_day) as (
      select rep_id, from_day, coalesce(to_day, ${latestDay}::date) from reporting_lines
      where workspace_id = ${workspaceId} and manager_id = ${managerId}
      union
      select l.rep_id, greatest(l.from_day, t.from_day), least(coalesce(l.to_day, ${latestDay}::date), t.to_day)
      from team t join reporting_lines l on l.workspace_id = ${workspaceId} and l.manager_id = t.rep_id
      where greatest(l.from_day, t.from_day) <= least(coalesce(l.to_day, ${latestDay}::date), t.to_day)
        and l.rep_id <> ${managerId}
    )
    select rep_id as "repId", from_day as "from", to_day as "to" from team`.execute(trx);
  return rows;
}

/** The managers above the rep on any of the days who have a cascade rule in one of their plans. */
export async function cascadeManagersAbove(
  trx: Work,
  workspaceId: string,
  repId: string,
  days: DayRange,
): Promise<string[]> {
  const { rows } = await sql<{ manager_id: string }>`
    with recursive above (manager_id, from_day, to_day) as (
      select manager_id, greatest(from_day, ${days.from}::date), least(coalesce(to_day, ${latestDay}::date), ${days.to}::date)
      from reporting_lines
      where workspace_id = ${workspaceId} and rep_id = ${repId}
        and from_day <= ${days.to}::date and coalesce(to_day, ${latestDay}::date) >= ${days.from}::date
      union
      select l.manager_id, greatest(l.from_day, a.from_day), least(coalesce(l.to_day, ${latestDay}::date), a.to_day)
      from above a join reporting_lines l on l.workspace_id = ${workspaceId} and l.rep_id = a.manager_id
      where greatest(l.from_day, a.from_day) <= least(coalesce(l.to_day, ${latestDay}::date), a.to_day)
    )
    select distinct above.manager_id from above
    where above.manager_id <> ${repId} and exists (
      select from assignments s
      join plan_rules r on r.workspace_id = s.workspace_id and r.plan_id = s.plan_id and r.phase = 'cascade'
      where s.workspace_id = ${workspaceId} and s.rep_id = above.manager_id
    )`.execute(trx);
  return rows.map((row) => row.manager_id);
}
