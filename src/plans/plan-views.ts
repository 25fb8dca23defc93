import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { type TierOverride } from '../engine/compiled-plan.js';
import { type Rule } from '../engine/plan-config.js';
import { type PlanFx } from '../engine/plan-fx.js';
import {
  buildTimeline,
  computeStretches,
  findReferencedVersion,
  type TimelineCandidate,
} from '../engine/version-timeline.js';
import { type Caller, maySee, seesTeam } from '../kernel/caller.js';
import { comparableText } from '../kernel/comparable-text.js';
import { type Day, isEffective } from '../kernel/day.js';
import { Failure } from '../kernel/failure.js';
import { groupBy } from '../kernel/group-by.js';
import { isUuid } from '../kernel/ids.js';
import { inParallel } from '../kernel/waiting.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type PlanStatus, type PlanVersion } from './plan.js';
import { type PlanTest } from './plan-tests.js';

interface PlanFilter {
  readonly planId?: string;
  readonly planVersionId?: string;
  /** A plan that is not active has its own status, whatever the status of its versions. */
  readonly status?: PlanStatus;
  /** List every version instead of one row per plan. */
  readonly everyVersion?: boolean;
  /** Include deleted plans and versions. */
  readonly includeDeleted?: boolean;
  /** Restricts the list to plans assigned to the rep, without drafts and without the tiers of other reps. */
  readonly onlyForRep?: string | null;
  /** Restricts the list to plans assigned to the rep. */
  readonly assignedTo?: string | undefined;
  /** Of whom the lists of assigned people consist; everyone by default. */
  readonly team?: ReadonlySet<string> | undefined;
  /** Leaves out drafts for everyone. */
  readonly withoutDrafts?: boolean;
  /** The day that decides which version is in force. */
  readonly today: Day;
  /** How many of the assigned people each plan lists, with their number; all by default, without it. */
  readonly maxAssigned?: number | undefined;
}

/**
 * The columns that decide which versions are listed, read for all versions before the large columns of the listed
 * ones.
 */
interface Head extends TimelineCandidate {
  readonly planId: string;
  readonly name: string;
  readonly planStatus: PlanStatus;
}

/** Plan versions with rules and tiers, by plan name, newest version first. */
export async function listPlanVersions(tx: Transaction, filter: PlanFilter): Promise<PlanVersion[]> {
  const heads = await loadHeads(tx, filter);
  const ofPlan = groupBy(heads, (head) => head.planId);
  const listed = [...ofPlan.values()].flatMap((versions) => listedVersions(versions, filter));
  if (listed.length === 0) return [];
  const onlyForRep = filter.onlyForRep ?? null;
  const [rows, rules, assigned] = await loadTermsOf(tx, listed, filter);
  const rowById = new Map((rows as TermsRow[]).map((row) => [row.plan_version_id, row]));
  const rulesByVersion = groupBy(rules, (rule) => rule.plan_version_id);
  return listed.flatMap((head) => {
    const row = rowById.get(head.planVersionId);
    // The plan was deleted after its heads were read.
    if (row === undefined) return [];
    const { timeline, inForce } = timelineViews(ofPlan.get(head.planId) ?? [], filter.today);
    return {
      planId: head.planId,
      planVersionId: head.planVersionId,
      id: head.planVersionId,
      version: head.version,
      name: head.name,
      planStatus: head.planStatus,
      status: effectiveStatus(head),
      versionStatus: head.status,
      timeline,
      inForce,
      effectiveStart: head.effectiveStart,
      effectiveEnd: head.effectiveEnd,
      currency: row.currency,
      ...usedTerms(row),
      fieldMapping: row.field_mapping,
      config: onlyForRep === null ? row.config : withVisibleTiers(row.config, (repId) => repId === onlyForRep),
      dealConditions: row.deal_conditions,
      rules: (rulesByVersion.get(head.planVersionId) ?? []).map((rule) => ({
        id: rule.rule_id,
        ...visibleRule(rule.definition as Rule, onlyForRep),
      })),
      tests: onlyForRep === null ? row.tests : [],
      assignedReps: assigned.get(head.planId)?.reps ?? [],
      ...(filter.maxAssigned === undefined ? {} : { assignedCount: assigned.get(head.planId)?.count ?? 0 }),
      createdAt: row.created_at.toISOString(),
    };
  });
}

/** What few versions have. */
function usedTerms({ fx, acceptance }: TermsRow): Pick<PlanVersion, 'fx' | 'acceptance'> {
  return { ...(fx === null ? {} : { fx }), ...(acceptance === 'none' ? {} : { acceptance }) };
}

/** The terms of the listed versions, their rules, and who is assigned to their plans. */
async function loadTermsOf(tx: Transaction, listed: readonly Head[], filter: PlanFilter) {
  const isListed = sql<SqlBool>`plan_version_id = any(${listed.map((head) => head.planVersionId)}::uuid[])`;
  return inParallel(
    () =>
      tx.db
        .selectFrom('plan_versions')
        .select([
          'plan_version_id',
          'currency',
          'fx',
          'field_mapping',
          'config',
          'deal_conditions',
          'tests',
          'acceptance',
          'created_at',
        ])
        .where('workspace_id', '=', tx.workspaceId)
        .where(isListed)
        .execute(),
    () =>
      tx.db
        .selectFrom('plan_rules')
        .select(['rule_id', 'plan_version_id', 'definition'])
        .where('workspace_id', '=', tx.workspaceId)
        .where(isListed)
        .orderBy('position')
        .execute(),
    () =>
      loadAssignedReps(
        tx,
        listed.map((head) => head.planId),
        filter,
      ),
  );
}

interface TermsRow {
  readonly plan_version_id: string;
  readonly currency: string | null;
  readonly fx: PlanFx | null;
  readonly field_mapping: Record<string, unknown> | null;
  readonly config: Record<string, unknown>;
  readonly deal_conditions: unknown[];
  readonly tests: PlanTest[];
  readonly acceptance: 'none' | 'required' | 'hold_pay';
  readonly created_at: Date;
}

async function loadHeads(
  tx: Transaction,
  { planId, planVersionId, onlyForRep, assignedTo }: PlanFilter,
): Promise<Head[]> {
  const { rows } = await sql<Head>`
    select p.name, p.status as "planStatus", v.plan_id as "planId", v.plan_version_id as "planVersionId", v.version,
      v.status, v.supersedes, v.has_been_active as "hasBeenActive", v.effective_start as "effectiveStart", v.effective_end as "effectiveEnd"
    from plans p join plan_versions v on v.workspace_id = p.workspace_id and v.plan_id = p.plan_id
    where p.workspace_id = ${tx.workspaceId}
      ${planId === undefined ? sql`` : sql`and p.plan_id = ${planId}`}
      ${
        planVersionId === undefined
          ? sql``
          : sql`and p.plan_id = (select o.plan_id from plan_versions o
              where o.workspace_id = ${tx.workspaceId} and o.plan_version_id = ${planVersionId})`
      }
      ${onlyForRep ? sql`and ${isAssignedTo(onlyForRep)}` : sql``}
      ${assignedTo === undefined ? sql`` : sql`and ${isAssignedTo(assignedTo)}`}
    order by lower(p.name), p.plan_id, v.version desc`.execute(tx.db);
  return rows;
}

/** Whether the plan `p` is assigned to the rep on any day. */
function isAssignedTo(repId: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`exists (select from assignments a where a.workspace_id = p.workspace_id
    and a.plan_id = p.plan_id and a.rep_id = ${repId} and a.deleted_at is null)`;
}

/** The rep whose plans the caller sees; null for a caller who sees every plan. */
export function planViewer(caller: Caller): string | null {
  return seesTeam(caller) ? null : caller.repId;
}

/**
 * Whether the caller sees versions of the plan that are no drafts. Every operation that reads a plan by its id applies
 * this rule.
 */
export async function maySeePlan(tx: Transaction, caller: Caller, planId: string): Promise<boolean> {
  const onlyForRep = planViewer(caller);
  if (onlyForRep === null) return true;
  const { rows } = await sql`
    select from plans p
    where p.workspace_id = ${tx.workspaceId} and p.plan_id = ${planId}
      and ${isAssignedTo(onlyForRep)}`.execute(tx.db);
  return rows.length > 0;
}

/**
 * The versions of one plan that match the filter or, unless every version is listed, the one that represents the
 * plan.
 */
function listedVersions(versions: readonly Head[], filter: PlanFilter): Head[] {
  const matching = versions.filter((version) => {
    if (filter.planVersionId !== undefined && version.planVersionId !== filter.planVersionId) return false;
    if ((filter.onlyForRep || filter.withoutDrafts === true) && isDraft(version)) return false;
    const status = effectiveStatus(version);
    return filter.status === undefined
      ? filter.includeDeleted === true || status !== 'deleted'
      : status === filter.status;
  });
  if (filter.everyVersion === true) return matching;
  const representative = findReferencedVersion(matching, filter.today);
  return representative === null ? [] : [representative];
}

/** Whether a version is not decided yet. Reps see it when it is activated, also before its first day. */
export function isDraft({ planStatus, status }: Pick<Head, 'planStatus' | 'status'>): boolean {
  return planStatus === 'draft' || status === 'draft';
}

/** A version pays only while its plan is active, so the status of an inactive plan takes precedence. */
function effectiveStatus({
  planStatus,
  status,
}: {
  readonly planStatus: PlanStatus;
  readonly status: PlanStatus;
}): PlanStatus {
  return planStatus === 'active' || status === 'deleted' ? status : planStatus;
}

function timelineViews(versions: readonly Head[], today: Day): Pick<PlanVersion, 'timeline' | 'inForce'> {
  const timeline = versions[0]?.planStatus === 'active' ? computeStretches(buildTimeline(versions)) : [];
  const inForce = timeline.find(({ from, to }) => isEffective(today, from, to)) ?? null;
  return { timeline, inForce };
}

/** The caller, and the day that decides which version is in force. */
type PlanViewer = Pick<PlanFilter, 'onlyForRep' | 'team' | 'withoutDrafts' | 'today' | 'maxAssigned'>;

/** One version by its id, or the version that the plan's id resolves to. */
export async function findPlanVersion(
  tx: Transaction,
  planRef: string,
  viewer: PlanViewer,
): Promise<PlanVersion | null> {
  if (!isUuid(planRef)) return null;
  const common = { includeDeleted: true, ...viewer };
  const [version] = await listPlanVersions(tx, { ...common, planVersionId: planRef, everyVersion: true });
  if (version !== undefined) return version;
  const [representative] = await listPlanVersions(tx, { ...common, planId: planRef });
  return representative ?? null;
}

/** Who is assigned to each of the plans, by name, and their number. */
async function loadAssignedReps(
  tx: Transaction,
  planIds: readonly string[],
  { onlyForRep, team, maxAssigned }: PlanFilter,
) {
  const max = maxAssigned ?? null;
  const among = onlyForRep ? [onlyForRep] : team && [...team];
  const { rows } = await sql<{ planId: string; repId: string; name: string; count: number }>`
    select "planId", "repId", name, count
    from (
      select "planId", "repId", name, count(*) over (partition by "planId")::int as count,
        row_number() over (partition by "planId" order by name) as place
      from (
        select distinct a.plan_id as "planId", r.rep_id as "repId", r.name
        from assignments a
        join reps r on r.workspace_id = a.workspace_id and r.rep_id = a.rep_id
        where a.workspace_id = ${tx.workspaceId} and a.plan_id = any(${[...new Set(planIds)]}::uuid[])
          and a.deleted_at is null ${among === undefined ? sql`` : sql`and r.rep_id = any(${among}::uuid[])`}
      ) assigned
    ) numbered
    where ${max}::int is null or place <= greatest(${max}::int, 1)
    order by name`.execute(tx.db);
  const byPlan = groupBy(rows, ({ planId }) => planId);
  return new Map(
    [...byPlan].map(([planId, ofPlan]) => [
      planId,
      {
        reps: ofPlan.slice(0, max ?? ofPlan.length).map(({ repId, name }) => ({ repId, name })),
        count: ofPlan[0]?.count ?? 0,
      },
    ]),
  );
}

function visibleRule(rule: Rule, onlyForRep: string | null): Rule {
  if (onlyForRep === null) return rule;
  return { ...rule, tiers: rule.tiers.filter((tier) => tier.repId === undefined || tier.repId === onlyForRep) };
}

function withVisibleTiers(config: Record<string, unknown>, sees: (repId: string) => boolean): Record<string, unknown> {
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

/** The plan without the tiers of reps whom the caller may not see; a connection token sees no per-rep tiers. The assigned people are those of `team` in the filter. */
export function visiblePlan(plan: PlanVersion, caller: Caller): PlanVersion {
  if (caller.accessLevel !== 'connection' && caller.team === undefined) return plan;
  const sees = (repId: string) => caller.accessLevel !== 'connection' && maySee(caller, repId);
  const rules = plan.rules.map(({ tiers, ...rule }) => ({
    ...rule,
    tiers: (tiers as Rule['tiers']).filter((tier) => tier.repId === undefined || sees(tier.repId)),
  }));
  return { ...plan, config: withVisibleTiers(plan.config, sees), rules, tests: [] };
}

export interface OverrideRow {
  readonly repId: string;
  readonly repName: string;
  readonly ruleId: string;
  readonly rule: Rule;
  readonly tiers: readonly TierOverride[];
}

export async function listOverrides(tx: Transaction, planVersionId: string): Promise<OverrideRow[]> {
  const rows = await tx.db
    .selectFrom('plan_overrides as o')
    .innerJoin('plan_rules as p', (join) =>
      join.onRef('p.workspace_id', '=', 'o.workspace_id').onRef('p.rule_id', '=', 'o.rule_id'),
    )
    .innerJoin('reps as r', (join) =>
      join.onRef('r.workspace_id', '=', 'o.workspace_id').onRef('r.rep_id', '=', 'o.rep_id'),
    )
    .select(['o.rep_id', 'r.name', 'o.rule_id', 'p.definition', 'o.tiers'])
    .where('o.workspace_id', '=', tx.workspaceId)
    .where('o.plan_version_id', '=', planVersionId)
    .orderBy('r.name')
    .orderBy('p.position')
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
export async function findPlanId(tx: Transaction, planRef: string): Promise<string | undefined> {
  if (!isUuid(planRef)) return undefined;
  const version = await tx.db
    .selectFrom('plan_versions')
    .select('plan_id')
    .where('workspace_id', '=', tx.workspaceId)
    .where((where) => where.or([where('plan_id', '=', planRef), where('plan_version_id', '=', planRef)]))
    .limit(1)
    .executeTakeFirst();
  return version?.plan_id;
}

/** The currencies of each plan: those of its versions, otherwise that of the workspace. */
export async function loadPlanCurrencies(tx: Transaction): Promise<ReadonlyMap<string, readonly string[]>> {
  const { rows } = await sql<{ planId: string; currencies: string[] }>`
    select v.plan_id as "planId", array_agg(distinct coalesce(v.currency, w.currency)) as currencies
    from plan_versions v join workspaces w on w.workspace_id = v.workspace_id
    where v.workspace_id = ${tx.workspaceId} group by v.plan_id`.execute(tx.db);
  return new Map(rows.map(({ planId, currencies }) => [planId, currencies]));
}

/** Finds plans by name, ignoring case, or by id. */
export async function findPlanIdsByName(tx: Transaction): Promise<{ find(plan: string): readonly string[] }> {
  const { rows } = await sql<{ plan_id: string; name: string; is_deleted: boolean }>`
    select p.plan_id, p.name, p.status = 'deleted' as is_deleted
    from plans p where p.workspace_id = ${tx.workspaceId}`.execute(tx.db);
  const byKey = groupBy(
    rows.filter((row) => !row.is_deleted),
    (row) => comparableText(row.name),
  );
  return {
    find: (plan) => {
      const found = byKey.get(comparableText(plan)) ?? rows.filter((row) => row.plan_id === plan.trim().toLowerCase());
      if (found.length === 1) return found.map((row) => row.plan_id);
      throw new Failure(
        'plan_not_found',
        found.length === 0
          ? `There is no plan ${plan}.`
          : `${found.length} plans are called ${plan}; give the plan's id.`,
      );
    },
  };
}
