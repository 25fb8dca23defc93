import { type RawBuilder, sql } from 'kysely';
import { type Condition } from '../engine/condition.js';
import { type Rule } from '../engine/plan-config.js';
import { addDays, type Day, type DayRange } from '../kernel/day.js';
import { type Period } from '../kernel/period.js';
import { type PeriodCalendar } from '../kernel/period-calendar.js';
import { scoreIdStart } from '../kernel/score-id.js';
import { mapInSlices } from '../kernel/waiting.js';
import { eventsTable, monthsTable, statementPeriodsTable } from '../ledger/input/as-of.js';
import { loadCalendar } from '../ledger/input/calendar.js';
import { isCountedAtEnd } from '../ledger/input/counted-at-end.js';
import { countedRows } from '../ledger/input/counted-rows.js';
import { dealOfKeyColumn, isRefundKeyColumn, keysOfDeal } from '../ledger/input/deal-keys.js';
import { hasPartOf } from '../ledger/input/deals-of-rep.js';
import { loadProratedQuotas } from '../ledger/input/prorated-quotas.js';
import { earnedSums } from '../ledger/output/totals.js';
import { anyOf } from '../platform/database/columns.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { lastCountedDay, type QuotaRow } from './attainment.js';
import { type EventRow } from './commission-event.js';
import { type EarningsRow } from './earnings.js';
import { traceWithLines } from './paid-lines.js';
import { type CreditRow } from './unset-quotas.js';

/** Restricts a query to the reps; null means everyone. */
export function within(column: string, repIds: readonly string[] | null): RawBuilder<unknown> {
  return repIds === null ? sql`` : sql`and ${sql.ref(column)} = ${anyOf('uuid', repIds)}`;
}

/** Whether the row of `reps r` has a plan on a day of the range, or a quota that touches it. */
export function hasTerms(calendar: PeriodCalendar, { from, to }: DayRange): RawBuilder<boolean> {
  return sql`(exists (select from assignments a where a.workspace_id = r.workspace_id and a.rep_id = r.rep_id
      and a.deleted_at is null and coalesce(a.effective_start, '-infinity') <= ${to}::date
      and coalesce(a.effective_end, 'infinity') >= ${from}::date)
    or exists (select from quotas q where q.workspace_id = r.workspace_id and q.rep_id = r.rep_id
      and q.period = any(${calendar.periodsAround({ from, to })})))`;
}

export interface TeamRow {
  readonly repId: string;
  readonly name: string;
  readonly active: boolean;
  /** Whether a plan is assigned on a day of the period, or a quota touches it. */
  readonly hasTerms: boolean;
  readonly statementStatus: 'none' | 'draft' | 'approved';
}

/** The reps by name, with the status of their statement of exactly that period. */
export async function listTeam(tx: Transaction, period: Period, repIds: readonly string[] | null): Promise<TeamRow[]> {
  const calendar = await loadCalendar(tx);
  const { rows } = await sql<TeamRow>`
    select r.rep_id as "repId", r.name, r.active, coalesce(s.status, 'none') as "statementStatus",
      ${hasTerms(calendar, calendar.range(period))} as "hasTerms"
    from reps r left join ${statementPeriodsTable(tx)} s
      on s.workspace_id = r.workspace_id and s.rep_id = r.rep_id and s.period = ${period}
    where r.workspace_id = ${tx.workspaceId} ${within('r.rep_id', repIds)}
    order by lower(r.name), r.rep_id`.execute(tx.db);
  return rows;
}

interface RepEarningsRow extends EarningsRow {
  readonly repId: string;
  readonly deals: number;
}

/** Earnings of each rep on the days: the sums of months where these are whole months, otherwise of the events. */
export async function sumEarnings(
  tx: Transaction,
  days: DayRange,
  repIds: readonly string[] | null,
): Promise<RepEarningsRow[]> {
  const { from, to } = days;
  if (!isWholeMonths(days)) return sumEvents(tx, days, repIds);
  const { rows } = await sql<RepEarningsRow>`
    select rep_id as "repId", currency, sum(commission)::text as commission, sum(bonus)::text as bonus,
      sum(adjustments)::text as adjustments, sum(deals)::int as deals
    from ${monthsTable(tx)} m
    where workspace_id = ${tx.workspaceId} and month between ${from}::date and ${to}::date
      ${within('rep_id', repIds)}
    group by rep_id, currency`.execute(tx.db);
  return rows;
}

/** Whether the row of `reps r` has an amount on the days. */
export function hasAmounts(days: DayRange): RawBuilder<boolean> {
  const { from, to } = days;
  if (!isWholeMonths(days))
    return sql`exists (
      select from commission_events e
      where e.workspace_id = r.workspace_id and e.rep_id = r.rep_id and e.status = 'earned' and e.amount <> 0
        and e.earned_on between ${from}::date and ${to}::date)`;
  return sql`exists (
    select from rep_months m
    where m.workspace_id = r.workspace_id and m.rep_id = r.rep_id and m.month between ${from}::date and ${to}::date
      and (m.commission <> 0 or m.bonus <> 0 or m.adjustments <> 0))`;
}

export function isWholeMonths({ from, to }: DayRange): boolean {
  return from.endsWith('-01') && addDays(to, 1).endsWith('-01');
}

export async function listDays(tx: Transaction, repId: string, { from, to }: DayRange): Promise<DatedEarningsRow[]> {
  const { rows } = await sql<DatedEarningsRow>`
    select earned_on as day, currency, ${earnedSums.commission}::text as commission, ${earnedSums.bonus}::text as bonus,
      ${earnedSums.adjustments}::text as adjustments
    from ${eventsTable(tx)} e
    where workspace_id = ${tx.workspaceId} and rep_id = ${repId} and status = 'earned'
      and earned_on between ${from}::date and ${to}::date
    group by earned_on, currency`.execute(tx.db);
  return rows;
}

async function sumEvents(
  tx: Transaction,
  { from, to }: DayRange,
  repIds: readonly string[] | null,
): Promise<RepEarningsRow[]> {
  const { rows } = await sql<RepEarningsRow>`
    select rep_id as "repId", currency, ${earnedSums.commission}::text as commission, ${earnedSums.bonus}::text as bonus,
      ${earnedSums.adjustments}::text as adjustments, ${earnedSums.deals}::int as deals
    from ${eventsTable(tx)} e
    where workspace_id = ${tx.workspaceId} and status = 'earned' and earned_on between ${from}::date and ${to}::date
      ${within('rep_id', repIds)}
    group by rep_id, currency`.execute(tx.db);
  return rows;
}

export interface DatedEarningsRow extends EarningsRow {
  readonly day: Day;
}

/** Earnings of the months that begin on the days, dated on their first day. */
export async function listMonths(tx: Transaction, repId: string, { from, to }: DayRange): Promise<DatedEarningsRow[]> {
  const { rows } = await sql<DatedEarningsRow>`
    select month as day, currency, commission, bonus, adjustments from ${monthsTable(tx)} m
    where workspace_id = ${tx.workspaceId} and rep_id = ${repId} and month between ${from}::date
      and ${to}::date`.execute(tx.db);
  return rows;
}

/**
 * Quotas of every kind that touch the period, with their credit as of its last day, of the reps if ids are given. A
 * quarter's quota read for October has no credit of November, and none of a rule that counts at the end of the quarter.
 */
export async function listQuotas(
  tx: Transaction,
  period: Period,
  repIds: readonly string[] | null = null,
): Promise<QuotaRow[]> {
  const calendar = await loadCalendar(tx);
  const range = calendar.range(period);
  const { to } = range;
  const periods = calendar.periodsAround(range);
  const endOf = (candidate: Period) => calendar.range(candidate).to;
  const longer = periods.filter((candidate) => endOf(candidate) > to);
  const ended = periods.filter((candidate) => endOf(candidate) <= to);
  const { rows } = await sql<QuotaRow>`
    select q.rep_id as "repId", q.plan_id as "planId", q.attainment_key as measure, q.period, q.target,
      case when ${isCountedAtEnd(tx.workspaceId, sql`${ended}::text[]`)} then null
        else (q.current_value - coalesce(later.credit, 0))::text end as credit
    from quotas q
    left join (
      select r.rep_id, c.plan_id, c.attainment_key, c.period, sum(c.credit) as credit
      from (
        select distinct rep_id from quotas where workspace_id = ${tx.workspaceId} and period = any(${longer}::text[]) ${within('rep_id', repIds)}
      ) r cross join lateral (
        select * from ${countedRows(tx.workspaceId)}
        where c.rep_id = r.rep_id and c.earned_on > ${to}::date and c.period = any(${longer}::text[])
      ) c
      group by r.rep_id, c.plan_id, c.attainment_key, c.period
    ) later on later.rep_id = q.rep_id and later.plan_id = q.plan_id and later.attainment_key = q.attainment_key
      and later.period = q.period
    where q.workspace_id = ${tx.workspaceId} and q.period = any(${periods}::text[]) ${within('q.rep_id', repIds)}
    order by q.attainment_key, q.plan_id, q.period desc`.execute(tx.db);
  const prorated = await loadProratedQuotas(tx, rows);
  const through = new Map(periods.map((each) => [each, lastCountedDay(calendar.range(each), range)]));
  return mapInSlices(rows, (row, index) => {
    const quota = prorated[index] ?? null;
    const targets =
      quota === null ? {} : { target: quota.target.toString(), fullTarget: row.target, proration: quota.proration };
    return { ...row, ...targets, through: through.get(row.period) as Day };
  });
}

/** The rep's earned credit up to the day, by plan, rule and attainment period. */
export async function listCredits(
  tx: Transaction,
  repId: string,
  periods: readonly Period[],
  through: Day,
): Promise<CreditRow[]> {
  const { rows } = await sql<CreditRow>`
    select plan_id as "planId", rule_name as "ruleName", period, sum(credit)::text as credit
    from commission_events
    where workspace_id = ${tx.workspaceId} and rep_id = ${repId} and kind = 'commission_earned' and status = 'earned'
      and period = any(${periods}::text[]) and earned_on <= ${through}::date
    group by plan_id, rule_name, period`.execute(tx.db);
  return rows;
}

/** The currency of a deal; that of the workspace if the deal has none. */
function dealCurrency(workspaceCurrency: string): RawBuilder<string> {
  return sql`coalesce(d.currency, ${workspaceCurrency})`;
}

export interface ClosedDealRow {
  readonly dealId: string;
  readonly name: string | null;
  readonly amount: string | null;
  readonly currency: string | null;
  readonly stage: string | null;
  readonly closeDate: Day;
  readonly commission: string;
  /** What refunds took back; 0 or negative, and part of the commission. */
  readonly refunded: string;
  readonly commissionCurrency: string;
}

/** The number of the rep's deals that closed on the days. */
export async function countClosedDeals(tx: Transaction, repId: string, days: DayRange): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from deals d where ${isClosedOn(tx.workspaceId, repId, days)}`.execute(tx.db);
  return rows[0]?.count ?? 0;
}

function isClosedOn(workspaceId: string, repId: string, { from, to }: DayRange): RawBuilder<unknown> {
  return sql`d.workspace_id = ${workspaceId} and ${hasPartOf(workspaceId, sql`d`, [repId])}
    and d.is_closed and d.deleted_at is null
    and d.close_date between ${from}::date and ${to}::date`;
}

/**
 * The rep's deals that closed on the days, newest first, 100 from the offset on, each with the commission it paid the rep. The commission is
 * in the currency of the deal; if the deal has no currency and was paid in another, in that one. `offset 0` makes the planner look events up
 * by their deal: it would read all events of the rep for each deal.
 */
export async function listClosedDeals(
  tx: Transaction,
  repId: string,
  days: DayRange,
  workspaceCurrency: string,
  offset: number,
): Promise<ClosedDealRow[]> {
  const { rows } = await sql<ClosedDealRow>`
    select d.deal_id as "dealId", d.name, d.amount, d.currency, d.stage, d.close_date as "closeDate",
      coalesce(earned.commission, 0)::text as commission, coalesce(earned.refunded, 0)::text as refunded,
      coalesce(earned.currency, ${dealCurrency(workspaceCurrency)}) as "commissionCurrency"
    from (
      select * from deals d
      where ${isClosedOn(tx.workspaceId, repId, days)}
      order by d.close_date desc, d.deal_id desc
      limit 100 offset ${offset}
    ) d
    left join lateral (
      select e.currency, sum(e.amount) as commission,
        sum(e.amount) filter (where ${isRefundKeyColumn(sql`e.deal_key`)}) as refunded
      from unnest(${keysOfDeal(tx, sql`d.deal_id`)}) key (deal_key)
      cross join lateral (
        select * from commission_events where workspace_id = ${tx.workspaceId} and deal_key = key.deal_key offset 0
      ) e
      where e.rep_id = ${repId} and e.status = 'earned' and e.phase is distinct from 'periodic'
      group by e.currency
      order by e.currency = ${dealCurrency(workspaceCurrency)} desc, e.currency
      limit 1
    ) earned on true
    order by d.close_date desc, d.deal_id desc`.execute(tx.db);
  return rows;
}

export interface PipelineRow {
  readonly currency: string;
  readonly deals: number;
  readonly total: string;
}

/** The open deals that the rep owns or has a line on, with their whole amounts, as lists and the forecast have them. */
export async function sumOpenPipeline(
  tx: Transaction,
  repId: string,
  workspaceCurrency: string,
): Promise<PipelineRow[]> {
  const { rows } = await sql<PipelineRow>`
    select ${dealCurrency(workspaceCurrency)} as currency, count(*)::int as deals, coalesce(sum(d.amount), 0)::text as total
    from deals d
    where d.workspace_id = ${tx.workspaceId} and ${hasPartOf(tx.workspaceId, sql`d`, [repId])}
      and not d.is_closed and d.deleted_at is null and not starts_with(d.deal_id, ${scoreIdStart})
    group by 1 order by 1`.execute(tx.db);
  return rows;
}

/** An event with the conditions and the rule that decode its trace. */
export interface TracedEventRow extends EventRow {
  readonly trace: string | null;
  readonly dealConditions: readonly Condition[] | null;
  readonly rule: Rule | null;
}

/** Every event of the deal, earned or reversed, of the given reps only. */
export async function listEventsOfDeal(
  tx: Transaction,
  dealId: string,
  repIds: readonly string[] | null,
): Promise<TracedEventRow[]> {
  return selectTracedEvents(
    tx,
    sql`e.workspace_id = ${tx.workspaceId} and e.deal_key = any(${keysOfDeal(tx, dealId)})
      and e.phase is distinct from 'periodic' ${within('e.rep_id', repIds)}`,
  );
}

/** What the people earned on the days, with the traces of the events that paid lines. */
export async function listEarnedEvents(
  tx: Transaction,
  { from, to }: DayRange,
  repIds: readonly string[],
): Promise<EventRow[]> {
  const { rows } = await sql<EventRow>`
    select ${eventColumns}, ${traceWithLines} as "lineTrace" from ${eventsTable(tx)} e ${withNames}
    where e.workspace_id = ${tx.workspaceId} and e.status = 'earned' and e.earned_on between ${from}::date and ${to}::date
      and e.rep_id = any(${repIds}::uuid[])
    order by e.rep_id, e.earned_on, e.deal_key, e.rule_name, e.event_id`.execute(tx.db);
  return rows;
}

/** The rep's event with the id, earned or reversed; null if there is none. */
export async function findTracedEvent(tx: Transaction, repId: string, eventId: string): Promise<TracedEventRow | null> {
  const isEvent = sql`e.workspace_id = ${tx.workspaceId} and e.rep_id = ${repId} and e.event_id = ${eventId}`;
  return (await selectTracedEvents(tx, isEvent))[0] ?? null;
}

/** The rep of the event; null if there is none. */
export async function findEventOwner(tx: Transaction, eventId: string): Promise<string | null> {
  const row = await tx.db
    .selectFrom('commission_events')
    .select('rep_id')
    .where('workspace_id', '=', tx.workspaceId)
    .where('event_id', '=', eventId)
    .executeTakeFirst();
  return row?.rep_id ?? null;
}

/** The rule that paid an event, in the plan version that paid it. */
export interface RuleOfEvent {
  readonly planVersionId: string;
  readonly version: number;
  readonly effectiveStart: Day | null;
  readonly effectiveEnd: Day | null;
  readonly definition: Rule;
}

/** Null for events that no rule paid. */
export async function findRuleOfEvent(tx: Transaction, eventId: string): Promise<RuleOfEvent | null> {
  const { rows } = await sql<RuleOfEvent>`
    select v.plan_version_id as "planVersionId", v.version, v.effective_start as "effectiveStart",
      v.effective_end as "effectiveEnd", pr.definition
    from commission_events e
    join plan_versions v on v.workspace_id = e.workspace_id and v.plan_version_id = e.plan_version_id
    join plan_rules pr on pr.workspace_id = e.workspace_id and pr.rule_id = e.rule_id
    where e.workspace_id = ${tx.workspaceId} and e.event_id = ${eventId}`.execute(tx.db);
  return rows[0] ?? null;
}

export const eventColumns = sql`
  e.event_id as "eventId", e.rep_id as "repId", coalesce(r.name, '') as "repName", e.deal_key as "dealKey",
  d.name as "dealName", e.plan_id as "planId", p.name as "planName", e.rule_id as "ruleId", e.rule_name as "ruleName",
  e.phase, e.kind, e.category, e.status, e.amount, e.base, e.tier_name as "tierName", e.credit, e.currency, e.period,
  e.earned_on as "earnedOn", e.reason, e.updated_at as "updatedAt"`;

/**
 * The rep, the deal and the plan of the events `e`. `offset 0` makes the planner look each deal up by its id: it has no
 * statistics of workspaces, and would read all deals of the workspace for each event.
 */
export const withNames = sql`
  left join reps r on r.workspace_id = e.workspace_id and r.rep_id = e.rep_id
  left join lateral (
    select name from deals where workspace_id = e.workspace_id and deal_id = ${dealOfKeyColumn(sql`e.deal_key`)} offset 0
  ) d on true
  left join plans p on p.workspace_id = e.workspace_id and p.plan_id = e.plan_id`;

async function selectTracedEvents(tx: Transaction, condition: RawBuilder<unknown>): Promise<TracedEventRow[]> {
  const { rows } = await sql<TracedEventRow>`
    select ${eventColumns}, e.trace, v.deal_conditions as "dealConditions", pr.definition as rule
    from ${eventsTable(tx)} e ${withNames}
    left join plan_versions v on v.workspace_id = e.workspace_id and v.plan_version_id = e.plan_version_id
    left join plan_rules pr on pr.workspace_id = e.workspace_id and pr.rule_id = e.rule_id
    where ${condition}
    order by e.earned_on, e.rule_name, lower(r.name), e.event_id`.execute(tx.db);
  return rows;
}

/** The distinct periods in the monthly totals, in no order. */
export async function listEventPeriods(tx: Transaction, repIds: readonly string[] | null): Promise<Period[]> {
  const { rows } = await sql<{ period: Period }>`
    select distinct unnest(periods) as period from rep_months
    where workspace_id = ${tx.workspaceId} ${within('rep_id', repIds)}`.execute(tx.db);
  return rows.map((row) => row.period);
}
