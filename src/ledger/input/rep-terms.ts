import { type RawBuilder, type SqlBool, sql } from 'kysely';
import {
  compileTimeline,
  type IdentifiedRule,
  type PlanVersion,
  type TierOverride,
} from '../../engine/compiled-plan.js';
import { type Condition } from '../../engine/condition.js';
import { type AssignedDays, type Quota, type RampStep, type WorkingTime } from '../../engine/effective-quota.js';
import { type AssignedPlan, type RepInput } from '../../engine/model.js';
import { type PersonFacts } from '../../engine/person-facts.js';
import { type Rule } from '../../engine/plan-config.js';
import { type PlanFx } from '../../engine/plan-fx.js';
import { type RateTable } from '../../engine/rate-table.js';
import { buildTimeline, mayHaveEarned, stoppedDays } from '../../engine/version-timeline.js';
import { type Day, type DayRange, isEffective, type WorkspaceDay } from '../../kernel/day.js';
import { Decimal } from '../../kernel/decimal.js';
import { groupBy } from '../../kernel/group-by.js';
import { type Period } from '../../kernel/period.js';
import { type FiscalYear, type PeriodCalendar, toCalendar } from '../../kernel/period-calendar.js';
import { inParallel } from '../../kernel/waiting.js';
import { type Tables } from '../../platform/database/tables.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { fiscalYearsColumn } from './calendar.js';
import { type FxTerms, loadFxTerms, usesRatesColumn } from './exchange-rates.js';
import { canonicalFieldMapping } from './field-mapping.js';
import { datedFields } from './person-facts.js';
import { hasTablesColumn, loadRateTables } from './rate-tables.js';
import { loadWorkingTimes } from './working-times.js';

type PlanStatus = Tables['plan_versions']['status'];

/** A plan version with the properties that decide on which days it is in force. */
export interface StoredVersion extends PlanVersion {
  readonly status: PlanStatus;
  /** The version that this one replaces while it is active. */
  readonly supersedes: string | null;
  /** Whether it has been active at some time, whatever its status is now. */
  readonly hasBeenActive: boolean;
  /** The status of the plan: only an active plan pays. */
  readonly planStatus: PlanStatus;
}

interface Assignment extends AssignedDays {
  readonly planId: string;
  /** A deleted assignment earns nothing new; earned events stay. */
  readonly deleted: boolean;
}

export interface WorkspaceTerms extends WorkspaceDay {
  readonly currency: string;
  readonly measures: Readonly<Record<string, string>>;
  /** The field that holds the amount of a deal; null if the workspace has not mapped it. */
  readonly amountSlug: string | null;
  /** The fiscal years, by year; none in a workspace that has only the civil calendar. */
  readonly fiscalYears: readonly FiscalYear[];
  /** Whether the workspace has a webhook endpoint that is enabled. */
  readonly sendsEvents: boolean;
  /** Whether commission is written to a CRM. */
  readonly writesBack: boolean;
  /** Whether a deal of the workspace has a refund. */
  readonly hasRefunds: boolean;
  /** Whether a deal of the workspace has lines. */
  readonly hasLines: boolean;
  /** The exchange rates; null in a workspace that has none and converts nothing. */
  readonly fx: FxTerms | null;
  /** The rate tables of the workspace. */
  readonly tables: readonly RateTable[];
  /** Changes with every change of the configuration; read before all other data. */
  readonly revision: string;
}

/** The configuration of one rep, constant within one revision. */
interface Configured {
  readonly assignments: readonly Assignment[];
  readonly versions: readonly StoredVersion[];
  readonly overrides: ReadonlyMap<string, readonly TierOverride[]>;
  readonly quotas: readonly StoredQuota[];
  /** Null for a person who works on all days, with the usual minimum of prorated quotas. */
  readonly workingTime: WorkingTime | null;
  /** What keys of rate tables read of the rep; by default the hire date of the working time. */
  readonly person?: PersonFacts;
  /** Whether the rep has or had a manager. */
  readonly hasManagers: boolean;
}

/** What belongs to a workspace with fiscal years. */
export interface InCalendar {
  readonly workspace: Pick<WorkspaceTerms, 'fiscalYears'>;
}

/** Everything but the deals that decides what a rep is paid. */
export interface RepTerms extends Configured {
  readonly repId: string;
  readonly workspace: WorkspaceTerms;
  readonly frozen: readonly FrozenPeriod[];
}

/** An approved period. When it is trued up, `trued_up_rows` replace its approved rows. */
export interface FrozenPeriod {
  readonly period: Period;
  readonly range: DayRange;
  readonly truedUp: boolean;
}

export interface StoredQuota extends Quota {
  readonly planId: string;
  readonly key: string;
  readonly period: string;
}

export async function loadWorkspaceTerms(tx: Transaction): Promise<WorkspaceTerms> {
  return (await loadWorkspaceWithFrozen(tx, [])).workspace;
}

/** The terms of the workspace and the approved periods of the reps, in one statement. */
async function loadWorkspaceWithFrozen(
  tx: Transaction,
  repIds: readonly string[],
): Promise<{ readonly workspace: WorkspaceTerms; readonly frozen: FrozenOfReps }> {
  const row = await tx.db
    .selectFrom('workspaces')
    .select([
      'currency',
      'timezone',
      'test_day',
      'field_mapping',
      'sends_events',
      'writes_back',
      'configuration_revision',
    ])
    .select(fiscalYearsColumn(tx).as('fiscal_years'))
    .select(usesRatesColumn(tx).as('uses_rates'))
    .select(sql<boolean>`exists (select from deal_refunds where workspace_id = ${tx.workspaceId})`.as('has_refunds'))
    .select(sql<boolean>`exists (select from deal_lines where workspace_id = ${tx.workspaceId})`.as('has_lines'))
    .select(hasTablesColumn(tx).as('has_tables'))
    .select(frozenColumn(tx, repIds).as('frozen'))
    .where('workspace_id', '=', tx.workspaceId)
    .executeTakeFirstOrThrow();
  const workspace = {
    currency: row.currency,
    timeZone: row.timezone,
    testDay: row.test_day,
    measures: row.field_mapping.measures,
    amountSlug: row.field_mapping.standard['dealAmount'] ?? null,
    fiscalYears: row.fiscal_years,
    sendsEvents: row.sends_events,
    writesBack: row.writes_back,
    hasRefunds: row.has_refunds,
    fx: row.uses_rates ? await loadFxTerms(tx, row.configuration_revision) : null,
    hasLines: row.has_lines,
    tables: row.has_tables ? await loadRateTables(tx, row.configuration_revision) : [],
    revision: row.configuration_revision,
  };
  return { workspace, frozen: frozenByRep(row.frozen) };
}

/** Counts characters, like the size of the cache, which has room for thousands of reps. */
function estimateSize({ versions, quotas, assignments, overrides, workingTime, person }: Configured): number {
  const quotaOrAssignment = 200;
  return (
    JSON.stringify([versions, [...overrides], workingTime, person]).length +
    (quotas.length + assignments.length) * quotaOrAssignment
  );
}

/** The terms of one rep; see {@link loadTerms}. */
export async function loadRepTerms(
  tx: Transaction,
  repId: string,
  loadedWorkspace?: WorkspaceTerms,
): Promise<RepTerms> {
  return (await loadTerms(tx, [repId], loadedWorkspace))[0] as RepTerms;
}

/**
 * Loads everything but the deals, one statement per table, in one round trip, in the order of the reps. The
 * configuration of a rep is cached under its revision. A caller that has already read the workspace passes it.
 */
export async function loadTerms(
  tx: Transaction,
  repIds: readonly string[],
  loadedWorkspace?: WorkspaceTerms,
): Promise<RepTerms[]> {
  const cache = tx.cacheOf<Configured>();
  const cacheKey = (repId: string) => `rep-terms ${tx.workspaceId} ${repId}`;
  const uncached = repIds.filter((repId) => !cache.has(cacheKey(repId)));
  const [{ workspace, frozen }, read] = await inParallel(
    async () =>
      loadedWorkspace === undefined
        ? loadWorkspaceWithFrozen(tx, repIds)
        : { workspace: loadedWorkspace, frozen: await loadFrozenOfReps(tx, repIds) },
    () => (uncached.length === 0 ? null : readConfiguration(tx, uncached)),
  );
  const configured = new Map<string, Configured>();
  const add = ({ revision, configure }: ReadConfiguration) => {
    for (const [repId, terms] of configure(workspace)) {
      configured.set(repId, terms);
      // Without the lane's lock the configuration may change between two statements; such a mixture is not cached.
      if (revision === workspace.revision) cache.set(revision, cacheKey(repId), terms, estimateSize(terms));
    }
  };
  if (read !== null) add(read);
  const outdated: string[] = [];
  for (const repId of repIds.filter((candidate) => !configured.has(candidate))) {
    const cached = cache.get(workspace.revision, cacheKey(repId));
    if (cached === null) outdated.push(repId);
    else configured.set(repId, cached);
  }
  if (outdated.length > 0) add(await readConfiguration(tx, outdated));
  return repIds.map((repId) => ({
    repId,
    workspace,
    frozen: frozen.get(repId) ?? [],
    ...(configured.get(repId) as Configured),
  }));
}

interface LastRead {
  readonly revision: string;
  /** The people who have or had a manager. */
  readonly managed: readonly string[];
  /** The dated values of the people; null in a workspace without rate tables, which alone read them. */
  readonly people: Readonly<Record<string, PersonFacts['fields']>> | null;
}

interface ReadConfiguration {
  /** The revision after the reads, for comparison with the one before. */
  readonly revision: string;
  readonly configure: (workspace: WorkspaceTerms) => ReadonlyMap<string, Configured>;
}

async function readConfiguration(tx: Transaction, repIds: readonly string[]): Promise<ReadConfiguration> {
  const onPlans = sql`(select plan_id from assignments where workspace_id = ${tx.workspaceId} and ${isOfReps(repIds)})`;
  const [assignments, versionsIn, overrides, quotas, workingTimes, last] = await inParallel(
    () => loadAssignments(tx, repIds),
    () => selectVersions(tx, onPlans),
    () => loadOverrides(tx, repIds),
    () => loadQuotas(tx, repIds),
    () => loadWorkingTimes(tx, repIds),
    () =>
      sql<LastRead>`
      select configuration_revision as revision, array(
        select distinct rep_id from reporting_lines where workspace_id = ${tx.workspaceId} and ${isOfReps(repIds)}
      ) as managed, case when ${hasTablesColumn(tx)} then (
        select jsonb_object_agg(r.rep_id, ${datedFields}) from reps r
        where r.workspace_id = ${tx.workspaceId} and ${isOfReps(repIds)}
      ) end as people
      from workspaces where workspace_id = ${tx.workspaceId}`.execute(tx.db),
  );
  const { revision, managed, people } = last.rows[0] as LastRead;
  const haveManagers = new Set(managed);
  return {
    revision,
    configure: (workspace) => {
      const versions = groupBy(versionsIn(workspace), (version) => version.planId);
      const toConfigured = (repId: string): Configured => {
        const own = assignments.get(repId) ?? [];
        const planIds = [...new Set(own.map(({ planId }) => planId))];
        return {
          assignments: own,
          versions: planIds.flatMap((planId) => versions.get(planId) ?? []),
          overrides: overrides.get(repId) ?? new Map(),
          quotas: quotas.get(repId) ?? [],
          workingTime: workingTimes.get(repId) ?? null,
          ...(people === null
            ? {}
            : { person: { hireDate: workingTimes.get(repId)?.hireDate ?? null, fields: people[repId] ?? {} } }),
          hasManagers: haveManagers.has(repId),
        };
      };
      return new Map(repIds.map((repId) => [repId, toConfigured(repId)]));
    },
  };
}

/** The terms of many reps for a dry run without frozen periods: one statement per table. */
export async function loadTermsOfReps(
  tx: Transaction,
  repIds: readonly string[],
  workspace: WorkspaceTerms,
): Promise<Map<string, RepTerms>> {
  if (repIds.length === 0) return new Map();
  const configured = (await readConfiguration(tx, repIds)).configure(workspace);
  return new Map([...configured].map(([repId, terms]) => [repId, { repId, workspace, frozen: [], ...terms }]));
}

export async function loadVersions(
  tx: Transaction,
  planIds: readonly string[],
  workspace: WorkspaceTerms,
): Promise<StoredVersion[]> {
  if (planIds.length === 0) return [];
  return (await selectVersions(tx, sql`(${sql.join(planIds)})`))(workspace);
}

async function loadAssignments(
  tx: Transaction,
  repIds: readonly string[],
): Promise<ReadonlyMap<string, readonly Assignment[]>> {
  const rows = await tx.db
    .selectFrom('assignments as a')
    .leftJoin('ramps as r', (join) =>
      join.onRef('r.workspace_id', '=', 'a.workspace_id').onRef('r.ramp_id', '=', 'a.ramp_id'),
    )
    .select(['a.rep_id', 'a.plan_id', 'a.effective_start', 'a.effective_end', 'a.deleted_at', 'a.ramp_from', 'r.steps'])
    .where('a.workspace_id', '=', tx.workspaceId)
    .where(isOfReps(repIds))
    .execute();
  return byRep(rows, (row) => ({
    planId: row.plan_id,
    start: row.effective_start,
    end: row.effective_end,
    deleted: row.deleted_at !== null,
    ...(row.steps === null ? {} : { ramp: { from: row.ramp_from, steps: row.steps as RampStep[] } }),
  }));
}

function isOfReps(repIds: readonly string[]): RawBuilder<SqlBool> {
  return sql<SqlBool>`rep_id = any(${repIds}::uuid[])`;
}

/** Groups the rows by rep and converts them. */
function byRep<Row extends { readonly rep_id: string }, T>(
  rows: readonly Row[],
  convert: (row: Row) => T,
): Map<string, T[]> {
  return new Map([...groupBy(rows, (row) => row.rep_id)].map(([repId, ofRep]) => [repId, ofRep.map(convert)]));
}

/** The versions of the plans. A plan without a currency uses the workspace's, which is read in the same round trip. */
async function selectVersions(
  tx: Transaction,
  plans: RawBuilder<unknown>,
): Promise<(workspace: WorkspaceTerms) => StoredVersion[]> {
  const isOfPlans = sql<SqlBool>`plan_id in ${plans}`;
  const [versions, rules] = await inParallel(
    () =>
      tx.db
        .selectFrom('plan_versions as v')
        .innerJoin('plans as p', (join) =>
          join.onRef('p.workspace_id', '=', 'v.workspace_id').onRef('p.plan_id', '=', 'v.plan_id'),
        )
        .select(['v.plan_id', 'v.plan_version_id', 'v.version', 'v.status', 'v.effective_start', 'v.effective_end'])
        .select(['v.currency', 'v.fx', 'v.field_mapping', 'v.deal_conditions', 'v.supersedes', 'v.has_been_active'])
        .select('p.status as plan_status')
        .where('v.workspace_id', '=', tx.workspaceId)
        .where(sql<SqlBool>`v.plan_id in ${plans}`)
        .execute(),
    () =>
      tx.db
        .selectFrom('plan_rules')
        .select(['rule_id', 'plan_version_id', 'definition'])
        .where('workspace_id', '=', tx.workspaceId)
        .where(isOfPlans)
        .orderBy('position')
        .execute(),
  );
  const ofVersion = groupBy(rules, (rule) => rule.plan_version_id);
  return (workspace) =>
    versions.map((row) => ({
      planId: row.plan_id,
      planVersionId: row.plan_version_id,
      version: row.version,
      status: row.status,
      supersedes: row.supersedes,
      hasBeenActive: row.has_been_active,
      planStatus: row.plan_status,
      effectiveStart: row.effective_start,
      effectiveEnd: row.effective_end,
      currency: row.currency ?? workspace.currency,
      fx: row.fx as PlanFx | null,
      fieldMapping: canonicalFieldMapping(row.field_mapping),
      dealConditions: row.deal_conditions as readonly Condition[],
      rules: (ofVersion.get(row.plan_version_id) ?? []).map(
        (rule): IdentifiedRule => ({ ...(rule.definition as Rule), id: rule.rule_id }),
      ),
    }));
}

async function loadOverrides(
  tx: Transaction,
  repIds: readonly string[],
): Promise<ReadonlyMap<string, RepTerms['overrides']>> {
  const rows = await tx.db
    .selectFrom('plan_overrides')
    .select(['rep_id', 'rule_id', 'tiers'])
    .where('workspace_id', '=', tx.workspaceId)
    .where(isOfReps(repIds))
    .execute();
  const overrides = byRep(rows, (row): [string, TierOverride[]] => [row.rule_id, row.tiers as TierOverride[]]);
  return new Map([...overrides].map(([repId, ofRep]) => [repId, new Map(ofRep)]));
}

async function loadQuotas(
  tx: Transaction,
  repIds: readonly string[],
): Promise<ReadonlyMap<string, readonly StoredQuota[]>> {
  const rows = await tx.db
    .selectFrom('quotas')
    .select(['rep_id', 'plan_id', 'attainment_key', 'period', 'target', 'variable_target', 'prorate'])
    .where('workspace_id', '=', tx.workspaceId)
    .where(isOfReps(repIds))
    .execute();
  return byRep(rows, (row) => ({
    planId: row.plan_id,
    key: row.attainment_key,
    period: row.period,
    target: Decimal.of(row.target),
    variableTarget: row.variable_target === null ? null : Decimal.of(row.variable_target),
    ...(row.prorate ? {} : { isFixed: true }),
  }));
}

/** The rep's approved periods, in no order. */
export async function loadFrozen(tx: Transaction, repId: string): Promise<readonly FrozenPeriod[]> {
  return (await loadFrozenOfReps(tx, [repId])).get(repId) ?? [];
}

type FrozenOfReps = ReadonlyMap<string, readonly FrozenPeriod[]>;

/** The approved periods of each of the reps. */
export async function loadFrozenOfReps(tx: Transaction, repIds: readonly string[]): Promise<FrozenOfReps> {
  const { rows } = await sql<{ frozen: FrozenRow[] }>`select ${frozenColumn(tx, repIds)} as frozen`.execute(tx.db);
  return frozenByRep(rows[0]?.frozen ?? []);
}

interface FrozenRow extends DayRange {
  readonly rep_id: string;
  readonly period: Period;
  readonly truedUp: boolean;
}

/** The approved periods of the reps, as one column. */
function frozenColumn(tx: Transaction, repIds: readonly string[]): RawBuilder<FrozenRow[]> {
  return sql`coalesce((
    select json_agg(json_build_object(
      'rep_id', rep_id, 'period', period, 'from', from_day, 'to', to_day, 'truedUp', trued_up))
    from statement_periods
    where workspace_id = ${tx.workspaceId} and ${isOfReps(repIds)} and status = 'approved'), '[]')`;
}

function frozenByRep(rows: readonly FrozenRow[]): FrozenOfReps {
  return byRep(rows, ({ period, from, to, truedUp }) => ({ period, range: { from, to }, truedUp }));
}

/** The periods of the rep's workspace. */
export function calendarOf({ workspace }: InCalendar): PeriodCalendar {
  return toCalendar(workspace.fiscalYears);
}

/** The part of the engine's input that prorated quotas need. */
export function workingTimeInput({ workingTime }: Pick<RepTerms, 'workingTime'>): Pick<RepInput, 'workingTime'> {
  return workingTime === null ? {} : { workingTime };
}

/** The part of the engine's input that keys of rate tables need. */
export function personInput({
  person,
  workingTime,
  workspace,
}: Pick<RepTerms, 'person' | 'workingTime' | 'workspace'>): Pick<RepInput, 'person'> {
  if (workspace.tables.length === 0) return {};
  return { person: person ?? { hireDate: workingTime?.hireDate ?? null, fields: {} } };
}

/** The rep's plans with their compiled timelines and the assignments that are not deleted. */
export function assignedPlans(terms: RepTerms): AssignedPlan[] {
  const planIds = [...new Set(terms.assignments.map((assignment) => assignment.planId))].sort();
  return planIds.map((planId) => ({
    planId,
    assignments: assignedDays(terms, planId),
    versions: compileTimeline(
      payingVersions(terms.versions.filter((version) => version.planId === planId)),
      terms.repId,
      terms.overrides,
      terms.workspace.measures,
      terms.workspace.timeZone,
      calendarOf(terms),
      terms.workspace.tables,
    ),
  }));
}

/** The assignments to the plan that are not deleted. */
export function assignedDays({ assignments }: Pick<RepTerms, 'assignments'>, planId: string): readonly AssignedDays[] {
  return assignments.filter((assignment) => assignment.planId === planId && !assignment.deleted);
}

/** Whether a rule that the rep has or had passes the test. */
export function hasRule({ versions }: Pick<RepTerms, 'versions'>, test: (rule: Rule) => boolean): boolean {
  return versions.some(({ rules }) => rules.some(test));
}

export function hasCascades(terms: Pick<RepTerms, 'versions'>): boolean {
  return hasRule(terms, (rule) => rule.executionPhase === 'cascade');
}

export function hasPeriodicRules(terms: Pick<RepTerms, 'versions'>): boolean {
  return hasRule(terms, (rule) => rule.executionPhase === 'periodic');
}

/** Whether a plan with periodic rules may count from the first deal or quota: it, or an assignment to it, has no first day. */
export function countsFromFirstActivity({
  assignments,
  versions,
}: Pick<RepTerms, 'assignments' | 'versions'>): boolean {
  const periodic = new Set(
    versions.filter((version) => hasPeriodicRules({ versions: [version] })).map(({ planId }) => planId),
  );
  return (
    versions.some(({ planId, effectiveStart }) => periodic.has(planId) && effectiveStart === null) ||
    assignments.some(({ planId, start }) => periodic.has(planId) && start === null)
  );
}

/** Whether a version converts at the rate of the end of a period, which is provisional until then. */
export function convertsAtPeriodEnds({ versions }: Pick<RepTerms, 'versions'>): boolean {
  return versions.some(({ fx }) => fx?.date === 'period_end');
}

export function hasRankTiers(terms: Pick<RepTerms, 'versions'>): boolean {
  return hasRule(terms, (rule) => rule.tierBy === 'rank');
}

/** Whether every version that may have earned events is active. If not, some days may be stopped. */
export function isEveryVersionActive({ versions }: Pick<RepTerms, 'versions'>): boolean {
  return versions
    .filter(mayHaveEarned)
    .every(({ status, planStatus }) => status === 'active' && planStatus === 'active');
}

/** The timeline of one plan, from all of its versions; empty unless the plan is active. */
export function payingVersions(versions: readonly StoredVersion[]): StoredVersion[] {
  return versions[0]?.planStatus === 'active' ? buildTimeline(versions) : [];
}

export function quotaFinder(quotas: readonly StoredQuota[]): RepInput['quota'] {
  const byKey = new Map(quotas.map((quota) => [`${quota.planId}|${quota.key}|${quota.period}`, quota]));
  return (planId, key, period) => byKey.get(`${planId}|${key}|${period}`) ?? null;
}

/** Returns whether a day of the plan is stopped: its events stay unchanged while their deal exists. */
export function stoppedDayTest(terms: RepTerms): (planId: string, day: Day) => boolean {
  const stopped = new Map(
    [...groupBy(terms.versions, (version) => version.planId)].map(([planId, versions]) => [
      planId,
      stoppedDays({ isActive: versions[0]?.planStatus === 'active', versions }),
    ]),
  );
  return (planId, day) => stopped.get(planId)?.(day) === true;
}

/**
 * Returns whether events of the plan on a day stay although nothing is earned: the plan or the assignment was
 * deleted. A plan without versions is deleted.
 */
export function withdrawnDayTest(terms: RepTerms): (planId: string, day: Day) => boolean {
  const known = new Set(terms.versions.map((version) => version.planId));
  return (planId, day) => {
    if (!known.has(planId)) return true;
    const covering = terms.assignments.filter(
      (assignment) => assignment.planId === planId && isEffective(day, assignment.start, assignment.end),
    );
    return covering.length > 0 && covering.every((assignment) => assignment.deleted);
  };
}
