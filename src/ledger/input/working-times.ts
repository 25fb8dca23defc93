import { sql } from 'kysely';
import { defaultMinQuotaPercent, type WorkingTime } from '../../engine/effective-quota.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';

/** The employment and the absences of the reps who do not work on all days, in one statement. */
export async function loadWorkingTimes(
  tx: Transaction,
  repIds: readonly string[],
): Promise<ReadonlyMap<string, WorkingTime>> {
  const { rows } = await sql<WorkingTime & { readonly repId: string }>`
    select r.rep_id as "repId", r.hire_date as "hireDate", r.end_date as "endDate", coalesce((
      select json_agg(json_build_object(
        'from', a.from_day, 'to', a.to_day, 'quotaRelief', a.quota_relief, 'variableRelief', a.variable_relief
      ) order by a.from_day)
      from absences a where a.workspace_id = r.workspace_id and a.rep_id = r.rep_id
    ), '[]') as absences, w.min_quota_percent::float8 as "minQuotaPercent"
    from reps r join workspaces w on w.workspace_id = r.workspace_id
    where r.workspace_id = ${tx.workspaceId} and r.rep_id = any(${repIds}::uuid[]) and (
      r.hire_date is not null or r.end_date is not null or w.min_quota_percent <> ${defaultMinQuotaPercent} or exists (
        select from absences a where a.workspace_id = r.workspace_id and a.rep_id = r.rep_id
      ))`.execute(tx.db);
  return new Map(rows.map(({ repId, ...time }) => [repId, time]));
}
