import { type SqlBool, sql } from 'kysely';
import { comparableText } from '../../kernel/comparable-text.js';
import { Failure, invalid } from '../../kernel/failure.js';
import { groupBy } from '../../kernel/group-by.js';
import { type Period, type PeriodKind } from '../../kernel/period.js';
import {
  type CalendarName,
  isFiscalPeriod,
  kindOfPeriod,
  type PeriodCalendar,
  periodFormat,
} from '../../kernel/period-calendar.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';

/** The rule that a quota is set for. Credit is counted under its key. */
export interface QuotaRule {
  readonly ruleId: string;
  readonly planId: string;
  readonly name: string;
  readonly measure: string;
  readonly attainmentKey: string;
  readonly attainmentPeriod: PeriodKind;
  readonly calendar: CalendarName;
}

/**
 * The rule with that id, unless its version has been superseded: such a version is not part of the timeline, and a
 * newer version has a rule with the same name.
 */
export async function findRuleById(tx: Transaction, ruleId: string, planId: string | undefined): Promise<QuotaRule> {
  const rule = await ruleQuery(tx)
    .where('r.rule_id', '=', ruleId)
    .where(sql<SqlBool>`(v.status = 'active' and ${isNotSuperseded} or not exists (
      select from plan_rules newer_rule
      join plan_versions newer on newer.workspace_id = newer_rule.workspace_id and newer.plan_version_id = newer_rule.plan_version_id
      where newer_rule.workspace_id = ${tx.workspaceId} and newer_rule.plan_id = r.plan_id and newer_rule.name = r.name
        and newer.version > v.version))`)
    .executeTakeFirst();
  if (rule !== undefined && (planId === undefined || rule.planId === planId)) return rule;
  throw ruleNotFound(
    'There is no such rule on this plan, or its version has been superseded; rule ids change with every version.',
  );
}

const isNotSuperseded = sql<SqlBool>`not exists (
  select from plan_versions s
  where s.workspace_id = v.workspace_id and s.supersedes = v.plan_version_id and s.status = 'active')`;

/** The rule that an id selects, unless the measure beside the id means another one. */
export function withoutContradiction(rule: QuotaRule, measure: string | undefined): QuotaRule {
  const names = [rule.name, rule.measure, rule.attainmentKey].map(comparableText);
  if (measure === undefined || names.includes(comparableText(measure))) return rule;
  throw invalid({ path: 'measure', message: `must be the name of the rule of planRuleId, ${rule.name}, or its field` });
}

/** The rule with that name in the timelines of the plans, otherwise the only rule that measures that field. */
export async function findRuleByMeasure(
  tx: Transaction,
  measure: string,
  planIds: readonly string[],
): Promise<QuotaRule> {
  const rules = await listRulesInForce(tx, planIds);
  const name = comparableText(measure);
  const named = rules.filter((rule) => comparableText(rule.name) === name);
  const counters = distinctCounters(
    named.length > 0 ? named : rules.filter((rule) => comparableText(rule.measure) === name),
  );
  const [rule, another] = counters;
  if (rule === undefined) throw ruleNotFound(`No active plan of this workspace has a rule named ${measure}.`);
  if (another === undefined) return rule;
  throw ambiguous(
    `${measure} may be any of several rules. Give planRuleId, or planId if they are of several plans.`,
    counters,
  );
}

/** The only rule in the timelines of the plans with periods of that kind and calendar; rejected if there are several. */
export async function findOnlyRule(tx: Transaction, planIds: readonly string[], period: Period): Promise<QuotaRule> {
  const counters = distinctCounters(await listRulesInForce(tx, planIds));
  const ofKind = counters.filter((rule) => isPeriodOf(rule, period));
  const [rule, another] = ofKind.length > 0 ? ofKind : counters;
  if (rule === undefined) throw ruleNotFound('No active plan of this rep has a rule. Name the plan, or assign one.');
  if (another === undefined) return rule;
  throw ambiguous(
    `Several rules may be meant: ${counters.map(({ name }) => name).join(', ')}. Name one in the column measure, and its plan.`,
    counters,
  );
}

/** Plans that any of the reps is assigned to. */
export async function assignedPlanIds(tx: Transaction, repIds: readonly string[]): Promise<string[]> {
  return [...new Set([...(await assignedPlanIdsByRep(tx, repIds)).values()].flat())];
}

/** The plans that each of the reps is assigned to, in the order of their ids. */
export async function assignedPlanIdsByRep(
  tx: Transaction,
  repIds: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const { rows } = await sql<{ repId: string; planIds: string[] }>`
    select rep_id as "repId", array_agg(distinct plan_id) as "planIds" from assignments
    where workspace_id = ${tx.workspaceId} and rep_id = any(${repIds}::uuid[]) and deleted_at is null
    group by rep_id`.execute(tx.db);
  return new Map(rows.map(({ repId, planIds }) => [repId, planIds]));
}

/** Rejects a period that is not of the rule's kind and calendar, or of an unknown fiscal year. */
export function assertPeriodOf(rule: QuotaRule, period: Period, calendar: PeriodCalendar): void {
  if (isPeriodOf(rule, period)) {
    calendar.range(period);
    return;
  }
  const format = periodFormat(rule.attainmentPeriod, rule.calendar);
  const fiscal = rule.calendar === 'fiscal' ? ' of the fiscal calendar' : '';
  throw new Failure(
    'period_mismatch',
    `The rule ${rule.name} counts ${rule.attainmentPeriod}${fiscal}: its periods are written ${format}, not ${period}.`,
  );
}

function isPeriodOf({ attainmentPeriod, calendar }: QuotaRule, period: Period): boolean {
  return kindOfPeriod(period) === attainmentPeriod && isFiscalPeriod(period) === (calendar === 'fiscal');
}

function ruleQuery(tx: Transaction) {
  return tx.db
    .selectFrom('plan_rules as r')
    .innerJoin('plan_versions as v', (join) =>
      join.onRef('v.workspace_id', '=', 'r.workspace_id').onRef('v.plan_version_id', '=', 'r.plan_version_id'),
    )
    .innerJoin('plans as p', (join) =>
      join.onRef('p.workspace_id', '=', 'r.workspace_id').onRef('p.plan_id', '=', 'r.plan_id'),
    )
    .select([
      'r.rule_id as ruleId',
      'r.plan_id as planId',
      'r.name',
      'r.attainment_key as attainmentKey',
      'r.attainment_period as attainmentPeriod',
      sql<string>`coalesce(r.definition ->> 'measure', '')`.as('measure'),
      sql<CalendarName>`coalesce(r.definition ->> 'calendar', 'calendar')`.as('calendar'),
    ])
    .where('r.workspace_id', '=', tx.workspaceId);
}

/** The rules in the timelines of those of the plans that are active, newest version first. */
function listRulesInForce(tx: Transaction, planIds: readonly string[]): Promise<QuotaRule[]> {
  return ruleQuery(tx)
    .where(sql<SqlBool>`r.plan_id = any(${planIds}::uuid[])`)
    .where('v.status', '=', 'active')
    .where('p.status', '=', 'active')
    .where(isNotSuperseded)
    .orderBy('v.version', 'desc')
    .orderBy('r.position')
    .execute();
}

/** Rules with one key share one quota; the rule of the newest version represents them. */
function distinctCounters(rules: readonly QuotaRule[]): QuotaRule[] {
  const newest = [...groupBy(rules, (rule) => `${rule.planId}|${rule.name}`).values()].flatMap((versions) =>
    versions.slice(0, 1),
  );
  return [...groupBy(newest, (rule) => `${rule.planId}|${rule.attainmentKey}`).values()].flatMap((ofKey) =>
    ofKey.slice(0, 1),
  );
}

function ambiguous(message: string, rules: readonly QuotaRule[]): Failure {
  const planRuleIds = rules.map(({ ruleId, planId, name }) => ({ planRuleId: ruleId, planId, name }));
  return new Failure('quota_ambiguous_measure', message, { planRuleIds });
}

function ruleNotFound(message: string): Failure {
  return new Failure('plan_rule_not_found', message);
}
