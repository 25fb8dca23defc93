import { sql } from 'kysely';
import { type DayRange } from '../../kernel/day.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';

interface ApprovedStatement extends DayRange {
  readonly repId: string;
  readonly period: string;
}

/** The approved statements with a day of the range, earliest first. */
export async function listApprovedWithin(tx: Transaction, { from, to }: DayRange): Promise<ApprovedStatement[]> {
  const { rows } = await sql<ApprovedStatement>`
    select rep_id as "repId", period, from_day as "from", to_day as "to" from statement_periods
    where workspace_id = ${tx.workspaceId} and status = 'approved'
      and from_day <= ${to}::date and to_day >= ${from}::date
    order by from_day, period, rep_id`.execute(tx.db);
  return rows;
}

/** Finds a condition that compares a date with a fiscal period, at any depth. */
const fiscalCondition = sql.lit('lax $.** ? (@.operator == "in_period" && @.value starts with "FY")');

/** The reps who are or were on a plan that reads fiscal years, and whether a condition of it does. */
export async function listRepsOfFiscalPlans(
  tx: Transaction,
): Promise<{ readonly repId: string; readonly hasCondition: boolean }[]> {
  const { rows } = await sql<{ repId: string; hasCondition: boolean }>`
    with versions as materialized (
      select r.plan_id, r.definition ->> 'calendar' = 'fiscal' as counts_fiscal,
        r.definition @? ${fiscalCondition}::jsonpath or v.deal_conditions @? ${fiscalCondition}::jsonpath as has_condition
      from plan_rules r
      join plan_versions v on v.workspace_id = r.workspace_id and v.plan_version_id = r.plan_version_id
      where r.workspace_id = ${tx.workspaceId}
    )
    select a.rep_id as "repId", bool_or(v.has_condition) as "hasCondition"
    from assignments a join versions v on v.plan_id = a.plan_id
    where a.workspace_id = ${tx.workspaceId} and (v.counts_fiscal or v.has_condition)
    group by a.rep_id order by a.rep_id`.execute(tx.db);
  return rows;
}
