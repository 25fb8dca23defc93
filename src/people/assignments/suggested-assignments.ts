import { sql } from 'kysely';
import { type Day } from '../../kernel/day.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { listReps } from '../reps/rep-views.js';
import { type AssignmentFilter } from './assignment-filter.js';

/** A filter of a plan with the people who match and have no assignment to the plan that lasts until today or later. */
export interface SuggestedAssignments extends AssignmentFilter {
  readonly planName: string;
  readonly people: readonly { readonly repId: string; readonly name: string }[];
}

/** The filters of the workspace, in their order. Those of deleted plans are left out. */
export async function suggestAssignments(tx: Transaction, today: Day): Promise<SuggestedAssignments[]> {
  const { assignment_filters: filters } = await tx.db
    .selectFrom('workspaces')
    .select('assignment_filters')
    .where('workspace_id', '=', tx.workspaceId)
    .executeTakeFirstOrThrow();
  const planIds = filters.map(({ planId }) => planId);
  const { rows: plans } = await sql<{ planId: string; name: string; assigned: readonly string[] }>`
    select p.plan_id as "planId", p.name, array(
      select a.rep_id::text from assignments a
      where a.workspace_id = p.workspace_id and a.plan_id = p.plan_id and a.deleted_at is null
        and (a.effective_end is null or a.effective_end >= ${today}::date)) as assigned
    from plans p
    where p.workspace_id = ${tx.workspaceId} and p.plan_id = any(${planIds}::uuid[]) and p.status <> 'deleted'`.execute(
    tx.db,
  );
  const suggested: SuggestedAssignments[] = [];
  for (const stored of filters) {
    const plan = plans.find(({ planId }) => planId === stored.planId);
    if (plan === undefined) continue;
    const assigned = new Set(plan.assigned);
    const matching = await listReps(tx, today, { profile: { ...stored.filter, active: true } });
    const people = matching.filter(({ id, role }) => (role === 'rep' || role === 'manager') && !assigned.has(id));
    suggested.push({ ...stored, planName: plan.name, people: people.map(({ id, name }) => ({ repId: id, name })) });
  }
  return suggested;
}
