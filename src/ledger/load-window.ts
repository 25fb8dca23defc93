import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { type AssignedPlan, type RepInput, type TeamDeal, type UpstreamEvent } from '../engine/calculate.js';
import {
  type CompiledVersion,
  compileVersion,
  type IdentifiedRule,
  type PlanVersion,
  type TierOverride,
} from '../engine/compiled-plan.js';
import { type Condition } from '../engine/condition.js';
import { type Fields } from '../engine/field-value.js';
import { type Quota } from '../engine/payout.js';
import { type Rule } from '../engine/plan-config.js';
import { type Deal } from '../engine/slug.js';
import { type Day, type DayRange, hull, isEffective, isWithin } from '../kernel/day.js';
import { Decimal } from '../kernel/decimal.js';
import { groupBy } from '../kernel/group-by.js';
import { longerKind, type PeriodKind, periodRange, widened } from '../kernel/period.js';
import { cellsOf } from '../platform/database/columns.js';
import { type PlanStatus } from '../platform/database/tables.js';
import { type Work } from '../platform/database/unit-of-work.js';
import { canonicalFieldMapping } from './field-mapping.js';
import { loadTeam } from './hierarchy.js';

/** A plan version with what the engine does not need to know: whether it is in force. */
export interface StoredVersion extends PlanVersion {
  readonly status: PlanStatus;
}

export interface Assignment {
  readonly planId: string;
  readonly start: Day | null;
  readonly end: Day | null;
  /** A deleted assignment earns nothing new, and what it earned is left as it is. */
  readonly deleted: boolean;
}

export interface WorkspaceTerms {
  readonly currency: string;
  readonly timeZone: string;
  readonly measures: Readonly<Record<string, string>>;
  /** Moves with every change of the configuration; read before whatever else is. */
  readonly revision: string;
}

/** How one rep is paid: everything but the deals. */
export interface RepTerms {
  readonly workspaceId: string;
  readonly repId: string;
  readonly workspace: WorkspaceTerms;
  readonly assignments: readonly Assignment[];
  readonly versions: readonly StoredVersion[];
  readonly overrides: ReadonlyMap<string, readonly TierOverride[]>;
  readonly quotas: readonly StoredQuota[];
  readonly frozen: RepInput['frozen'];
}

export interface StoredQuota extends Quota {
  readonly planId: string;
  readonly key: string;
  readonly period: string;
}

export async function loadWorkspaceTerms(trx: Work, workspaceId: string): Promise<WorkspaceTerms> {
  const row = await trx
    .selectFrom('workspaces')
    .select(['currency', 'timezone', 'field_mapping', 'configuration_revision'])
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow();
  return {
    currency: row.currency,
    timeZone: row.timezone,
    measures: row.field_mapping.measures,
    revision: row.configuration_revision,
  };
}

/** Everything but the deals, in one round trip: none of the reads waits for another. What is known is not read again. */
export async function loadRepTerms(
  trx: Work,
  workspaceId: string,
  repId: string,
  known?: WorkspaceTerms,
): Promise<RepTerms> {
  const onPlans = sql`(select a.plan_id from assignments a where a.workspace_id = ${workspaceId} and a.rep_id = ${repId})`;
  const [workspace, assignments, versions, overrides, quotas, frozen] = await Promise.all([
    known ?? loadWorkspaceTerms(trx, workspaceId),
    loadAssignments(trx, workspaceId, repId),
    selectVersions(trx, workspaceId, onPlans),
    loadOverrides(trx, workspaceId, repId),
    loadQuotas(trx, workspaceId, repId),
    loadFrozen(trx, workspaceId, repId),
  ]);
  return { workspaceId, repId, workspace, assignments, versions: versions(workspace), overrides, quotas, frozen };
}

export async function loadVersions(
  trx: Work,
  workspaceId: string,
  planIds: readonly string[],
  workspace: WorkspaceTerms,
): Promise<StoredVersion[]> {
  if (planIds.length === 0) return [];
  return (await selectVersions(trx, workspaceId, sql`(${sql.join(planIds)})`))(workspace);
}

async function loadAssignments(trx: Work, workspaceId: string, repId: string): Promise<Assignment[]> {
  const rows = await trx
    .selectFrom('assignments')
    .select(['plan_id', 'effective_start', 'effective_end', 'deleted_at'])
    .where('workspace_id', '=', workspaceId)
    .where('rep_id', '=', repId)
    .execute();
  return rows.map((row) => ({
    planId: row.plan_id,
    start: row.effective_start,
    end: row.effective_end,
    deleted: row.deleted_at !== null,
  }));
}

/** The versions of the plans; a plan without a currency has the workspace's, which is read beside it. */
async function selectVersions(
  trx: Work,
  workspaceId: string,
  plans: RawBuilder<unknown>,
): Promise<(workspace: WorkspaceTerms) => StoredVersion[]> {
  const isOfPlans = sql<SqlBool>`plan_id in ${plans}`;
  const [versions, rules] = await Promise.all([
    trx
      .selectFrom('plan_versions')
      .select(['plan_id', 'plan_version_id', 'version', 'status', 'effective_start', 'effective_end', 'currency'])
      .select(['field_mapping', 'deal_conditions'])
      .where('workspace_id', '=', workspaceId)
      .where(isOfPlans)
      .execute(),
    trx
      .selectFrom('plan_rules')
      .select(['rule_id', 'plan_version_id', 'definition'])
      .where('workspace_id', '=', workspaceId)
      .where(isOfPlans)
      .orderBy('position')
      .execute(),
  ]);
  const ofVersion = groupBy(rules, (rule) => rule.plan_version_id);
  return (workspace) =>
    versions.map((row) => ({
      planId: row.plan_id,
      planVersionId: row.plan_version_id,
      version: row.version,
      status: row.status,
      effectiveStart: row.effective_start,
      effectiveEnd: row.effective_end,
      currency: row.currency ?? workspace.currency,
      fieldMapping: canonicalFieldMapping(row.field_mapping),
      dealConditions: row.deal_conditions as readonly Condition[],
      rules: (ofVersion.get(row.plan_version_id) ?? []).map(
        (rule): IdentifiedRule => ({ ...(rule.definition as Rule), id: rule.rule_id }),
      ),
    }));
}

async function loadOverrides(trx: Work, workspaceId: string, repId: string): Promise<RepTerms['overrides']> {
  const rows = await trx
    .selectFrom('plan_overrides')
    .select(['rule_id', 'tiers'])
    .where('workspace_id', '=', workspaceId)
    .where('rep_id', '=', repId)
    .execute();
  return new Map(rows.map((row) => [row.rule_id, row.tiers as TierOverride[]]));
}

async function loadQuotas(trx: Work, workspaceId: string, repId: string): Promise<StoredQuota[]> {
  const rows = await trx
    .selectFrom('quotas')
    .select(['plan_id', 'attainment_key', 'period', 'target', 'variable_target'])
    .where('workspace_id', '=', workspaceId)
    .where('rep_id', '=', repId)
    .execute();
  return rows.map((row) => ({
    planId: row.plan_id,
    key: row.attainment_key,
    period: row.period,
    target: Decimal.of(row.target),
    variableTarget: row.variable_target === null ? null : Decimal.of(row.variable_target),
  }));
}

async function loadFrozen(trx: Work, workspaceId: string, repId: string): Promise<RepInput['frozen']> {
  const rows = await trx
    .selectFrom('statement_periods')
    .select(['period', 'from_day', 'to_day'])
    .where('workspace_id', '=', workspaceId)
    .where('rep_id', '=', repId)
    .where('status', '=', 'approved')
    .execute();
  return rows.map((row) => ({ period: row.period, range: { from: row.from_day, to: row.to_day } }));
}

/** The rep's plans with their active versions compiled, assigned by the assignments that still stand. */
export function assignedPlans(terms: RepTerms): AssignedPlan[] {
  const planIds = [...new Set(terms.assignments.map((assignment) => assignment.planId))].sort();
  return planIds.map((planId) => ({
    planId,
    assignments: terms.assignments.filter((assignment) => assignment.planId === planId && !assignment.deleted),
    versions: terms.versions
      .filter((version) => version.planId === planId && version.status === 'active')
      .map(
        (version): CompiledVersion =>
          compileVersion(version, terms.repId, terms.overrides, terms.workspace.measures, terms.workspace.timeZone),
      ),
  }));
}

/** The days widened to whole attainment periods of every rule that the rep has or had. */
export function calculationWindow(terms: RepTerms, days: DayRange): DayRange {
  const kinds = terms.versions.flatMap((version) => version.rules.map((rule) => rule.attainmentPeriod));
  const longest = kinds.reduce<PeriodKind>(longerKind, 'monthly');
  const window = widened(days, longest);
  // A frozen period that the window cuts is taken whole: its rows count for their neighbours.
  return terms.frozen.reduce(
    (wide, { range }) => (isTouched(wide, range) ? widened(hull(wide, range), longest) : wide),
    window,
  );
}

function isTouched(window: DayRange, range: DayRange): boolean {
  return range.from <= window.to && range.to >= window.from;
}

export function quotaFinder(quotas: readonly StoredQuota[]): RepInput['quota'] {
  const byKey = new Map(quotas.map((quota) => [`${quota.planId}|${quota.key}|${quota.period}`, quota]));
  return (planId, key, period) => byKey.get(`${planId}|${key}|${period}`) ?? null;
}

const dealColumns = [
  sql`d.deal_id`,
  sql`d.close_date`,
  sql`d.fields`,
  sql`d.amount`,
  sql`d.stage`,
  sql`d.name`,
  sql`d.owner_id`,
  sql`d.currency`,
  sql`d.created_date`,
];

/** The live deals of the reps that were closed in the window; deals without a close date lie in no period at all. */
function dealsOf(workspaceId: string, repIds: readonly string[], window: DayRange): RawBuilder<unknown> {
  return sql`deals d
    where d.workspace_id = ${workspaceId} and d.rep_id in (${sql.join(repIds)})
      and d.close_date between ${window.from} and ${window.to} and d.deleted_at is null`;
}

export async function loadDeals(trx: Work, workspaceId: string, repId: string, window: DayRange): Promise<Deal[]> {
  return (await cellsOf(trx, dealColumns, dealsOf(workspaceId, [repId], window))).map(dealOf);
}

function dealOf(cells: (string | null)[]): Deal {
  const [dealId, closeDate, fields, amount = null, stage = null, name = null, ownerId = null, ...rest] = cells;
  const [currency = null, createdDate = null] = rest;
  return {
    dealId: dealId as string,
    closeDate: closeDate as Day,
    fields: JSON.parse(fields as string) as Fields,
    standard: {
      dealAmount: amount,
      dealStage: stage,
      closeDate: closeDate as Day,
      dealName: name,
      ownerId,
      currency,
      createdDate,
    },
  };
}

/** Deals of everyone below, with what they have earned down there: the input of cascade rules. */
export async function loadTeamDeals(trx: Work, terms: RepTerms, window: DayRange): Promise<TeamDeal[]> {
  const cascades = terms.versions.some((version) => version.rules.some((rule) => rule.executionPhase === 'cascade'));
  const team = cascades ? await loadTeam(trx, terms.workspaceId, terms.repId) : [];
  if (team.length === 0) return [];
  const spans = groupBy(team, (member) => member.repId);
  const isBelow = (repId: string | null, day: Day) =>
    repId !== null && (spans.get(repId)?.some((span) => isWithin(day, span)) ?? false);
  const rows = await cellsOf(
    trx,
    [sql`d.rep_id`, ...dealColumns],
    dealsOf(terms.workspaceId, [...spans.keys()], window),
  );
  const deals = rows.flatMap(([repId = null, ...cells]) => {
    const deal = dealOf(cells);
    return isBelow(repId, deal.closeDate) ? [deal] : [];
  });
  const events = groupBy(
    await loadUpstreamEvents(trx, terms.workspaceId, [...spans.keys()], deals),
    (event) => event.dealKey,
  );
  return deals.map((deal) => ({
    deal,
    upstream: (events.get(deal.dealId) ?? []).filter((event) => isBelow(event.repId, deal.closeDate)),
  }));
}

interface DealEvent extends UpstreamEvent {
  readonly dealKey: string;
}

/** What the reps have earned on the deals. Joined here and not in SQL, where fresh tables make for ruinous plans. */
async function loadUpstreamEvents(
  trx: Work,
  workspaceId: string,
  repIds: readonly string[],
  deals: readonly Deal[],
): Promise<DealEvent[]> {
  const { rows } = await sql<{
    deal_key: string;
    rep_id: string;
    rule_name: string;
    phase: UpstreamEvent['phase'];
    currency: string;
    amount: string;
  }>`
    select deal_key, rep_id, rule_name, phase, currency, amount from commission_events
    where workspace_id = ${workspaceId} and deal_key = any(${deals.map((deal) => deal.dealId)}::text[])
      and rep_id = any(${repIds}::uuid[]) and kind = 'commission_earned' and status = 'earned' and phase <> 'periodic'
    order by deal_key, rep_id, plan_id, rule_name`.execute(trx);
  return rows.map((row) => ({
    dealKey: row.deal_key,
    repId: row.rep_id,
    ruleName: row.rule_name,
    phase: row.phase,
    currency: row.currency,
    amount: Decimal.of(row.amount),
  }));
}

/** Credits of the other reps under every rank rule of the rep's plans, from what stands in the ledger. */
export async function loadPeerCredits(trx: Work, terms: RepTerms, window: DayRange): Promise<RepInput['peerCredits']> {
  const ranked = terms.versions.filter((version) => version.rules.some((rule) => rule.tierBy === 'rank'));
  if (ranked.length === 0) return () => [];
  const planIds = [...new Set(ranked.map((version) => version.planId))];
  const { workspaceId, repId } = terms;
  const { rows: credits } = await sql<{
    plan_id: string;
    attainment_key: string;
    period: string;
    rep_id: string;
    credit: string;
  }>`
    select plan_id, attainment_key, period, rep_id, sum(credit)::text as credit
    from commission_events
    where workspace_id = ${workspaceId} and rep_id <> ${repId} and plan_id in (${sql.join(planIds)})
      and kind = 'commission_earned' and status = 'earned' and earned_on between ${window.from} and ${window.to}
    group by plan_id, attainment_key, period, rep_id`.execute(trx);
  const spans = await trx
    .selectFrom('assignments')
    .select(['plan_id', 'rep_id', 'effective_start', 'effective_end'])
    .where('workspace_id', '=', workspaceId)
    .where('plan_id', 'in', planIds)
    .where('rep_id', '<>', repId)
    .where('deleted_at', 'is', null)
    .execute();
  const byKey = new Map(
    credits.map((row) => [`${row.plan_id}|${row.attainment_key}|${row.period}|${row.rep_id}`, row.credit]),
  );
  return (planId, key, period) => {
    const { from, to } = periodRange(period);
    const peers = new Set(
      spans
        .filter(
          (span) =>
            span.plan_id === planId && (span.effective_start ?? from) <= to && (span.effective_end ?? to) >= from,
        )
        .map((span) => span.rep_id),
    );
    return [...peers].map((peer) => Decimal.of(byKey.get(`${planId}|${key}|${period}|${peer}`) ?? '0'));
  };
}

/** The first day on which anything is known of the rep: from then on periodic rules count periods. */
export async function loadFirstActivity(trx: Work, terms: RepTerms): Promise<Day | null> {
  const periodic = terms.versions.some((version) => version.rules.some((rule) => rule.executionPhase === 'periodic'));
  if (!periodic) return null;
  const first = await trx
    .selectFrom('deals')
    .select((select) => select.fn.min('close_date').as('day'))
    .where('workspace_id', '=', terms.workspaceId)
    .where('rep_id', '=', terms.repId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  const quotaStarts = terms.quotas.map((quota) => periodRange(quota.period).from);
  return [...quotaStarts, ...(first?.day ? [first.day] : [])].sort()[0] ?? null;
}

/** Whether some version of the plan other than an active one covers the day: it was withdrawn, not never there. */
export function wasWithdrawn(terms: RepTerms, planId: string, day: Day): boolean {
  const versions = terms.versions.filter((version) => version.planId === planId);
  if (versions.length === 0) return true;
  const covers = (assignment: Assignment) =>
    assignment.planId === planId && isEffective(day, assignment.start, assignment.end);
  const assigned = terms.assignments.some((assignment) => covers(assignment) && !assignment.deleted);
  if (!assigned) return terms.assignments.some((assignment) => covers(assignment) && assignment.deleted);
  const covering = versions.filter((version) => isEffective(day, version.effectiveStart, version.effectiveEnd));
  return covering.length > 0 && covering.every((version) => version.status !== 'active');
}
