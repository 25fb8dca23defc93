import { type RawBuilder, sql } from 'kysely';
import { paidWithoutPolicy } from '../deals/refunds/refund-views.js';
import { within } from '../earnings/commission-views.js';
import { minorUnits } from '../kernel/currency.js';
import { type Day, type DayRange } from '../kernel/day.js';
import { hasPartOf, isExpectedToPay } from '../ledger/input/deals-of-rep.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type ExceptionReason } from './exceptions.js';

/**
 * The reps to calculate, in the order of their ids: those with a deal that closed on the days, and every rep who manages
 * or managed others and has a plan with a rule of deals of the team.
 */
export async function listRepsToExplain(
  tx: Transaction,
  { from, to }: DayRange,
  repIds: readonly string[] | null,
  after: string | null = null,
): Promise<string[]> {
  const { rows } = await sql<{ repId: string }>`
    select r.rep_id as "repId" from reps r
    where r.workspace_id = ${tx.workspaceId}
      ${after === null ? sql`` : sql`and r.rep_id > ${after}::uuid`}
      ${within('r.rep_id', repIds)}
      and (r.rep_id in (
        select d.rep_id from deals d
        where d.workspace_id = ${tx.workspaceId} and d.close_date between ${from}::date and ${to}::date
          and d.rep_id is not null and d.deleted_at is null
        union all
        select p.rep_id from deal_participations p
        where p.workspace_id = ${tx.workspaceId} and p.close_date between ${from}::date and ${to}::date
      ) or r.rep_id in (select l.manager_id from reporting_lines l where l.workspace_id = ${tx.workspaceId})
        and exists (
          select from assignments s
          join plan_rules rule on rule.workspace_id = s.workspace_id and rule.plan_id = s.plan_id and rule.phase = 'cascade'
          where s.workspace_id = r.workspace_id and s.rep_id = r.rep_id))
    order by r.rep_id`.execute(tx.db);
  return rows.map((row) => row.repId);
}

/** The ids of the reps' deals that closed in the days and should pay. */
export async function listExpectedDeals(
  tx: Transaction,
  { from, to }: DayRange,
  repIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ dealId: string }>`
    select d.deal_id as "dealId" from deals d
    where d.workspace_id = ${tx.workspaceId} and d.close_date between ${from}::date and ${to}::date
      and ${isExpectedToPay} and ${hasPartOf(tx.workspaceId, sql`d`, repIds)}`.execute(tx.db);
  return new Set(rows.map((row) => row.dealId));
}

interface DealRow {
  readonly dealId: string;
  readonly name: string | null;
  readonly stage: string | null;
  readonly closeDate: Day | null;
  readonly amount: number | null;
  readonly currency: string | null;
  readonly repId: string | null;
}

const dealColumns = sql`d.deal_id as "dealId", d.name, d.stage, d.close_date as "closeDate", d.amount::float8 as amount,
  d.currency, d.rep_id as "repId"`;

/** Deals that no calculation reads: their number, their sums, and the largest of them. */
export interface UnreadDeals {
  readonly count: number;
  /** An amount without a currency is in that of the workspace. */
  readonly totals: readonly { readonly currency: string; readonly amount: string }[];
  readonly largest: readonly DealRow[];
}

/** Which of the deals are meant. */
export interface ListedDeals {
  /** How many of them are named. */
  readonly limit: number;
  /** How many larger ones are left out. */
  readonly skip: number;
  /** Those that an admin accepted as expected, or the others. */
  readonly accepted: boolean;
}

const hasNoSplit = sql`(d.credits is null or not d.credits @? '$.lines[*] ? (@.kind == "split")')`;

/** Whether one of the people has a part of the deal `d`; null for every deal. */
function belongsTo(tx: Transaction, repIds: readonly string[] | null): RawBuilder<unknown> {
  return repIds === null ? sql`true` : hasPartOf(tx.workspaceId, sql`d`, repIds);
}

function closedIn({ from, to }: DayRange): RawBuilder<unknown> {
  return sql`d.close_date between ${from}::date and ${to}::date`;
}

/** The refunds `f` of the deal `d` in the days. */
function refundsIn({ from, to }: DayRange): RawBuilder<unknown> {
  return sql`f.workspace_id = d.workspace_id and f.deal_id = d.deal_id and f.day between ${from}::date and ${to}::date`;
}

/** Deals that should pay, closed in the days, without an owner and without split lines. */
export function findUnownedDeals(tx: Transaction, days: DayRange, list: ListedDeals): Promise<UnreadDeals> {
  return summarize(
    tx,
    'owner_unresolved',
    sql`${closedIn(days)} and d.rep_id is null and ${isExpectedToPay} and ${hasNoSplit}`,
    list,
  );
}

/** Deals closed in the days whose credit rules give more than the whole deal. */
export function findExceedingDeals(
  tx: Transaction,
  days: DayRange,
  repIds: readonly string[] | null,
  list: ListedDeals,
): Promise<UnreadDeals> {
  const exceeds = sql`${closedIn(days)} and d.credits ? 'exceeding' and d.deleted_at is null and ${belongsTo(tx, repIds)}`;
  return summarize(tx, 'split_rules_exceed_100', exceeds, list);
}

/** Deals that were refunded in the days, and have paid by rules of which none has a clawback policy. */
export function findRefundsWithoutPolicy(
  tx: Transaction,
  days: DayRange,
  repIds: readonly string[] | null,
  list: ListedDeals,
): Promise<UnreadDeals> {
  const isRefunded = sql`exists (select from deal_refunds f where ${refundsIn(days)})`;
  const condition = sql`${isRefunded} and ${paidWithoutPolicy(sql`d`)} and ${belongsTo(tx, repIds)}`;
  return summarize(tx, 'refund_without_policy', condition, list);
}

/** The counted lines `l` of the deal `d`. */
const countedLines = sql`deal_lines l where l.workspace_id = d.workspace_id and l.deal_id = d.deal_id and l.source = (
  select min(o.source) from deal_lines o where o.workspace_id = l.workspace_id and o.deal_id = l.deal_id)`;

/** Deals closed in the days whose lines are all in the currency of the deal and do not add up to its amount. */
export function findDealsWithOtherLines(
  tx: Transaction,
  days: DayRange,
  repIds: readonly string[] | null,
  list: ListedDeals,
): Promise<UnreadDeals> {
  const currency = sql`coalesce(d.currency, (select w.currency from workspaces w where w.workspace_id = d.workspace_id))`;
  const digits = sql`coalesce((${JSON.stringify(minorUnits)}::jsonb ->> ${currency})::int, 2)`;
  const hasLines = sql`d.deal_id in (select x.deal_id from deal_lines x where x.workspace_id = ${tx.workspaceId})`;
  const differs = sql`exists (
    select from ${countedLines}
    having bool_and(coalesce(l.content ->> 'currency', ${currency}) = ${currency})
      and round(coalesce(sum((l.content ->> 'amount')::numeric), 0), ${digits}) <> round(d.amount, ${digits}))`;
  return summarize(
    tx,
    'lines_differ',
    sql`${closedIn(days)} and d.amount is not null and d.deleted_at is null and ${hasLines} and ${differs} and ${belongsTo(tx, repIds)}`,
    list,
  );
}

/** Deals with a refund in the days that names a line which the deal does not have, or whose amount is not positive. */
export function findRefundsWithoutLine(
  tx: Transaction,
  days: DayRange,
  repIds: readonly string[] | null,
  list: ListedDeals,
): Promise<UnreadDeals> {
  const isMissing = sql`exists (
    select from deal_refunds f cross join lateral jsonb_array_elements(f.lines) named
    where ${refundsIn(days)}
      and not exists (select from ${countedLines}
        and l.content ->> 'lineId' = named ->> 'lineId' and (l.content ->> 'amount')::numeric > 0))`;
  return summarize(
    tx,
    'refund_line_missing',
    sql`d.deleted_at is null and ${isMissing} and ${belongsTo(tx, repIds)}`,
    list,
  );
}

/** Deals that should pay but have no close date, so that they belong to no period. */
export function findUndatedDeals(
  tx: Transaction,
  repIds: readonly string[] | null,
  list: ListedDeals,
): Promise<UnreadDeals> {
  const isUndated = sql`d.close_date is null and ${isExpectedToPay} ${within('d.rep_id', repIds)}`;
  return summarize(tx, 'no_close_date', isUndated, list);
}

async function summarize(
  tx: Transaction,
  reason: ExceptionReason,
  condition: RawBuilder<unknown>,
  { limit, skip, accepted }: ListedDeals,
): Promise<UnreadDeals> {
  const isAccepted = sql`exists (select from accepted_exceptions a
    where a.workspace_id = d.workspace_id and a.deal_id = d.deal_id and a.reason = ${reason})`;
  const where = sql`d.workspace_id = ${tx.workspaceId} and ${condition} and ${isAccepted} = ${accepted}`;
  const { rows: sums } = await sql<{ currency: string; amount: string; count: number }>`
    select coalesce(d.currency, w.currency) as currency, coalesce(sum(d.amount), 0)::text as amount, count(*)::int as count
    from deals d join workspaces w on w.workspace_id = d.workspace_id
    where ${where}
    group by 1`.execute(tx.db);
  const { rows: largest } = await sql<DealRow>`
    select ${dealColumns} from deals d
    where ${where}
    order by abs(d.amount) desc nulls last, d.deal_id collate "C"
    limit ${limit} offset ${skip}`.execute(tx.db);
  return {
    count: sums.reduce((sum, { count }) => sum + count, 0),
    totals: sums.map(({ currency, amount }) => ({ currency, amount })),
    largest,
  };
}

/** The names of the reps and plans with the ids. */
export async function findNames(tx: Transaction, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const { rows } = await sql<{ id: string; name: string }>`
    select rep_id as id, name from reps where workspace_id = ${tx.workspaceId} and rep_id = any(${ids}::uuid[])
    union all
    select plan_id, name from plans where workspace_id = ${tx.workspaceId} and plan_id = any(${ids}::uuid[])`.execute(
    tx.db,
  );
  return new Map(rows.map((row) => [row.id, row.name]));
}
