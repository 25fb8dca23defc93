import { sql } from 'kysely';
import { listRampSteps, type RampStep } from '../../engine/effective-quota.js';
import { isUuid } from '../../kernel/ids.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type OptionalPage } from '../../platform/operations/schemas.js';
import { type Assignment } from './assignment.js';

interface AssignmentFilter {
  readonly assignmentIds?: readonly string[];
  readonly repIds?: readonly string[] | null;
  readonly planId?: string | undefined;
  readonly page?: OptionalPage;
}

/** Assignments that are not deleted, by rep and plan, earliest first. */
export async function listAssignments(tx: Transaction, filter: AssignmentFilter): Promise<Assignment[]> {
  let query = matchingAssignments(tx, filter)
    .innerJoin('reps as r', (join) =>
      join.onRef('r.workspace_id', '=', 'a.workspace_id').onRef('r.rep_id', '=', 'a.rep_id'),
    )
    .innerJoin('plans as p', (join) =>
      join.onRef('p.workspace_id', '=', 'a.workspace_id').onRef('p.plan_id', '=', 'a.plan_id'),
    )
    .leftJoin('ramps as ramp', (join) =>
      join.onRef('ramp.workspace_id', '=', 'a.workspace_id').onRef('ramp.ramp_id', '=', 'a.ramp_id'),
    )
    .select([
      'a.assignment_id as assignmentId',
      'a.rep_id as repId',
      'r.name as repName',
      'a.plan_id as planId',
      'p.name as planName',
      'a.effective_start as effectiveStart',
      'a.effective_end as effectiveEnd',
      'a.ramp_id as rampId',
      'a.ramp_from as rampFrom',
      'ramp.name as rampName',
      'ramp.steps as rampSteps',
      'r.hire_date as hireDate',
    ])
    .orderBy('r.name')
    .orderBy('a.rep_id')
    .orderBy('p.name')
    .orderBy('a.plan_id')
    .orderBy('a.effective_start', (order) => order.asc().nullsFirst());
  if (filter.page?.limit !== undefined) query = query.limit(filter.page.limit);
  if (filter.page?.offset !== undefined) query = query.offset(filter.page.offset);
  const rows = await query.execute();
  return rows.map(({ rampId, rampFrom, rampName, rampSteps, hireDate, ...row }) => {
    if (rampId === null || rampName === null) return row;
    const ramp = { from: rampFrom, steps: rampSteps as readonly RampStep[] };
    const steps = listRampSteps({ start: row.effectiveStart, end: row.effectiveEnd, ramp }, hireDate);
    return {
      ...row,
      rampId,
      ...(rampFrom === null ? {} : { rampFrom }),
      rampName,
      rampSteps: steps.map(({ months: _, ...step }) => step),
    };
  });
}

function matchingAssignments(tx: Transaction, { assignmentIds, repIds, planId }: AssignmentFilter) {
  let query = tx.db
    .selectFrom('assignments as a')
    .where('a.workspace_id', '=', tx.workspaceId)
    .where('a.deleted_at', 'is', null);
  if (assignmentIds !== undefined) query = query.where(sql<boolean>`a.assignment_id = any(${assignmentIds}::uuid[])`);
  if (repIds) query = query.where(sql<boolean>`a.rep_id = any(${repIds}::uuid[])`);
  if (planId !== undefined) query = query.where('a.plan_id', '=', planId);
  return query;
}

export async function countAssignments(tx: Transaction, filter: AssignmentFilter): Promise<number> {
  const counted = matchingAssignments(tx, filter).select(sql<number>`count(*)::int`.as('count'));
  return (await counted.executeTakeFirstOrThrow()).count;
}

export async function findAssignment(tx: Transaction, assignmentId: string): Promise<Assignment | null> {
  if (!isUuid(assignmentId)) return null;
  const [found] = await listAssignments(tx, { assignmentIds: [assignmentId] });
  return found ?? null;
}
