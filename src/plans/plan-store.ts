import { type SqlBool, sql } from 'kysely';
import { attainmentKey, type PlanTerms } from '../engine/plan-config.js';
import { type PlanFx } from '../engine/plan-fx.js';
import { findReferencedVersion, type TimelineCandidate } from '../engine/version-timeline.js';
import { comparableText } from '../kernel/comparable-text.js';
import { type Day } from '../kernel/day.js';
import { Failure } from '../kernel/failure.js';
import { isUuid, newId } from '../kernel/ids.js';
import { comparableSql } from '../platform/database/comparable-sql.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { recordEvent } from '../platform/outbound/outgoing-events.js';
import { type PlanStatus } from './plan.js';
import { type PlanTest } from './plan-tests.js';

/** A version as commands read and write it. */
export interface VersionRow extends TimelineCandidate {
  readonly planId: string;
  readonly currency: string | null;
  readonly fx: PlanFx | null;
  readonly fieldMapping: Readonly<Record<string, unknown>> | null;
  readonly config: Readonly<Record<string, unknown>>;
  readonly tests: readonly PlanTest[];
}

/** A plan with all of its versions, in the order of their numbers. */
export interface StoredPlan {
  readonly planId: string;
  readonly name: string;
  readonly status: PlanStatus;
  readonly versions: readonly VersionRow[];
}

const columns = [
  'plan_id as planId',
  'plan_version_id as planVersionId',
  'version',
  'status',
  'supersedes',
  'has_been_active as hasBeenActive',
  'effective_start as effectiveStart',
  'effective_end as effectiveEnd',
  'currency',
  'fx',
  'field_mapping as fieldMapping',
  'config',
  'tests',
] as const;

/** The plan of that id, or the one that has a version of that id. */
export async function loadPlan(tx: Transaction, planRef: string): Promise<StoredPlan | undefined> {
  if (!isUuid(planRef)) return undefined;
  const plan = await tx.db
    .selectFrom('plans')
    .select(['plan_id as planId', 'name', 'status'])
    .where('workspace_id', '=', tx.workspaceId)
    .where(
      sql<SqlBool>`plan_id = ${planRef} or plan_id = (select plan_id from plan_versions v
        where v.workspace_id = ${tx.workspaceId} and v.plan_version_id = ${planRef})`,
    )
    .executeTakeFirst();
  if (plan === undefined) return undefined;
  const versions = await tx.db
    .selectFrom('plan_versions')
    .select(columns)
    .where('workspace_id', '=', tx.workspaceId)
    .where('plan_id', '=', plan.planId)
    .orderBy('version')
    .execute();
  return { ...plan, versions: versions as VersionRow[] };
}

/** The version with that id, or the one that the plan's id resolves to today. */
export function findVersion(plan: StoredPlan, planRef: string, today: Day): VersionRow {
  const named = plan.versions.find((version) => version.planVersionId === planRef);
  return named ?? (findReferencedVersion(plan.versions, today) as VersionRow);
}

/** Whether another plan that is not deleted has the name. */
export async function isNameTaken(tx: Transaction, name: string, ownPlanId?: string): Promise<boolean> {
  const { rows } = await sql`
    select from plans p join plan_versions v on v.workspace_id = p.workspace_id and v.plan_id = p.plan_id
    where p.workspace_id = ${tx.workspaceId} and ${comparableSql(sql`p.name`)} = ${comparableText(name)} and p.status <> 'deleted'
      and v.status <> 'deleted' and p.plan_id is distinct from ${ownPlanId ?? null}::uuid limit 1`.execute(tx.db);
  return rows.length > 0;
}

export async function insertPlan(
  tx: Transaction,
  { name, status }: { readonly name: string; readonly status: PlanStatus },
): Promise<string> {
  const planId = newId();
  await tx.db.insertInto('plans').values({ workspace_id: tx.workspaceId, plan_id: planId, name, status }).execute();
  return planId;
}

/** Responses with every plan, and calculations, hold them in memory. */
const maxPlanBytes = 16 * 1024 * 1024;

/** Rejects a version with which the versions of the workspace would need more memory than a request may. */
async function assertPlansFit(tx: Transaction, { config, tests }: VersionRow): Promise<void> {
  const { stored } = await tx.db
    .selectFrom('plan_versions')
    .select(sql<string>`coalesce(sum(octet_length(config::text) + octet_length(tests::text)), 0)`.as('stored'))
    .where('workspace_id', '=', tx.workspaceId)
    .executeTakeFirstOrThrow();
  const bytes = Number(stored) + Buffer.byteLength(JSON.stringify([config, tests]));
  if (bytes > maxPlanBytes)
    throw new Failure(
      'plan_too_complex',
      `The configs and tests of all versions of all plans may have ${maxPlanBytes} bytes together. Delete plans that are not used, or shorten this one.`,
      { bytes, limit: maxPlanBytes },
    );
}

/** Inserts the version with its rules and returns the rule ids by name. The caller holds the configuration lock. */
export async function insertVersion(
  tx: Transaction,
  version: VersionRow,
  terms: PlanTerms,
): Promise<ReadonlyMap<string, string>> {
  await assertPlansFit(tx, version);
  await tx.db
    .insertInto('plan_versions')
    .values({
      workspace_id: tx.workspaceId,
      plan_version_id: version.planVersionId,
      plan_id: version.planId,
      version: version.version,
      status: version.status,
      supersedes: version.supersedes,
      effective_start: version.effectiveStart,
      effective_end: version.effectiveEnd,
      currency: version.currency,
      fx: version.fx === null ? null : JSON.stringify(version.fx),
      field_mapping: version.fieldMapping === null ? null : JSON.stringify(version.fieldMapping),
      config: JSON.stringify(version.config),
      deal_conditions: JSON.stringify(terms.dealConditions),
      tests: JSON.stringify(version.tests),
      // A new version asks as the one before did.
      acceptance: sql<'none'>`coalesce((select v.acceptance from plan_versions v
        where v.workspace_id = ${tx.workspaceId} and v.plan_id = ${version.planId} order by v.version desc limit 1), 'none')`,
    })
    .execute();
  const rules = terms.rules.map((rule) => ({ rule, ruleId: newId() }));
  await tx.db
    .insertInto('plan_rules')
    .values(
      rules.map(({ rule, ruleId }, position) => ({
        workspace_id: tx.workspaceId,
        rule_id: ruleId,
        plan_version_id: version.planVersionId,
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
  const { planId, planVersionId, version: number, status, effectiveStart, effectiveEnd } = version;
  const data = { planId, planVersionId, version: number, status, effectiveStart, effectiveEnd };
  await recordEvent(tx, { type: 'plan.version_created', data });
  return new Map(rules.map(({ rule, ruleId }) => [rule.name, ruleId]));
}

export async function updatePlanRow(
  tx: Transaction,
  planId: string,
  change: { readonly name?: string; readonly status?: PlanStatus },
): Promise<void> {
  if (Object.keys(change).length === 0) return;
  await tx.db
    .updateTable('plans')
    .set(change)
    .where('workspace_id', '=', tx.workspaceId)
    .where('plan_id', '=', planId)
    .execute();
  if (change.status === undefined) return;
  const data = { planId, planVersionId: null, status: change.status };
  await recordEvent(tx, { type: 'plan.status_changed', data });
}

export async function updateVersionStatus(tx: Transaction, planVersionId: string, status: PlanStatus): Promise<void> {
  const { plan_id: planId } = await tx.db
    .updateTable('plan_versions')
    .set({ status })
    .where('workspace_id', '=', tx.workspaceId)
    .where('plan_version_id', '=', planVersionId)
    .returning('plan_id')
    .executeTakeFirstOrThrow();
  await recordEvent(tx, { type: 'plan.status_changed', data: { planId, planVersionId, status } });
}

/** Replaces the tests of a version in place: they decide nothing about commission. */
export async function updateVersionTests(
  tx: Transaction,
  { planVersionId, tests }: Pick<VersionRow, 'planVersionId' | 'tests'>,
): Promise<void> {
  await tx.db
    .updateTable('plan_versions')
    .set({ tests: JSON.stringify(tests) })
    .where('workspace_id', '=', tx.workspaceId)
    .where('plan_version_id', '=', planVersionId)
    .execute();
}

/** The attainment key of each rule of the version, by the rule's name. */
export async function loadAttainmentKeys(tx: Transaction, planVersionId: string): Promise<ReadonlyMap<string, string>> {
  const rows = await tx.db
    .selectFrom('plan_rules')
    .select(['name', 'attainment_key'])
    .where('workspace_id', '=', tx.workspaceId)
    .where('plan_version_id', '=', planVersionId)
    .execute();
  return new Map(rows.map((row) => [row.name, row.attainment_key]));
}

/** Whether some version of the plan has a cascade rule. */
export async function hasCascade(tx: Transaction, planId: string): Promise<boolean> {
  const { rows } = await sql`
    select from plan_rules
    where workspace_id = ${tx.workspaceId} and plan_id = ${planId} and phase = 'cascade' limit 1`.execute(tx.db);
  return rows.length > 0;
}

/** Names of the rules of every plan of the workspace. */
export async function loadRuleNames(tx: Transaction): Promise<ReadonlySet<string>> {
  const rows = await tx.db
    .selectFrom('plan_rules')
    .select('name')
    .distinct()
    .where('workspace_id', '=', tx.workspaceId)
    .execute();
  return new Set(rows.map((row) => row.name));
}

export async function hasAssignments(tx: Transaction, planId: string): Promise<boolean> {
  const { rows } = await sql`
    select from assignments
    where workspace_id = ${tx.workspaceId} and plan_id = ${planId} and deleted_at is null limit 1`.execute(tx.db);
  return rows.length > 0;
}

/** Deletes the plan with all versions, rules, overrides, quotas and past assignments. Events stay. */
export async function deletePlan(tx: Transaction, planId: string): Promise<void> {
  await tx.db.deleteFrom('plans').where('workspace_id', '=', tx.workspaceId).where('plan_id', '=', planId).execute();
}

export async function replaceOverrides(
  tx: Transaction,
  planVersionId: string,
  repId: string,
  rules: readonly { readonly ruleId: string; readonly tiers: readonly unknown[] }[],
): Promise<void> {
  await tx.db
    .deleteFrom('plan_overrides')
    .where('workspace_id', '=', tx.workspaceId)
    .where('plan_version_id', '=', planVersionId)
    .where('rep_id', '=', repId)
    .execute();
  await insertOverrides(
    tx,
    planVersionId,
    rules.map((rule) => ({ ...rule, repId })),
  );
}

export async function insertOverrides(
  tx: Transaction,
  planVersionId: string,
  overrides: readonly { readonly repId: string; readonly ruleId: string; readonly tiers: readonly unknown[] }[],
): Promise<void> {
  if (overrides.length === 0) return;
  await tx.db
    .insertInto('plan_overrides')
    .values(
      overrides.map(({ repId, ruleId, tiers }) => ({
        workspace_id: tx.workspaceId,
        plan_version_id: planVersionId,
        rep_id: repId,
        rule_id: ruleId,
        tiers: JSON.stringify(tiers),
      })),
    )
    .execute();
}
