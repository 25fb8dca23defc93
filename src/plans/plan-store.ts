import { sql } from 'kysely';
import { attainmentKey, type PlanTerms } from '../engine/plan-config.js';
import { type Day } from '../kernel/day.js';
import { isUuid, newId } from '../kernel/ids.js';
import { type Work } from '../platform/database/unit-of-work.js';
import { type PlanStatus } from './plan.js';

/** What a command needs to know of a version to make the next one. */
export interface VersionRow {
  readonly planId: string;
  readonly name: string;
  readonly planVersionId: string;
  readonly version: number;
  readonly status: PlanStatus;
  readonly effectiveStart: Day | null;
  readonly effectiveEnd: Day | null;
  readonly currency: string | null;
  readonly fieldMapping: Readonly<Record<string, unknown>> | null;
  readonly config: Readonly<Record<string, unknown>>;
}

const columns = [
  'plans.name',
  'plan_versions.plan_id as planId',
  'plan_version_id as planVersionId',
  'version',
  'status',
  'effective_start as effectiveStart',
  'effective_end as effectiveEnd',
  'currency',
  'field_mapping as fieldMapping',
  'config',
] as const;

/** The version of that id, or of the plan of that id the active one, else the newest. */
export async function findVersion(trx: Work, workspaceId: string, planRef: string): Promise<VersionRow | undefined> {
  if (!isUuid(planRef)) return undefined;
  return (await trx
    .selectFrom('plan_versions')
    .innerJoin('plans', (join) =>
      join
        .onRef('plans.workspace_id', '=', 'plan_versions.workspace_id')
        .onRef('plans.plan_id', '=', 'plan_versions.plan_id'),
    )
    .select(columns)
    .where('plan_versions.workspace_id', '=', workspaceId)
    .where((where) => where.or([where('plan_version_id', '=', planRef), where('plan_versions.plan_id', '=', planRef)]))
    .orderBy(sql`(plan_version_id = ${planRef}) desc, (status = 'active') desc, version desc`)
    .limit(1)
    .executeTakeFirst()) as VersionRow | undefined;
}

/** Whether a plan that is not deleted has the name; its own plan does not count. */
export async function isNameTaken(trx: Work, workspaceId: string, name: string, ownPlanId?: string): Promise<boolean> {
  const other = await trx
    .selectFrom('plans')
    .innerJoin('plan_versions', (join) =>
      join
        .onRef('plan_versions.workspace_id', '=', 'plans.workspace_id')
        .onRef('plan_versions.plan_id', '=', 'plans.plan_id'),
    )
    .select('plans.plan_id')
    .where('plans.workspace_id', '=', workspaceId)
    .where(sql`lower(plans.name)`, '=', name.toLowerCase())
    .where('plan_versions.status', '<>', 'deleted')
    .where((where) => (ownPlanId === undefined ? where.val(true) : where('plans.plan_id', '<>', ownPlanId)))
    .executeTakeFirst();
  return other !== undefined;
}

export async function insertPlan(trx: Work, workspaceId: string, name: string): Promise<string> {
  const planId = newId();
  await trx.insertInto('plans').values({ workspace_id: workspaceId, plan_id: planId, name }).execute();
  return planId;
}

/** Adds a version after the newest; the caller holds the workspace's configuration lock. Gives its id. */
export async function insertVersion(
  trx: Work,
  workspaceId: string,
  version: Omit<VersionRow, 'planVersionId' | 'version' | 'name'>,
  terms: PlanTerms,
): Promise<string> {
  const planVersionId = newId();
  const newest = await trx
    .selectFrom('plan_versions')
    .select((select) => select.fn.max('version').as('version'))
    .where('workspace_id', '=', workspaceId)
    .where('plan_id', '=', version.planId)
    .executeTakeFirst();
  await trx
    .insertInto('plan_versions')
    .values({
      workspace_id: workspaceId,
      plan_version_id: planVersionId,
      plan_id: version.planId,
      version: (newest?.version ?? 0) + 1,
      status: version.status,
      effective_start: version.effectiveStart,
      effective_end: version.effectiveEnd,
      currency: version.currency,
      field_mapping: version.fieldMapping === null ? null : JSON.stringify(version.fieldMapping),
      config: JSON.stringify(version.config),
      deal_conditions: JSON.stringify(terms.dealConditions),
    })
    .execute();
  await trx
    .insertInto('plan_rules')
    .values(
      terms.rules.map((rule, position) => ({
        workspace_id: workspaceId,
        rule_id: newId(),
        plan_version_id: planVersionId,
        plan_id: version.planId,
        position,
        name: rule.name,
        phase: rule.executionPhase,
        attainment_key: attainmentKey(rule),
        attainment_period: rule.attainmentPeriod,
        tier_by: rule.tierBy,
        definition: JSON.stringify(rule),
      })),
    )
    .execute();
  return planVersionId;
}

export async function updateVersion(
  trx: Work,
  workspaceId: string,
  planVersionId: string,
  change: { readonly status?: PlanStatus | undefined; readonly currency?: string | null | undefined },
): Promise<void> {
  await trx
    .updateTable('plan_versions')
    .set({
      ...(change.status === undefined ? {} : { status: change.status }),
      ...(change.currency === undefined ? {} : { currency: change.currency }),
    })
    .where('workspace_id', '=', workspaceId)
    .where('plan_version_id', '=', planVersionId)
    .execute();
}

/** Names of the rules of every plan of the workspace. */
export async function ruleNames(trx: Work, workspaceId: string): Promise<ReadonlySet<string>> {
  const rows = await trx
    .selectFrom('plan_rules')
    .select('name')
    .distinct()
    .where('workspace_id', '=', workspaceId)
    .execute();
  return new Set(rows.map((row) => row.name));
}

export async function hasAssignments(trx: Work, workspaceId: string, planId: string): Promise<boolean> {
  const assignment = await trx
    .selectFrom('assignments')
    .select('assignment_id')
    .where('workspace_id', '=', workspaceId)
    .where('plan_id', '=', planId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  return assignment !== undefined;
}

/** Removes the identity with all versions, rules, overrides, quotas and past assignments. Events stay. */
export async function deletePlan(trx: Work, workspaceId: string, planId: string): Promise<void> {
  await trx.deleteFrom('plans').where('workspace_id', '=', workspaceId).where('plan_id', '=', planId).execute();
}

export async function replaceOverrides(
  trx: Work,
  workspaceId: string,
  planVersionId: string,
  repId: string,
  rules: readonly { readonly ruleId: string; readonly tiers: readonly unknown[] }[],
): Promise<void> {
  await trx
    .deleteFrom('plan_overrides')
    .where('workspace_id', '=', workspaceId)
    .where('plan_version_id', '=', planVersionId)
    .where('rep_id', '=', repId)
    .execute();
  if (rules.length === 0) return;
  await trx
    .insertInto('plan_overrides')
    .values(
      rules.map(({ ruleId, tiers }) => ({
        workspace_id: workspaceId,
        plan_version_id: planVersionId,
        rep_id: repId,
        rule_id: ruleId,
        tiers: JSON.stringify(tiers),
      })),
    )
    .execute();
}
