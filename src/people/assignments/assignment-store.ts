import { type RawBuilder, sql } from 'kysely';
import { type Day } from '../../kernel/day.js';
import { newId } from '../../kernel/ids.js';
import { type Affected } from '../../ledger/lanes/calculate-pending.js';
import { loadRepsOfPlan } from '../../ledger/requests/calculation-requests.js';
import { unnestRows } from '../../platform/database/columns.js';
import { forceCustomPlans } from '../../platform/database/force-custom-plans.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';

/** A plan and the days of an assignment to it; null is unbounded. */
interface Placement {
  readonly planId: string;
  readonly start: Day | null;
  readonly end: Day | null;
}

/** A placement with its ramp, which starts on `rampFrom` or with the assignment. */
export interface RampedPlacement extends Placement {
  readonly rampId: string | null;
  readonly rampFrom: Day | null;
}

/** The reps who have another assignment to the plan on some of these days. */
export async function overlappingReps(
  tx: Transaction,
  repIds: readonly string[],
  { planId, start, end }: Placement,
  except: string | null = null,
): Promise<string[]> {
  const { rows } = await sql<{ rep_id: string }>`
    select distinct rep_id from assignments
    where workspace_id = ${tx.workspaceId} and plan_id = ${planId} and rep_id = any(${repIds}::uuid[])
      and deleted_at is null and assignment_id is distinct from ${except}::uuid
      and daterange(effective_start, effective_end, '[]') && daterange(${start}::date, ${end}::date, '[]')
    order by rep_id`.execute(tx.db);
  return rows.map((row) => row.rep_id);
}

/** Inserts one assignment for each rep and returns their ids in the order of the reps. */
export async function insertAssignments(
  tx: Transaction,
  repIds: readonly string[],
  { planId, start, end, rampId, rampFrom }: RampedPlacement,
): Promise<string[]> {
  const rows = repIds.map((repId) => ({ assignmentId: newId(), repId }));
  await forceCustomPlans(tx);
  await sql`
    insert into assignments
      (workspace_id, assignment_id, rep_id, plan_id, effective_start, effective_end, ramp_id, ramp_from)
    select ${tx.workspaceId}::uuid, assignment_id, rep_id, ${planId}::uuid, ${start}::date, ${end}::date,
      ${rampId}::uuid, ${rampFrom}::date
    from ${unnestRows(rows, [
      ['assignment_id', 'uuid', (row) => row.assignmentId],
      ['rep_id', 'uuid', (row) => row.repId],
    ])}`.execute(tx.db);
  const assignmentIds = rows.map((row) => row.assignmentId);
  await cutDeletedAssignments(tx, assignmentIds);
  return assignmentIds;
}

export async function changeAssignment(
  tx: Transaction,
  assignmentId: string,
  { start, end, rampId, rampFrom }: RampedPlacement,
): Promise<void> {
  await cutDeletedAssignments(tx, [assignmentId]);
  await tx.db
    .updateTable('assignments')
    .set({ effective_start: start, effective_end: end, ramp_id: rampId, ramp_from: rampFrom })
    .where('workspace_id', '=', tx.workspaceId)
    .where('assignment_id', '=', assignmentId)
    .execute();
  await cutDeletedAssignments(tx, [assignmentId]);
}

/**
 * Takes the days of the assignments out of deleted ones of the same rep and plan: what is earned on a day belongs to the
 * assignment that covered it last, and goes when that leaves the day.
 */
async function cutDeletedAssignments(tx: Transaction, assignmentIds: readonly string[]): Promise<void> {
  await sql`
    with own as (
      select rep_id, plan_id, daterange(effective_start, effective_end, '[]') as days from assignments
      where workspace_id = ${tx.workspaceId} and assignment_id = any(${assignmentIds}::uuid[])
    ), cut as (
      delete from assignments d using own
      where d.workspace_id = ${tx.workspaceId} and d.rep_id = own.rep_id and d.plan_id = own.plan_id
        and d.deleted_at is not null and daterange(d.effective_start, d.effective_end, '[]') && own.days
      returning d.*, own.days
    )
    insert into assignments (workspace_id, assignment_id, rep_id, plan_id, effective_start, effective_end, ramp_id,
      ramp_from, deleted_at, created_at)
    select workspace_id, gen_random_uuid(), rep_id, plan_id, lower(rest), upper(rest) - 1, ramp_id,
      ramp_from, deleted_at, created_at
    from cut cross join lateral unnest(
      datemultirange(daterange(effective_start, effective_end, '[]')) - datemultirange(days)) rest`.execute(tx.db);
}

/** Marks the assignment as deleted instead of removing it: the calculation needs it to leave its events unchanged. */
export async function endAssignment(tx: Transaction, assignmentId: string): Promise<void> {
  await tx.db
    .updateTable('assignments')
    .set({ deleted_at: sql<Date>`now()` })
    .where('workspace_id', '=', tx.workspaceId)
    .where('assignment_id', '=', assignmentId)
    .execute();
}

/** Removes assignments that should never have been: what they earned goes with them. */
export async function removeAssignments(tx: Transaction, assignmentIds: readonly string[]): Promise<void> {
  if (assignmentIds.length === 0) return;
  await tx.db
    .deleteFrom('assignments')
    .where('workspace_id', '=', tx.workspaceId)
    .where(sql<boolean>`assignment_id = any(${assignmentIds}::uuid[])`)
    .execute();
}

/** The reps whose calculations decide what the rep has earned under the plan: all if a rule pays on the results of others. */
export async function repsToCalculateFirst(tx: Transaction, planId: string, repId: string): Promise<Affected> {
  const dependsOnOthers = await hasRule(tx, planId, sql`phase = 'cascade' or tier_by = 'rank'`);
  return dependsOnOthers ? null : [repId];
}

/** The reps whose commission the days of the reps on the plan decide: all of the plan if one of its rules ranks them. */
export async function listAffectedReps(
  tx: Transaction,
  planId: string,
  repIds: readonly string[],
): Promise<readonly string[]> {
  return (await ranksReps(tx, planId)) ? [...new Set([...repIds, ...(await loadRepsOfPlan(tx, planId))])] : repIds;
}

function ranksReps(tx: Transaction, planId: string): Promise<boolean> {
  return hasRule(tx, planId, sql`tier_by = 'rank'`);
}

async function hasRule(tx: Transaction, planId: string, which: RawBuilder<unknown>): Promise<boolean> {
  const { rows } = await sql`
    select from plan_rules
    where workspace_id = ${tx.workspaceId} and plan_id = ${planId} and (${which}) limit 1`.execute(tx.db);
  return rows.length > 0;
}
