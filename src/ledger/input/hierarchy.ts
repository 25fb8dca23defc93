import { sql } from 'kysely';
import { type DayRange, earliestDay, intersection, latestDay, overlap } from '../../kernel/day.js';
import { getOrInsert } from '../../kernel/get-or-insert.js';
import { groupBy } from '../../kernel/group-by.js';
import { unnestRows } from '../../platform/database/columns.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';

export interface TeamMember extends DayRange {
  readonly repId: string;
}

/** The reps below the manager, each with the days on which the whole chain exists. */
export async function loadTeam(tx: Transaction, managerId: string): Promise<TeamMember[]> {
  return (await loadTeams(tx, [managerId])).get(managerId) ?? [];
}

/** The reps below each of the managers, each with the days on which the whole chain exists. */
export async function loadTeams(tx: Transaction, managerIds: readonly string[]): Promise<Map<string, TeamMember[]>> {
  if (managerIds.length === 0) return new Map();
  const { rows } = await sql<TeamMember & { managerId: string }>`
    with recursive team (manager_id, rep_id, from_day, to_day) as (
      select manager_id, rep_id, from_day, coalesce(to_day, ${latestDay}::date) from reporting_lines
      where workspace_id = ${tx.workspaceId} and manager_id = any(${managerIds}::uuid[])
      union
      select t.manager_id, l.rep_id, greatest(l.from_day, t.from_day),
        least(coalesce(l.to_day, ${latestDay}::date), t.to_day)
      from team t join reporting_lines l on l.workspace_id = ${tx.workspaceId} and l.manager_id = t.rep_id
      where greatest(l.from_day, t.from_day) <= least(coalesce(l.to_day, ${latestDay}::date), t.to_day)
        and l.rep_id <> t.manager_id
    )
    select manager_id as "managerId", rep_id as "repId", from_day as "from", to_day as "to" from team`.execute(tx.db);
  return groupBy(rows, (member) => member.managerId);
}

/** A rep and the days for which managers are searched. */
interface RepDays {
  readonly repId: string;
  readonly days: DayRange;
}

/** Loads, for each rep, the managers above on any of the days whose plans have a cascade rule. */
export async function loadCascadeManagersAbove(
  tx: Transaction,
  reps: readonly RepDays[],
): Promise<Map<string, string[]>> {
  if (reps.length === 0) return new Map();
  const { rows } = await sql<{ repId: string; managerId: string }>`
    with recursive above (rep_id, manager_id, from_day, to_day) as (
      select l.rep_id, l.manager_id, greatest(l.from_day, input.from_day),
        least(coalesce(l.to_day, ${latestDay}::date), input.to_day)
      from ${unnestRows(reps, [
        ['rep_id', 'uuid', ({ repId }) => repId],
        ['from_day', 'date', ({ days }) => days.from],
        ['to_day', 'date', ({ days }) => days.to],
      ])}
      join reporting_lines l on l.workspace_id = ${tx.workspaceId} and l.rep_id = input.rep_id
        and l.from_day <= input.to_day and coalesce(l.to_day, ${latestDay}::date) >= input.from_day
      union
      select a.rep_id, l.manager_id, greatest(l.from_day, a.from_day),
        least(coalesce(l.to_day, ${latestDay}::date), a.to_day)
      from above a join reporting_lines l on l.workspace_id = ${tx.workspaceId} and l.rep_id = a.manager_id
      where greatest(l.from_day, a.from_day) <= least(coalesce(l.to_day, ${latestDay}::date), a.to_day)
    )
    select distinct above.rep_id as "repId", above.manager_id as "managerId" from above
    where above.manager_id <> above.rep_id and exists (
      select from assignments s
      join plan_rules r on r.workspace_id = s.workspace_id and r.plan_id = s.plan_id and r.phase = 'cascade'
      where s.workspace_id = ${tx.workspaceId} and s.rep_id = above.manager_id
    )`.execute(tx.db);
  const managers = new Map<string, string[]>();
  for (const { repId, managerId } of rows) getOrInsert(managers, repId, () => []).push(managerId);
  return managers;
}

/** The reps below one rep and the reporting lines among them. */
export interface Hierarchy {
  /** The reps below, reps without a team first. */
  readonly bottomUp: readonly string[];
  /** The reps below the manager, each with the days on which the whole chain between them held. */
  below(managerId: string): ReadonlyMap<string, readonly DayRange[]>;
}

interface ReportingLine extends DayRange {
  readonly repId: string;
  readonly managerId: string;
}

/** The hierarchy below the rep, read in one statement; empty if it is not needed. */
export async function loadHierarchyBelow(tx: Transaction, repId: string, isNeeded: boolean): Promise<Hierarchy> {
  const team = isNeeded ? await loadTeam(tx, repId) : [];
  const members = [...new Set(team.map((member) => member.repId))];
  const { rows } =
    members.length === 0
      ? { rows: [] }
      : await sql<ReportingLine>`
          select rep_id as "repId", manager_id as "managerId", from_day as "from",
            coalesce(to_day, ${latestDay}::date) as "to"
          from reporting_lines
          where workspace_id = ${tx.workspaceId} and manager_id = any(${[repId, ...members]}::uuid[])`.execute(tx.db);
  const byManager = groupBy(rows, (line) => line.managerId);
  return { bottomUp: orderBottomUp(members, byManager), below: (managerId) => spansBelow(byManager, managerId) };
}

/** Depth first: a rep comes after the reps below, unless they have managed each other at different times. */
function orderBottomUp(
  members: readonly string[],
  byManager: ReadonlyMap<string, readonly ReportingLine[]>,
): readonly string[] {
  const bottomUp: string[] = [];
  const visited = new Set<string>();
  const included = new Set(members);
  const visit = (repId: string): void => {
    if (visited.has(repId)) return;
    visited.add(repId);
    for (const line of byManager.get(repId) ?? []) visit(line.repId);
    if (included.has(repId)) bottomUp.push(repId);
  };
  for (const repId of members) visit(repId);
  return bottomUp;
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
      if (!overlap(line, above) || line.repId === managerId) continue;
      const span = intersection(line, above);
      const known = getOrInsert(spans, line.repId, () => []);
      if (known.some(({ from, to }) => from === span.from && to === span.to)) continue;
      known.push(span);
      pending.push({ repId: line.repId, ...span });
    }
  }
  return spans;
}
