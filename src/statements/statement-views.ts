import { type RawBuilder, sql } from 'kysely';
import { hasTerms, sumEarnings } from '../earnings/commission-views.js';
import { type Clock } from '../kernel/clock.js';
import { currentDay, type Day, type DayRange, dayInZone, isWithin } from '../kernel/day.js';
import { Decimal, sum } from '../kernel/decimal.js';
import { groupBy } from '../kernel/group-by.js';
import { type Period, toPeriod } from '../kernel/period.js';
import { statementPeriodsTable } from '../ledger/input/as-of.js';
import { loadCalendar, loadRange } from '../ledger/input/calendar.js';
import { calendarOf, type FrozenPeriod, loadFrozen, loadWorkspaceTerms } from '../ledger/input/rep-terms.js';
import { hasOpenPay } from '../pay/payables/open-pay.js';
import { type StoredPay, type StoredTotals } from '../pay/payables/stored-payable.js';
import { toAuthor } from '../people/reps/author.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { readSnapshot } from './read-snapshots.js';
import { type CurrencySummary, type StatementLine, type Summary } from './snapshot.js';
import {
  type Approver,
  type Check,
  type StatementContent,
  type StatementHead,
  type StatementKey,
  statementLocked,
} from './statement.js';

/** The state of the rep's period. Null if no statement was ever generated for it. */
export async function findHead(tx: Transaction, key: StatementKey): Promise<StatementHead | null> {
  const { rows } = await sql<StatementHead>`
    select period, status, current_version as version,
      approved_at as "approvedAt", approver as "approvedBy", approved_total as "approvedTotal", currency
    from ${statementPeriodsTable(tx)} h
    where workspace_id = ${tx.workspaceId} and rep_id = ${key.repId} and period = ${key.period}`.execute(tx.db);
  return rows[0] ?? null;
}

/** Selects the reps whose period is approved. */
export async function approvedAmong(
  tx: Transaction,
  { period }: Omit<StatementKey, 'repId'>,
  repIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ repId: string }>`
    select rep_id as "repId" from statement_periods
    where workspace_id = ${tx.workspaceId} and period = ${period} and status = 'approved'
      and rep_id = any(${repIds}::uuid[])`.execute(tx.db);
  return new Set(rows.map(({ repId }) => repId));
}

export interface StoredStatement extends StatementContent {
  readonly statementId: string;
  readonly contentHash: string;
}

export async function findVersion(
  tx: Transaction,
  key: StatementKey,
  version: number,
): Promise<StoredStatement | null> {
  const row = await tx.db
    .selectFrom('statements')
    .selectAll()
    .where('workspace_id', '=', tx.workspaceId)
    .where('rep_id', '=', key.repId)
    .where('period', '=', key.period)
    .where('version', '=', version)
    .executeTakeFirst();
  if (row === undefined) return null;
  return {
    statementId: row.statement_id,
    version: row.version,
    currency: row.currency,
    summary: row.summary as Summary,
    otherCurrencies: row.other_currencies as StatementContent['otherCurrencies'],
    dealCount: row.deal_count,
    lines: row.line_items as StatementLine[],
    ...(row.payable === null ? {} : { payable: row.payable }),
    generatedAt: row.generated_at,
    contentHash: row.content_hash,
  };
}

/** The latest version with the content; null if there is none. */
export async function findVersionWithContent(
  tx: Transaction,
  key: StatementKey,
  contentHash: string,
): Promise<StoredStatement | null> {
  const row = await tx.db
    .selectFrom('statements')
    .select('version')
    .where('workspace_id', '=', tx.workspaceId)
    .where('rep_id', '=', key.repId)
    .where('period', '=', key.period)
    .where('content_hash', '=', contentHash)
    .orderBy('version', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row === undefined ? null : findVersion(tx, key, row.version);
}

/** The state of the rep's period with its latest version. Null if no statement was ever generated for it. */
export async function findLatest(
  tx: Transaction,
  key: StatementKey,
): Promise<{ readonly head: StatementHead; readonly latest: StoredStatement } | null> {
  const head = await findHead(tx, key);
  const latest = head === null ? null : await findVersion(tx, key, head.version);
  return head === null || latest === null ? null : { head, latest };
}

/** The latest version, or the current ledger if no version was generated. */
export async function readStatement(
  tx: Transaction,
  key: StatementKey,
  currency: string,
): Promise<{ readonly head: StatementHead | null; readonly content: StatementContent }> {
  const stored = await findLatest(tx, key);
  if (stored !== null) return { head: stored.head, content: stored.latest };
  return { head: null, content: await readLedger(tx, key, currency) };
}

/** The totals of the latest version, or of the current ledger if no version was generated, without any line. */
export async function readStatementTotals(
  tx: Transaction,
  key: StatementKey,
  currency: string,
): Promise<
  Pick<StatementListRow, 'version' | 'netPayout' | 'currency'> & { readonly status: 'none' | 'draft' | 'approved' }
> {
  const { repId, period } = key;
  const { rows } = await sql<Pick<StatementListRow, 'status' | 'version' | 'netPayout' | 'currency'>>`
    select h.status, s.version, s.summary->>'netPayout' as "netPayout", s.currency
    from statement_periods h
    join statements s on s.workspace_id = h.workspace_id and s.rep_id = h.rep_id and s.period = h.period
      and s.version = h.current_version
    where h.workspace_id = ${tx.workspaceId} and h.rep_id = ${repId} and h.period = ${period}`.execute(tx.db);
  const earned = await sumEarnings(tx, await loadRange(tx, period), [repId]);
  const amounts = earned
    .filter((row) => row.currency === currency)
    .flatMap(({ commission, bonus, adjustments }) => [commission, bonus, adjustments]);
  const netPayout = sum(amounts.map((amount) => Decimal.of(amount))).toString();
  return rows[0] ?? { status: 'none', version: 0, netPayout, currency };
}

/** The current ledger of the period in the form of a statement. */
export async function readLedger(tx: Transaction, key: StatementKey, currency: string): Promise<StatementContent> {
  const live = await readSnapshot(tx, key, currency);
  return { ...live, statementId: null, version: 0, generatedAt: null };
}

interface StatementListRow {
  readonly period: Period;
  /** First and last day of the period. */
  readonly days: DayRange;
  readonly status: 'draft' | 'approved';
  readonly version: number;
  readonly netPayout: string;
  /** Null in workspaces without payouts. */
  readonly payable: string | null;
  readonly summary: Summary;
  readonly otherCurrencies: readonly CurrencySummary[];
  readonly payTotals: readonly StoredTotals[] | null;
  readonly pay: StoredPay | null;
  readonly currency: string;
  readonly generatedAt: Date;
  readonly approvedAt: Date | null;
}

/** The latest version of every generated statement of the rep, the latest period first. */
export async function listStoredStatements(tx: Transaction, repId: string): Promise<StatementListRow[]> {
  const { rows } = await sql<StatementListRow>`
    select h.period, json_build_object('from', h.from_day, 'to', h.to_day) as days, h.status, s.version,
      s.summary->>'netPayout' as "netPayout", s.summary->>'payable' as payable, s.currency,
      s.summary, s.other_currencies as "otherCurrencies", s.payable -> 'totals' as "payTotals", s.payable -> 'pay' as pay,
      s.generated_at as "generatedAt", h.approved_at as "approvedAt"
    from statement_periods h
    join statements s on s.workspace_id = h.workspace_id and s.rep_id = h.rep_id and s.period = h.period
      and s.version = h.current_version
    where h.workspace_id = ${tx.workspaceId} and h.rep_id = ${repId}
    order by h.to_day desc, h.from_day`.execute(tx.db);
  return rows;
}

/** The checks of the statements of the period, by rep, the latest version first; of those reps where ids are given. */
export async function listChecks(
  tx: Transaction,
  period: Period,
  repIds: readonly string[] | null,
): Promise<ReadonlyMap<string, readonly Check[]>> {
  const { rows } = await sql<{
    repId: string;
    version: number;
    note: string | null;
    authorId: string | null;
    author: string | null;
    at: Date;
  }>`
    select c.rep_id as "repId", c.version, c.note, c.author_id as "authorId", a.name as author, c.checked_at as at
    from statement_checks c
    left join reps a on a.workspace_id = c.workspace_id and a.rep_id = c.author_id
    where c.workspace_id = ${tx.workspaceId} and c.period = ${period}
      and c.checked_at <= ${tx.until}::timestamptz
      ${repIds === null ? sql`` : sql`and c.rep_id = any(${repIds}::uuid[])`}
    order by c.rep_id, c.version desc`.execute(tx.db);
  const check = ({ version, note, authorId, author, at }: (typeof rows)[number]): Check => ({
    version,
    by: toAuthor(authorId, author),
    note,
    at: at.toISOString(),
  });
  return new Map([...groupBy(rows, (row) => row.repId)].map(([repId, ofRep]) => [repId, ofRep.map(check)]));
}

/** Rejects a day that an approved statement covers. */
export async function assertDayIsOpen(tx: Transaction, repId: string, day: Day): Promise<void> {
  const frozen = await loadFrozen(tx, repId);
  const locked = frozen.find(({ range }) => isWithin(day, range));
  if (locked !== undefined) throw statementLocked(locked.period);
}

/** Lists the rep's approved periods, earliest first. */
export async function listFrozenPeriods(tx: Transaction, repId: string): Promise<FrozenPeriod[]> {
  const periods = await loadFrozen(tx, repId);
  return [...periods].sort((a, b) => (a.range.from < b.range.from ? -1 : 1));
}

export interface TeamStatementRow {
  readonly repId: string;
  readonly name: string;
  readonly email: string;
  readonly payrollId: string | null;
  /** When the id was last set or changed, if that was after the approval or after the last hand-over; otherwise null. */
  readonly payrollIdChangedAt: Date | null;
  /** Whether another person has the same id. Only ids from before they had to be unique, which have no `payroll_key`, can be shared. */
  readonly sharesPayrollId: boolean;
  readonly active: boolean;
  /** Whether a plan is assigned on a day of the period, or a quota touches it. */
  readonly hasTerms: boolean;
  /** Whether a person who is not expected for other reasons is listed until everything is paid. */
  readonly hasOpenPay: boolean;
  readonly status: 'none' | 'draft' | 'approved';
  readonly approvedAt: Date | null;
  readonly approvedBy: Approver | null;
  /** Null if no version was generated. */
  readonly version: number | null;
  readonly statementId: string | null;
  readonly currency: string | null;
  readonly summary: Summary | null;
  readonly otherCurrencies: StatementContent['otherCurrencies'] | null;
  /** What the version pays; null if it is no statement of a pay period. */
  readonly payTotals: readonly StoredTotals[] | null;
  /** Null for people who are paid in the currency in which they earn. */
  readonly pay: StoredPay | null;
  readonly generatedAt: Date | null;
  readonly contentHash: string | null;
  /** Whether calculation requests of the rep exist. */
  readonly pending: boolean;
}

const isPending = sql`exists (
  select from calculation_requests q where q.workspace_id = r.workspace_id and q.rep_id = r.rep_id)`;

/** What the conditions of payroll ids read. */
export function payrollIdTables(tx: Transaction): RawBuilder<unknown> {
  return sql`
    handed_over as (select max(created_at) as at from payroll_handovers where workspace_id = ${tx.workspaceId}),
    shared as (select payroll_key(payroll_id) as key from reps
      where workspace_id = ${tx.workspaceId} and payroll_id is not null and payroll_key is null)`;
}

/** Whether the id of reps `r` was set or changed after the approval of the period `h`, or after the last hand-over. */
export const hasChangedPayrollId = sql<boolean>`r.payroll_id_changed_at > least(h.approved_at, (select at from handed_over))`;

/** Whether reps `r` have the id of another person. Only ids from before they had to be unique have no key. */
export const sharesPayrollId = sql<boolean>`(
  r.payroll_id is not null and (r.payroll_key is null or r.payroll_key in (select key from shared)))`;

/** All reps, or those in `repIds`, by name, with the latest version of their statement of exactly this period. */
export async function listTeamStatements(
  tx: Transaction,
  period: Period,
  repIds: readonly string[] | null,
): Promise<TeamStatementRow[]> {
  const calendar = await loadCalendar(tx);
  const days = calendar.range(period);
  const isExpected = hasTerms(calendar, days);
  const { rows } = await sql<TeamStatementRow>`
    with ${payrollIdTables(tx)}
    select r.rep_id as "repId", r.name, r.email, r.payroll_id as "payrollId", r.active,
      case when ${hasChangedPayrollId} then r.payroll_id_changed_at end as "payrollIdChangedAt",
      ${sharesPayrollId} as "sharesPayrollId",
      ${isExpected} as "hasTerms", case when r.active and ${isExpected} then false else ${await hasOpenPay(tx, days)} end as "hasOpenPay",
      coalesce(h.status, 'none') as status, h.approved_at as "approvedAt", h.approver as "approvedBy", s.generated_at as "generatedAt", s.content_hash as "contentHash",
      ${tx.asOf === null ? isPending : sql`false`} as pending, s.version,
      s.statement_id as "statementId", s.currency, s.summary, s.other_currencies as "otherCurrencies",
      s.payable -> 'totals' as "payTotals", s.payable -> 'pay' as pay
    from reps r
    left join ${statementPeriodsTable(tx)} h on h.workspace_id = r.workspace_id and h.rep_id = r.rep_id and h.period = ${period}
    left join statements s on s.workspace_id = h.workspace_id and s.rep_id = h.rep_id and s.period = h.period
      and s.version = h.current_version
    where r.workspace_id = ${tx.workspaceId} ${repIds === null ? sql`` : sql`and r.rep_id = any(${repIds}::uuid[])`}
    order by lower(r.name), r.rep_id`.execute(tx.db);
  return rows;
}

/**
 * The requested period with its days, and the currency of the workspace. Without a requested period, it is the month of
 * today, or of the transaction's `asOf`, in the time zone of the workspace. Rejects a period of an unknown fiscal year.
 */
export async function resolvePeriod(
  tx: Transaction,
  requested: Period | undefined,
  clock: Clock,
): Promise<{ readonly period: Period; readonly days: DayRange; readonly currency: string }> {
  const workspace = await loadWorkspaceTerms(tx);
  const { currency, timeZone } = workspace;
  const today = tx.asOf === null ? currentDay(workspace, clock.now()) : dayInZone(tx.asOf, timeZone);
  const period = requested ?? toPeriod(today, 'monthly');
  return { period, days: calendarOf({ workspace }).range(period), currency };
}
