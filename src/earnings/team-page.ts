import { type RawBuilder, sql } from 'kysely';
import { type DayRange } from '../kernel/day.js';
import { type Period } from '../kernel/period.js';
import { eventsTable, monthsTable, statementPeriodsTable } from '../ledger/input/as-of.js';
import { loadCalendar } from '../ledger/input/calendar.js';
import { earnedSums } from '../ledger/output/totals.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { hasTerms, isWholeMonths, within } from './commission-views.js';
import { type EarningsRow } from './earnings.js';

/** A page of the people of a period. */
export interface TeamPage {
  readonly limit: number;
  readonly offset: number;
  /** Only people whose statement of the period has this status. */
  readonly status?: 'none' | 'draft' | 'approved' | 'open' | 'missing' | undefined;
}

interface ListedPeople {
  /** The people to choose from; null for all. */
  readonly repIds: readonly string[] | null;
  /** Includes active people without a plan, a quota or an amount in the period. */
  readonly everyone: boolean;
  /** Includes people without a plan, a quota or earnings, by a condition on `reps r` and `statement_periods h`. */
  readonly others?: RawBuilder<boolean>;
}

export interface PeopleOfPage {
  /** By name. */
  readonly repIds: readonly string[];
  /** People on all pages. */
  readonly count: number;
  /** People on all pages and of every status, by the status of their statement. */
  readonly statuses: Readonly<Record<'none' | 'draft' | 'approved', number>>;
}

/** The people whom the team views of the period list, one page of them by name. */
export async function listTeamPage(
  tx: Transaction,
  period: Period,
  people: ListedPeople,
  { limit, offset, status }: TeamPage,
): Promise<PeopleOfPage> {
  const hasStatus = {
    ...{ none: sql`status = 'none'`, draft: sql`status = 'draft'`, approved: sql`status = 'approved'` },
    ...{ open: sql`status <> 'approved'`, missing: sql`not (status = 'approved' or covered)`, all: sql`true` },
  }[status ?? 'all'];
  // The left join returns the counts even if the page is empty.
  const { rows } = await sql<{ repId: string | null; count: number } & PeopleOfPage['statuses']>`
    with listed as materialized (${await listedPeople(tx, period, people)})
    select page.rep_id as "repId", counted.*
    from (
      select count(*) filter (where ${hasStatus})::int as count, count(*) filter (where status = 'none')::int as none,
        count(*) filter (where status = 'draft')::int as draft, count(*) filter (where status = 'approved')::int as approved
      from listed
    ) counted
    left join lateral (
      select rep_id, name from listed where ${hasStatus} order by lower(name), rep_id limit ${limit} offset ${offset}
    ) page on true
    order by lower(page.name), page.rep_id`.execute(tx.db);
  const { count = 0, none = 0, draft = 0, approved = 0 } = rows[0] ?? {};
  return { repIds: rows.flatMap(({ repId }) => repId ?? []), count, statuses: { none, draft, approved } };
}

/**
 * The people `r` whom the team views of the period `h` list, with the status of their statement, and whether another approved statement
 * pays days of the period.
 */
export async function listedPeople(
  tx: Transaction,
  period: Period,
  { repIds, everyone, others = sql`false` }: ListedPeople,
  further = { columns: sql``, joins: sql`` },
): Promise<RawBuilder<unknown>> {
  const calendar = await loadCalendar(tx);
  const days = calendar.range(period);
  const isExpected = everyone ? sql`r.active` : sql`r.active and ${hasTerms(calendar, days)}`;
  return sql`
    select r.rep_id, r.name, coalesce(h.status, 'none') as status, ${isCovered(tx, sql`r.rep_id`, period, days)} as covered ${further.columns}
    from reps r
    left join ${statementPeriodsTable(tx)} h
      on h.workspace_id = r.workspace_id and h.rep_id = r.rep_id and h.period = ${period}
    ${further.joins}
    where r.workspace_id = ${tx.workspaceId} ${within('r.rep_id', repIds)}
      and (${isExpected} or h.status = 'approved' or ${hasEarnings(tx, days)} or ${others})`;
}

/** Whether another approved statement of the rep pays some of the days of the period. */
export function isCovered(
  tx: Transaction,
  repId: RawBuilder<unknown>,
  period: Period,
  { from, to }: DayRange,
): RawBuilder<boolean> {
  return sql`${repId} in (
    select other.rep_id from ${statementPeriodsTable(tx)} other
    where other.workspace_id = ${tx.workspaceId} and other.status = 'approved' and other.period <> ${period}
      and other.from_day <= ${to}::date and other.to_day >= ${from}::date)`;
}

/** How many of the people have earned an amount other than 0 on the days. */
export async function countEarners(tx: Transaction, days: DayRange, repIds: readonly string[] | null): Promise<number> {
  const { from, to } = days;
  const sums = isWholeMonths(days)
    ? sql`select rep_id from ${monthsTable(tx)} m
        where workspace_id = ${tx.workspaceId} and month between ${from}::date and ${to}::date ${within('m.rep_id', repIds)}
        group by rep_id, currency having sum(commission + bonus + adjustments) <> 0`
    : sql`select rep_id from ${eventsTable(tx)} e
        where workspace_id = ${tx.workspaceId} and status = 'earned' and earned_on between ${from}::date and ${to}::date
          ${within('e.rep_id', repIds)}
        group by rep_id, currency having sum(amount) <> 0`;
  const { rows } = await sql<{ count: number }>`
    select count(distinct rep_id)::int as count from (${sums}) earner`.execute(tx.db);
  return rows[0]?.count ?? 0;
}

/** Whether the row of `reps r` has a row of earnings on the days, also one that adds up to 0. */
function hasEarnings(tx: Transaction, days: DayRange): RawBuilder<boolean> {
  const { from, to } = days;
  return isWholeMonths(days)
    ? sql`exists (select from ${monthsTable(tx)} m
        where m.workspace_id = r.workspace_id and m.rep_id = r.rep_id and m.month between ${from}::date and ${to}::date)`
    : sql`exists (select from ${eventsTable(tx)} e
        where e.workspace_id = r.workspace_id and e.rep_id = r.rep_id and e.status = 'earned'
          and e.earned_on between ${from}::date and ${to}::date)`;
}

/** Whether the current version of the period `h` of `reps r` states an amount other than 0. */
export const hasStatedAmounts = sql<boolean>`exists (
  select from statements s
  cross join lateral (
    select s.summary union all select other -> 'summary' from jsonb_array_elements(s.other_currencies) other
  ) stated (summary)
  cross join lateral jsonb_each_text(stated.summary) amount
  where s.workspace_id = h.workspace_id and s.rep_id = h.rep_id and s.period = h.period
    and s.version = h.current_version and amount.value::numeric <> 0)`;

/** Earnings on the days by currency, of all visible people together. */
export async function sumTeamEarnings(
  tx: Transaction,
  days: DayRange,
  repIds: readonly string[] | null,
  withoutVersionOf: Period | null = null,
): Promise<EarningsRow[]> {
  const { rows } = await sql<EarningsRow>`
    select currency, commission::text as commission, bonus::text as bonus, adjustments::text as adjustments
    from (${earningsBy(tx, sql`currency`, days, repIds, withoutVersionOf)}) earned`.execute(tx.db);
  return rows;
}

/**
 * The sums of earnings on the days by the columns. `withoutVersionOf`: only of people who have no version of a statement of
 * this period.
 */
export function earningsBy(
  tx: Transaction,
  columns: RawBuilder<unknown>,
  days: DayRange,
  repIds: readonly string[] | null,
  withoutVersionOf: Period | null,
): RawBuilder<unknown> {
  const { from, to } = days;
  const isUnstated = (row: string) =>
    withoutVersionOf === null
      ? sql``
      : sql`and not exists (select from ${statementPeriodsTable(tx)} h
          where h.workspace_id = ${tx.workspaceId} and h.rep_id = ${sql.ref(`${row}.rep_id`)}
            and h.period = ${withoutVersionOf} and h.current_version is not null)`;
  return isWholeMonths(days)
    ? sql`select ${columns}, sum(commission) as commission, sum(bonus) as bonus, sum(adjustments) as adjustments
      from ${monthsTable(tx)} m
      where workspace_id = ${tx.workspaceId} and month between ${from}::date and ${to}::date ${within('m.rep_id', repIds)}
        ${isUnstated('m')}
      group by ${columns}`
    : sql`select ${columns}, ${earnedSums.commission} as commission, ${earnedSums.bonus} as bonus,
        ${earnedSums.adjustments} as adjustments
      from ${eventsTable(tx)} e
      where workspace_id = ${tx.workspaceId} and status = 'earned' and earned_on between ${from}::date and ${to}::date
        ${within('e.rep_id', repIds)} ${isUnstated('e')}
      group by ${columns}`;
}
