import { sql } from 'kysely';
import { type Rule } from '../engine/plan-config.js';
import { type Caller, maySee } from '../kernel/caller.js';
import { groupBy } from '../kernel/group-by.js';
import { isUuid } from '../kernel/ids.js';
import { type Work } from '../platform/database/unit-of-work.js';
import { type PlanStatus, type PlanVersion } from './plan.js';

export interface PlanFilter {
  readonly planId?: string;
  readonly planVersionId?: string;
  readonly status?: PlanStatus;
  /** Every version instead of one row per identity. */
  readonly everyVersion?: boolean;
  /** Versions of status deleted are hidden unless asked for. */
  readonly includeDeleted?: boolean;
  /** What a rep may see: the plans assigned to them, without other people's tiers. */
  readonly onlyForRep?: string | null;
}

/** Plan versions with rules and tiers, by plan name, newest version first. */
export async function listPlanVersions(trx: Work, workspaceId: string, filter: PlanFilter): Promise<PlanVersion[]> {
  const { rows } = await sql<PlanRow>`
    select * from (
      select p.name, v.plan_id, v.plan_version_id, v.version, v.status, v.effective_start, v.effective_end, v.currency,
        v.field_mapping, v.config, v.deal_conditions, v.created_at,
        row_number() over (partition by v.plan_id order by (v.status = 'active') desc, v.version desc) as preference
      from plan_versions v join plans p on p.workspace_id = v.workspace_id and p.plan_id = v.plan_id
      where v.workspace_id = ${workspaceId}
        ${filter.planId === undefined ? sql`` : sql`and v.plan_id = ${filter.planId}`}
        ${filter.planVersionId === undefined ? sql`` : sql`and v.plan_version_id = ${filter.planVersionId}`}
        ${filter.status === undefined ? sql`` : sql`and v.status = ${filter.status}`}
        ${filter.status !== undefined || filter.includeDeleted === true ? sql`` : sql`and v.status <> 'deleted'`}
        ${
          filter.onlyForRep
            ? sql`and exists (select from assignments a where a.workspace_id = v.workspace_id
          and a.plan_id = v.plan_id and a.rep_id = ${filter.onlyForRep} and a.deleted_at is null)`
            : sql``
        }
    ) versions
    where ${filter.everyVersion === true ? sql`true` : sql`preference = 1`}
    order by lower(name), plan_id, version desc`.execute(trx);
  if (rows.length === 0) return [];
  const rules = await trx
    .selectFrom('plan_rules')
    .select(['rule_id', 'plan_version_id', 'definition'])
    .where('workspace_id', '=', workspaceId)
    .where(
      'plan_version_id',
      'in',
      rows.map((row) => row.plan_version_id),
    )
    .orderBy('position')
    .execute();
  const assigned = await assignedReps(
    trx,
    workspaceId,
    rows.map((row) => row.plan_id),
    filter.onlyForRep ?? null,
  );
  return rows.map((row) => ({
    planId: row.plan_id,
    planVersionId: row.plan_version_id,
    id: row.plan_version_id,
    version: row.version,
    name: row.name,
    status: row.status,
    effectiveStart: row.effective_start,
    effectiveEnd: row.effective_end,
    currency: row.currency,
    fieldMapping: row.field_mapping,
    config: filter.onlyForRep ? withTiersOf(row.config, (repId) => repId === filter.onlyForRep) : row.config,
    dealConditions: row.deal_conditions,
    rules: rules
      .filter((rule) => rule.plan_version_id === row.plan_version_id)
      .map((rule) => ({ id: rule.rule_id, ...visibleRule(rule.definition as Rule, filter.onlyForRep ?? null) })),
    assignedReps: assigned.get(row.plan_id) ?? [],
    createdAt: row.created_at.toISOString(),
  }));
}

interface PlanRow {
  readonly name: string;
  readonly plan_id: string;
  readonly plan_version_id: string;
  readonly version: number;
  readonly status: PlanStatus;
  readonly effective_start: string | null;
  readonly effective_end: string | null;
  readonly currency: string | null;
  readonly field_mapping: Record<string, unknown> | null;
  readonly config: Record<string, unknown>;
  readonly deal_conditions: unknown[];
  readonly created_at: Date;
}

/** One version by its id, or a plan's preferred one by the plan's. */
export async function findPlanVersion(
  trx: Work,
  workspaceId: string,
  planRef: string,
  onlyForRep: string | null,
): Promise<PlanVersion | null> {
  if (!isUuid(planRef)) return null;
  const common = { includeDeleted: true, onlyForRep };
  const [version] = await listPlanVersions(trx, workspaceId, { ...common, planVersionId: planRef, everyVersion: true });
  if (version !== undefined) return version;
  const [preferred] = await listPlanVersions(trx, workspaceId, { ...common, planId: planRef });
  return preferred ?? null;
}

async function assignedReps(trx: Work, workspaceId: string, planIds: readonly string[], onlyForRep: string | null) {
  let query = trx
    .selectFrom('assignments')
    .innerJoin('reps', (join) =>
      join.onRef('reps.workspace_id', '=', 'assignments.workspace_id').onRef('reps.rep_id', '=', 'assignments.rep_id'),
    )
    .select(['assignments.plan_id', 'reps.rep_id as repId', 'reps.name'])
    .distinct()
    .where('assignments.workspace_id', '=', workspaceId)
    .where('assignments.plan_id', 'in', [...new Set(planIds)])
    .where('assignments.deleted_at', 'is', null)
    .orderBy('reps.name');
  if (onlyForRep !== null) query = query.where('reps.rep_id', '=', onlyForRep);
  const rows = await query.execute();
  const byPlan = groupBy(rows, (row) => row.plan_id);
  return new Map([...byPlan].map(([planId, reps]) => [planId, reps.map(({ repId, name }) => ({ repId, name }))]));
}

function visibleRule(rule: Rule, onlyForRep: string | null): Rule {
  if (onlyForRep === null) return rule;
  return { ...rule, tiers: rule.tiers.filter((tier) => tier.repId === undefined || tier.repId === onlyForRep) };
}

function withTiersOf(config: Record<string, unknown>, sees: (repId: string) => boolean): Record<string, unknown> {
  const rules = Array.isArray(config['rules']) ? (config['rules'] as Record<string, unknown>[]) : [];
  const visible = (tier: unknown) => {
    const owner = (tier as { repId?: string | null } | null)?.repId;
    return owner === undefined || owner === null || sees(owner);
  };
  return {
    ...config,
    rules: rules.map((rule) => ({
      ...rule,
      ...(Array.isArray(rule['tiers']) ? { tiers: rule['tiers'].filter(visible) } : {}),
    })),
  };
}

/** The plan without the tiers of people whom the caller may not see; a connection token sees nobody's tiers. */
export function visiblePlan(plan: PlanVersion, caller: Caller): PlanVersion {
  if (caller.standing !== 'connection' && caller.team === undefined) return plan;
  const sees = (repId: string) => caller.standing !== 'connection' && maySee(caller, repId);
  const rules = plan.rules.map(({ tiers, ...rule }) => ({
    ...rule,
    tiers: (tiers as Rule['tiers']).filter((tier) => tier.repId === undefined || sees(tier.repId)),
  }));
  const assignedReps =
    caller.team === undefined ? plan.assignedReps : plan.assignedReps.filter(({ repId }) => sees(repId));
  return { ...plan, config: withTiersOf(plan.config, sees), rules, assignedReps };
}

export interface OverrideRow {
  readonly repId: string;
  readonly repName: string;
  readonly ruleId: string;
  readonly rule: Rule;
  readonly tiers: readonly { readonly tierIndex: number; readonly rate?: number; readonly flatAmount?: number }[];
}

export async function listOverrides(trx: Work, workspaceId: string, planVersionId: string): Promise<OverrideRow[]> {
  const rows = await trx
    .selectFrom('plan_overrides')
    .innerJoin('plan_rules', (join) =>
      join
        .onRef('plan_rules.workspace_id', '=', 'plan_overrides.workspace_id')
        .onRef('plan_rules.rule_id', '=', 'plan_overrides.rule_id'),
    )
    .innerJoin('reps', (join) =>
      join
        .onRef('reps.workspace_id', '=', 'plan_overrides.workspace_id')
        .onRef('reps.rep_id', '=', 'plan_overrides.rep_id'),
    )
    .select([
      'plan_overrides.rep_id',
      'reps.name',
      'plan_overrides.rule_id',
      'plan_rules.definition',
      'plan_overrides.tiers',
    ])
    .where('plan_overrides.workspace_id', '=', workspaceId)
    .where('plan_overrides.plan_version_id', '=', planVersionId)
    .orderBy('reps.name')
    .orderBy('plan_rules.position')
    .execute();
  return rows.map((row) => ({
    repId: row.rep_id,
    repName: row.name,
    ruleId: row.rule_id,
    rule: row.definition as Rule,
    tiers: row.tiers as OverrideRow['tiers'],
  }));
}

/** The plan of that id, or the one that has a version of that id; undefined when the workspace has neither. */
export async function findPlanId(trx: Work, workspaceId: string, planRef: string): Promise<string | undefined> {
  const version = await trx
    .selectFrom('plan_versions')
    .select('plan_id')
    .where('workspace_id', '=', workspaceId)
    .where((where) => where.or([where('plan_id', '=', planRef), where('plan_version_id', '=', planRef)]))
    .limit(1)
    .executeTakeFirst();
  return version?.plan_id;
}
