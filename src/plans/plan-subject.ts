import { sql } from 'kysely';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type Subject } from '../platform/operations/operation.js';
import { findPlanId, listOverrides } from './plan-views.js';

/** A change of the plan, which is named by its id or that of a version: it pays the people who are on the plan. */
export async function loadPlanSubject(tx: Transaction, planRef: string): Promise<Subject> {
  const planId = await findPlanId(tx, planRef);
  if (planId === undefined) return { paid: [], state: null };
  // A version never changes, apart from its status and its tests.
  const { rows } = await sql<{ name: string; status: string; versions: unknown; paid: string[] }>`
    select p.name, p.status,
      (select jsonb_agg(jsonb_build_array(v.plan_version_id, v.status) order by v.version) from plan_versions v
        where v.workspace_id = p.workspace_id and v.plan_id = p.plan_id) as versions,
      array(select distinct a.rep_id from assignments a
        where a.workspace_id = p.workspace_id and a.plan_id = p.plan_id and a.deleted_at is null) as paid
    from plans p where p.workspace_id = ${tx.workspaceId} and p.plan_id = ${planId}`.execute(tx.db);
  const { paid = [], ...state } = rows[0] ?? {};
  return { paid, state: { planId, ...state } };
}

/** A change of the terms of reps under the plan: it pays them. */
export async function loadTermsSubject(tx: Transaction, planRef: string, repIds: readonly string[]): Promise<Subject> {
  const { state } = await loadPlanSubject(tx, planRef);
  return { paid: repIds, state };
}

/** A change of the rep's own tiers in versions of a plan: it pays them, and replaces those that they have there. */
export async function loadOverridesSubject(
  tx: Transaction,
  repId: string,
  planVersionIds: readonly [string, ...string[]],
): Promise<Subject> {
  const { paid, state: plan } = await loadTermsSubject(tx, planVersionIds[0], [repId]);
  if (plan === null) return { paid, state: null };
  const replaced: unknown[] = [];
  for (const planVersionId of planVersionIds)
    for (const override of await listOverrides(tx, planVersionId))
      if (override.repId === repId) replaced.push([planVersionId, override.ruleId, override.tiers]);
  return { paid, state: { plan, replaced } };
}
