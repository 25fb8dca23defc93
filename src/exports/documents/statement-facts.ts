import { sql } from 'kysely';
import { findWorkspace, type WorkspaceRow } from '../../access/workspaces/workspace-views.js';
import { loadDealsOnStatements } from '../../deals/deal-names.js';
import { type QuotaRow } from '../../earnings/attainment.js';
import { listQuotas, sumEarnings } from '../../earnings/commission-views.js';
import { withRunningCredits } from '../../earnings/running-quotas.js';
import { type EffectiveTier, effectiveTiers } from '../../engine/compiled-plan.js';
import { countsMoney } from '../../engine/counts-money.js';
import { attainmentKey, type Rule } from '../../engine/plan-config.js';
import { addDays, type Day, type DayRange } from '../../kernel/day.js';
import { Decimal, sum } from '../../kernel/decimal.js';
import { type Period } from '../../kernel/period.js';
import { kindOfPeriod, type PeriodCalendar } from '../../kernel/period-calendar.js';
import { eventsTable, statementPeriodsTable } from '../../ledger/input/as-of.js';
import { loadCalendar } from '../../ledger/input/calendar.js';
import { dealOfKeyColumn } from '../../ledger/input/deal-keys.js';
import { readActorNames } from '../../people/reps/actor-names.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type Comment } from '../../statements/comments/comment.js';
import { listNewestComments } from '../../statements/comments/comment-views.js';
import { type LoadedPayslip, loadPayslip } from '../../statements/read-payslip.js';
import { type StatementContent, type StatementHead, type StatementKey } from '../../statements/statement.js';
import { readStatement } from '../../statements/statement-views.js';

/** The rule that explains a line, with its attainment key and the rep's effective tiers. */
export interface RuleTerms {
  readonly rule: Rule;
  readonly key: string;
  readonly tiers: readonly EffectiveTier[];
}

/** A reversed event of the period. It does not count. */
export interface ReversedLine {
  readonly dealId: string | null;
  readonly dealName: string | null;
  readonly ruleName: string | null;
  readonly kind: string;
  readonly amount: string;
  readonly currency: string;
  readonly earnedOn: Day;
  readonly reversedAt: Date;
  readonly trigger: string | null;
}

/** Files show the newest comments. */
const maxShownComments = 20;

/** The content of a rep's statement files. */
export interface StatementFacts {
  readonly workspace: WorkspaceRow;
  readonly rep: { readonly name: string; readonly email: string; readonly payrollId: string | null };
  readonly key: StatementKey;
  /** The days of the period. */
  readonly days: DayRange;
  readonly calendar: PeriodCalendar;
  readonly head: StatementHead | null;
  readonly content: StatementContent;
  /** What it pays; null in workspaces without payouts. */
  readonly pay: LoadedPayslip | null;
  /** The currency of the sums of other periods: that of the statement, or with payouts the first in which something is earned. */
  readonly earnedIn: string;
  /** The instant whose state the other fields show; null for the present state. */
  readonly asOf: Date | null;
  readonly rules: ReadonlyMap<string, RuleTerms>;
  readonly quotas: readonly QuotaRow[];
  /** The currency of what counts towards a quota, by plan and measure; none where no money counts. */
  readonly quotaCurrencies: ReadonlyMap<string, string>;
  readonly reversed: readonly ReversedLine[];
  readonly comments: readonly Comment[];
  /** Names of the authors of lines and approvals, by actor. */
  readonly people: ReadonlyMap<string, string>;
  /** What is earned on the days of the year, or fiscal year, before the period, in that currency. */
  readonly earlierThisYear: Decimal;
  /** Null for a year, and if no fiscal year comes before the period. */
  readonly previous: { readonly period: Period; readonly netPayout: string } | null;
}

/**
 * Null if the rep does not exist. In a transaction with `asOf`, the facts are those of that instant, without the quotas,
 * which have no history.
 */
export async function loadStatementFacts(
  tx: Transaction,
  repId: string,
  period: Period,
): Promise<StatementFacts | null> {
  const workspace = await findWorkspace(tx);
  const rep = await tx.db
    .selectFrom('reps')
    .select(['name', 'email', 'payroll_id as payrollId'])
    .where('workspace_id', '=', tx.workspaceId)
    .where('rep_id', '=', repId)
    .executeTakeFirst();
  if (rep === undefined) return null;
  const key = { repId, period };
  const calendar = await loadCalendar(tx);
  const days = calendar.range(period);
  const asOf = tx.asOf;
  const { head, content } = await readStatement(tx, key, workspace.currency);
  const pay = await loadPayslip(tx, key, head, content);
  const quotas =
    asOf === null ? await withRunningCredits(tx, await listQuotas(tx, period, [repId]), addDays(days.to, 1)) : [];
  const earnedIn = pay === null ? content.currency : (pay.headline.earned[0]?.currency ?? pay.headline.currency);
  return {
    workspace,
    rep,
    key,
    days,
    calendar,
    head,
    content,
    pay,
    earnedIn,
    asOf,
    rules: await loadRules(tx, key, content),
    quotas,
    quotaCurrencies: await loadQuotaCurrencies(
      tx,
      [...content.lines, ...quotas].flatMap(({ planId }) => planId ?? []),
      workspace.currency,
    ),
    reversed: await listReversed(tx, { repId, days }, content.generatedAt),
    comments: await listNewestComments(tx, key, { limit: maxShownComments }),
    people: await readActorNames(
      tx,
      content.lines.map(({ actor }) => actor),
    ),
    earlierThisYear: await sumEarlierThisYear(tx, key, calendar, earnedIn),
    previous: await findPreviousNetPayout(tx, key, calendar, earnedIn),
  };
}

async function loadRules(
  tx: Transaction,
  { repId }: StatementKey,
  { lines }: StatementContent,
): Promise<Map<string, RuleTerms>> {
  const ids = [...new Set(lines.flatMap((line) => line.ruleId ?? []))];
  const rows = await tx.db
    .selectFrom('plan_rules')
    .select(['rule_id as ruleId', 'definition'])
    .where('workspace_id', '=', tx.workspaceId)
    .where(sql<boolean>`rule_id = any(${ids}::uuid[])`)
    .execute();
  return new Map(
    rows.map(({ ruleId, definition }) => {
      const rule = definition as Rule;
      return [ruleId, { rule, key: attainmentKey(rule), tiers: effectiveTiers(rule, repId, []) }];
    }),
  );
}

/** By the newest version of each plan that has been active. */
async function loadQuotaCurrencies(
  tx: Transaction,
  planIds: readonly string[],
  ofWorkspace: string,
): Promise<Map<string, string>> {
  const { rows } = await sql<{ planId: string; measure: string; counted: string | null; currency: string | null }>`
    select distinct on (r.plan_id, r.attainment_key) r.plan_id as "planId", r.attainment_key as measure,
      r.definition ->> 'measure' as counted, v.currency
    from plan_rules r
    join plan_versions v on v.workspace_id = r.workspace_id and v.plan_version_id = r.plan_version_id
    where r.workspace_id = ${tx.workspaceId} and r.plan_id = any(${[...new Set(planIds)]}::uuid[]) and v.has_been_active
    order by r.plan_id, r.attainment_key, v.version desc, r.position`.execute(tx.db);
  return new Map(
    rows
      .filter(({ counted }) => countsMoney({ measure: counted ?? undefined }))
      .map(({ planId, measure, currency }) => [quotaKey({ planId, measure }), currency ?? ofWorkspace]),
  );
}

/** A measure of a plan. */
export function quotaKey({ planId, measure }: { readonly planId: string | null; readonly measure: string }): string {
  return `${planId}|${measure}`;
}

/** Events that were reversed before the statement was generated. Later reversals are not part of it. */
async function listReversed(
  tx: Transaction,
  { repId, days: { from, to } }: { readonly repId: string; readonly days: DayRange },
  until: Date | null,
): Promise<ReversedLine[]> {
  const { rows } = await sql<Omit<ReversedLine, 'dealName'>>`
    select case when e.phase = 'periodic' then null else ${dealOfKeyColumn(sql`e.deal_key`)} end as "dealId", e.rule_name as "ruleName", e.kind,
      e.amount, e.currency, e.earned_on as "earnedOn", e.updated_at as "reversedAt", a.trigger
    from ${eventsTable(tx)} e
    left join audit_runs a on a.workspace_id = e.workspace_id and a.run_id = e.run_id
    where e.workspace_id = ${tx.workspaceId} and e.rep_id = ${repId} and e.status = 'reversed' and e.amount <> 0
      and e.earned_on between ${from}::date and ${to}::date
      ${until === null ? sql`` : sql`and e.updated_at <= ${until}`}
    order by e.earned_on, e.deal_key collate "C" nulls last, e.rule_name collate "C", e.event_id`.execute(tx.db);
  const listed = rows.map((line) => ({ line, repId, dealId: line.dealId }));
  const find = await loadDealsOnStatements(tx, listed);
  return listed.map((deal) => ({ ...deal.line, dealName: find(deal).dealName }));
}

async function sumEarlierThisYear(
  tx: Transaction,
  { repId, period }: StatementKey,
  calendar: PeriodCalendar,
  currency: string,
): Promise<Decimal> {
  const { from } = calendar.range(period);
  const [year = ''] = period.split('-');
  const newYear = calendar.range(year).from;
  if (from === newYear) return Decimal.zero;
  return sumNetPayout(tx, repId, currency, { from: newYear, to: addDays(from, -1) });
}

/** The net payout of the previous period: from its statement, or from the ledger if none was generated. */
async function findPreviousNetPayout(
  tx: Transaction,
  key: StatementKey,
  calendar: PeriodCalendar,
  currency: string,
): Promise<StatementFacts['previous']> {
  const period = kindOfPeriod(key.period) === 'annual' ? null : calendar.findPrevious(key.period);
  if (period === null) return null;
  const { rows } = await sql<{ currency: string; netPayout: string }>`
    select s.currency, s.summary->>'netPayout' as "netPayout"
    from ${statementPeriodsTable(tx)} h
    join statements s on s.workspace_id = h.workspace_id and s.rep_id = h.rep_id and s.period = h.period
      and s.version = h.current_version
    where h.workspace_id = ${tx.workspaceId} and h.rep_id = ${key.repId} and h.period = ${period}`.execute(tx.db);
  const [row] = rows;
  if (row !== undefined && row.currency === currency) return { period, netPayout: row.netPayout };
  const earned = await sumNetPayout(tx, key.repId, currency, calendar.range(period));
  return { period, netPayout: earned.toString() };
}

async function sumNetPayout(tx: Transaction, repId: string, currency: string, days: DayRange): Promise<Decimal> {
  const rows = await sumEarnings(tx, days, [repId]);
  return sum(
    rows
      .filter((row) => row.currency === currency)
      .flatMap((row) => [row.commission, row.bonus, row.adjustments].map((text) => Decimal.of(text))),
  );
}
