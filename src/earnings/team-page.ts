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
  readonly status?: 'none' | 'draft' | 'approved' | 'open' | undefined;
}

interface ListedPeople {
  /** The people to choose from; null for all. */
  readonly repIds: readonly string[] | null;
  /** Includes active people without a plan, a quota or an amount in the period. */
  readonly everyone: boolean;
  /** Includes people whose draft has amounts, even without a plan, a quota or earnings. */
  readonly withDrafts: boolean;
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
  { repIds, everyone, withDrafts }: ListedPeople,
  { limit, offset, status }: TeamPage,
): Promise<PeopleOfPage> {
  const calendar = await loadCalendar(tx);
  const days = calendar.range(period);
  const isExpected = everyone ? sql`r.active` : sql`r.active and ${hasTerms(calendar, days)}`;
  const hasStatus =
    status === undefined ? sql`` : status === 'open' ? sql`where status <> 'approved'` : sql`where status = ${status}`;
  // The left join returns the counts even if the page is empty.
  const { rows } = await sql<{ repId: string | null } & PeopleOfPage['statuses']>`
    with listed as materialized (
      select r.rep_id, r.name, coalesce(h.status, 'none') as status
      from reps r
      left join ${statementPeriodsTable(tx)} h
        on h.workspace_id = r.workspace_id and h.rep_id = r.rep_id and h.period = ${period}
      where r.workspace_id = ${tx.workspaceId} ${within('r.rep_id', repIds)}
        and (${isExpected} or h.status = 'approved' or ${hasEarnings(tx, days)}
          ${withDrafts ? sql`or ${hasStatedAmounts}` : sql``})
    )
    select page.rep_id as "repId", counted.*
    from (
      select count(*) filter (where status = 'none')::int as none, count(*) filter (where status = 'draft')::int as draft,
        count(*) filter (where status = 'approved')::int as approved
      from listed
    ) counted
    left join lateral (
      select rep_id, name from listed ${hasStatus} order by lower(name), rep_id limit ${limit} offset ${offset}
    ) page on true
    order by lower(page.name), page.rep_id`.execute(tx.db);
  const { none = 0, draft = 0, approved = 0 } = rows[0] ?? {};
  const statuses = { none, draft, approved };
  return {
    repIds: rows.flatMap(({ repId }) => repId ?? []),
    count: { ...statuses, open: none + draft, all: none + draft + approved }[status ?? 'all'],
    statuses,
  };
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

/**
 * Earnings on the days by currency, of all visible people together. `withoutVersionOf`: only of those
 * who have no version of a statement of this period.
 */
export async function sumTeamEarnings(
  tx: Transaction,
  days: DayRange,
  repIds: readonly string[] | null,
  withoutVersionOf: Period | null = null,
): Promise<EarningsRow[]> {
  const { from, to } = days;
  const isUnstated = (row: string) =>
    withoutVersionOf === null
      ? sql``
      : sql`and not exists (select from ${statementPeriodsTable(tx)} h
          where h.workspace_id = ${tx.workspaceId} and h.rep_id = ${sql.ref(`${row}.rep_id`)}
            and h.period = ${withoutVersionOf} and h.current_version is not null)`;
  const rows = isWholeMonths(days)
    ? sql`select currency, sum(commission)::text as commission, sum(bonus)::text as bonus,
        sum(adjustments)::text as adjustments
      from ${monthsTable(tx)} m
      where workspace_id = ${tx.workspaceId} and month between ${from}::date and ${to}::date ${within('m.rep_id', repIds)}
        ${isUnstated('m')}
      group by currency`
    : sql`select currency, ${earnedSums.commission}::text as commission, ${earnedSums.bonus}::text as bonus,
        ${earnedSums.adjustments}::text as adjustments
      from ${eventsTable(tx)} e
      where workspace_id = ${tx.workspaceId} and status = 'earned' and earned_on between ${from}::date and ${to}::date
        ${within('e.rep_id', repIds)} ${isUnstated('e')}
      group by currency`;
  return (await sql<EarningsRow>`${rows}`.execute(tx.db)).rows;
}
