import { sql } from 'kysely';
import { type DayRange, earliestDay, latestDay } from '../kernel/day.js';
import { getOrInsert } from '../kernel/get-or-insert.js';
import { groupBy } from '../kernel/group-by.js';
import { type Work } from '../platform/database/unit-of-work.js';

export interface TeamMember extends DayRange {
  readonly repId: string;
}

/** The reps below the manager, each with the days on which the whole chain exists. */
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

/** The managers above the rep on any of the days whose plans have a cascade rule. */
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

/** The reps below one rep and the reporting lines among them. */
export interface Hierarchy {
  /** The reps below, reps without a team first. */
  readonly bottomUp: readonly string[];
  /**
   * Whether some reps have managed each other at different times: then no order puts every rep before their
   * managers.
   */
  readonly isCyclic: boolean;
  /** The reps below the manager, each with the days on which the whole chain between them held. */
  below(managerId: string): ReadonlyMap<string, readonly DayRange[]>;
}

interface ReportingLine extends DayRange {
  readonly repId: string;
  readonly managerId: string;
}

/** The hierarchy below the rep, read in one statement; empty if it is not needed. */
export async function loadHierarchyBelow(
  trx: Work,
  workspaceId: string,
  repId: string,
  isNeeded: boolean,
): Promise<Hierarchy> {
  const team = isNeeded ? await loadTeam(trx, workspaceId, repId) : [];
  const members = [...new Set(team.map((member) => member.repId))];
  const { rows } =
    members.length === 0
      ? { rows: [] }
      : await sql<ReportingLine>`
          select rep_id as "repId", manager_id as "managerId", from_day as "from",
            coalesce(to_day, ${latestDay}::date) as "to"
          from reporting_lines
          where workspace_id = ${workspaceId} and manager_id = any(${[repId, ...members]}::uuid[])`.execute(trx);
  const byManager = groupBy(rows, (line) => line.managerId);
  return { ...inOrder(members, byManager), below: (managerId) => spansBelow(byManager, managerId) };
}

/** Depth first: a rep comes after the reps below. */
function inOrder(
  members: readonly string[],
  byManager: ReadonlyMap<string, readonly ReportingLine[]>,
): Pick<Hierarchy, 'bottomUp' | 'isCyclic'> {
  const bottomUp: string[] = [];
  const state = new Map<string, 'entered' | 'left'>();
  const included = new Set(members);
  let isCyclic = false;
  const visit = (repId: string): void => {
    if (state.get(repId) === 'entered') isCyclic = true;
    if (state.has(repId)) return;
    state.set(repId, 'entered');
    for (const line of byManager.get(repId) ?? []) visit(line.repId);
    state.set(repId, 'left');
    if (included.has(repId)) bottomUp.push(repId);
  };
  for (const repId of members) visit(repId);
  return { bottomUp, isCyclic };
}

/** The same recursion as {@link loadTeam}: spans only shrink on the way down, so it ends. */
function spansBelow(
  byManager: ReadonlyMap<string, readonly ReportingLine[]>,
  managerId: string,
): ReadonlyMap<string, readonly DayRange[]> {
  const spans = new Map<string, DayRange[]>();
  const pending: TeamMember[] = [{ repId: managerId, from: earliestDay, to: latestDay }];
  for (let above = pending.pop(); above !== undefined; above = pending.pop()) {
    for (const line of byManager.get(above.repId) ?? []) {
      const from = line.from > above.from ? line.from : above.from;
      const to = line.to < above.to ? line.to : above.to;
      if (from > to || line.repId === managerId) continue;
      const known = getOrInsert(spans, line.repId, () => []);
      if (known.some((span) => span.from === from && span.to === to)) continue;
      known.push({ from, to });
      pending.push({ repId: line.repId, from, to });
    }
  }
  return spans;
}
