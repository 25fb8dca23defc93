import { sql } from 'kysely';
import { z } from 'zod';
import { fields } from '../api/resource-fields.js';
import { type Day } from '../kernel/day.js';
import { Decimal, sum } from '../kernel/decimal.js';
import { groupBy } from '../kernel/group-by.js';
import { loadCalendar } from '../ledger/input/calendar.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type BookMonths } from './book-months.js';
import { keyOfEstimate } from './estimate.js';
import { loadEstimates } from './estimate-views.js';
import { listByPerson, listMissingRates } from './liability.js';
import { type MonthBooks } from './load-books.js';
import { type Month, previousMonth } from './month.js';
import { listPolicies } from './policy-views.js';

const blockingCodes = [
  'close_in_order',
  'month_not_over',
  'no_fiscal_period',
  'calculation_pending',
  'fx_rate_missing',
  'unassigned_lots',
  'policy_proposed',
] as const;
const warningCodes = [
  'open_discrepancies',
  'open_disputes',
  'statements_not_approved',
  'receivables',
  'receivables_of_leavers',
  'estimates_missing',
  'contracts_changed',
] as const;

const finding = <Code extends readonly [string, ...string[]]>(codes: Code) =>
  z
    .object({
      code: z.enum(codes).describe('What it is about'),
      count: z.int().describe('How many there are'),
      amounts: z
        .array(
          z
            .object({ currency: fields.currency, amount: z.number().describe('Sum in the currency') })
            .describe('The sum in one currency'),
        )
        .optional()
        .describe('Their sums by currency; absent for points without amounts'),
    })
    .describe('A point of the checklist');

export const checklist = z
  .object({
    blocking: z
      .array(finding(blockingCodes))
      .describe(
        'What stops the closing. close_in_order: months before are open; month_not_over: the last day has not passed; no_fiscal_period: the fiscal year of the month is not defined; calculation_pending: commission is being calculated; fx_rate_missing: days without an exchange rate; unassigned_lots: rows about which no policy decides; policy_proposed: policies that wait for an approval',
      ),
    warnings: z
      .array(finding(warningCodes))
      .describe(
        'What the closing stores. open_discrepancies: of periods until the month, with what they owe, or take back if it is negative; open_disputes: opened until the end of the month, with the amounts that people expect; statements_not_approved: drafts with an amount; receivables: people who owe; receivables_of_leavers: those of them who are not active any more; estimates_missing: of the month before, and not entered for this one; contracts_changed: deals whose contract was stated before the latest closing, and was changed after it',
      ),
  })
  .describe('What to look at before the month is closed');
export type Checklist = z.output<typeof checklist>;

/** What only the books themselves say. */
export interface BookFindings {
  readonly missingRates: number;
  /** Rows of the month about which no policy decides. */
  readonly unassigned: number;
  readonly receivables: readonly Receivable[];
}

/** What a person owes a company in a currency, as exact decimal text. */
interface Receivable {
  readonly repId: string;
  readonly currency: string;
  readonly amount: string;
}

/** Of books that are not computed yet. */
export const noFindings: BookFindings = { missingRates: 0, unassigned: 0, receivables: [] };

export function findInBooks(books: MonthBooks): BookFindings {
  const { lines, month, missingRates } = books;
  return {
    missingRates: listMissingRates(missingRates).length,
    unassigned: lines.filter((line) => line.account === 'unassigned' && line.month === month).length,
    receivables: listByPerson(books).flatMap(({ repId, currency, receivable }) =>
      repId === null || receivable.isZero() ? [] : [{ repId, currency, amount: receivable.toString() }],
    ),
  };
}

export async function loadChecklist(
  tx: Transaction,
  months: BookMonths,
  month: Month,
  findings: BookFindings,
  today: Day,
): Promise<Checklist> {
  const { to } = months.calendar.range(month);
  const counts = await countOpen(tx, to);
  const leavers = await findLeavers(tx, findings.receivables);
  return {
    blocking: [
      { code: 'close_in_order' as const, count: month > months.firstOpen ? 1 : 0 },
      { code: 'month_not_over' as const, count: today <= to ? 1 : 0 },
      { code: 'no_fiscal_period' as const, count: months.calendar.isDefined(month) ? 0 : 1 },
      { code: 'calculation_pending' as const, count: counts.pending },
      { code: 'fx_rate_missing' as const, count: findings.missingRates },
      { code: 'unassigned_lots' as const, count: findings.unassigned },
      { code: 'policy_proposed' as const, count: await countProposed(tx, month) },
    ].filter(({ count }) => count > 0),
    warnings: [
      { code: 'open_discrepancies' as const, count: counts.discrepancies, ...withAmounts(counts.discrepancyAmounts) },
      { code: 'open_disputes' as const, count: counts.disputes, ...withAmounts(counts.disputeAmounts) },
      { code: 'statements_not_approved' as const, count: counts.drafts },
      {
        code: 'receivables' as const,
        count: findings.receivables.length,
        ...withAmounts(sumByCurrency(findings.receivables)),
      },
      { code: 'receivables_of_leavers' as const, count: leavers.length, ...withAmounts(sumByCurrency(leavers)) },
      { code: 'estimates_missing' as const, count: await countMissingEstimates(tx, month, to) },
      { code: 'contracts_changed' as const, count: await countChangedContracts(tx, months) },
    ].filter(({ count }) => count > 0),
  };
}

async function countProposed(tx: Transaction, month: Month): Promise<number> {
  const policies = await listPolicies(tx, null);
  return policies.filter(({ status, from }) => status === 'proposed' && from <= month).length;
}

/** Estimates of the month before whose period has not ended, and which this month does not have. */
async function countMissingEstimates(tx: Transaction, month: Month, to: Day): Promise<number> {
  const all = await loadEstimates(tx, [previousMonth(month), month]);
  if (all.length === 0) return 0;
  const calendar = await loadCalendar(tx);
  const present = new Set(all.filter((each) => each.month === month).map(keyOfEstimate));
  return all.filter((each) => !present.has(keyOfEstimate(each)) && calendar.range(each.period).to > to).length;
}

/** Deals whose contract the latest closing has read, and which is another one now. */
async function countChangedContracts(tx: Transaction, { closed: [latest] }: BookMonths): Promise<number> {
  if (latest === undefined) return 0;
  const isOfContract = sql`workspace_id = ${tx.workspaceId} and kind = 'contract'`;
  const { rows } = await sql<{ count: number }>`
    select count(distinct deal_id)::int as count from accounting_facts
    where ${isOfContract} and changed_at > ${latest.closedAt}::timestamptz and deal_id in (
      select deal_id from accounting_facts
      where ${isOfContract} and changed_at <= ${latest.closedAt}::timestamptz)`.execute(tx.db);
  return rows[0]?.count ?? 0;
}

/** Those who are not active any more. */
async function findLeavers(tx: Transaction, receivables: readonly Receivable[]): Promise<readonly Receivable[]> {
  if (receivables.length === 0) return [];
  const rows = await tx.db
    .selectFrom('reps')
    .select('rep_id')
    .where('workspace_id', '=', tx.workspaceId)
    .where('rep_id', 'in', [...new Set(receivables.map(({ repId }) => repId))])
    .where('active', '=', false)
    .execute();
  const inactive = new Set(rows.map(({ rep_id }) => rep_id));
  return receivables.filter(({ repId }) => inactive.has(repId));
}

/** Sums by currency, as exact decimal texts. */
type Sums = Readonly<Record<string, string>>;

function sumByCurrency(receivables: readonly Receivable[]): Sums {
  const sums = [...groupBy(receivables, ({ currency }) => currency)].map(
    ([currency, own]) => [currency, sum(own.map(({ amount }) => Decimal.of(amount))).toString()] as const,
  );
  return Object.fromEntries(sums);
}

function withAmounts(sums: Sums): Pick<Checklist['warnings'][number], 'amounts'> {
  const amounts = Object.keys(sums)
    .sort()
    .map((currency) => ({ currency, amount: Number(sums[currency]) }));
  return amounts.length === 0 ? {} : { amounts };
}

type Counts = Record<'pending' | 'discrepancies' | 'disputes' | 'drafts', number> &
  Record<'discrepancyAmounts' | 'disputeAmounts', Sums>;

async function countOpen(tx: Transaction, to: Day): Promise<Counts> {
  const id = tx.workspaceId;
  const { rows } = await sql<Counts>`
    with discrepant as (
      select d.currency, count(*)::int as count, sum(d.delta)::text as amount from discrepancies d
      join statement_periods p on p.workspace_id = d.workspace_id and p.rep_id = d.rep_id and p.period = d.period
      where d.workspace_id = ${id} and d.status = 'open' and p.to_day <= ${to}::date
      group by d.currency),
    disputed as (
      select currency, count(*)::int as count, sum(expected_amount)::text as amount from disputes
      where workspace_id = ${id} and status in ('open', 'in_review') and opened_at < (${to}::date + 1)::timestamptz
      group by currency)
    select
      (select count(distinct rep_id)::int from calculation_requests
        where workspace_id = ${id} and from_day <= ${to}::date) as pending,
      (select coalesce(sum(count), 0)::int from discrepant) as discrepancies,
      (select coalesce(jsonb_object_agg(currency, amount), '{}') from discrepant) as "discrepancyAmounts",
      (select coalesce(sum(count), 0)::int from disputed) as disputes,
      (select coalesce(jsonb_object_agg(currency, amount) filter (where amount is not null), '{}') from disputed)
        as "disputeAmounts",
      (select count(*)::int from statement_periods p
        join statements s on s.workspace_id = p.workspace_id and s.rep_id = p.rep_id and s.period = p.period
          and s.version = p.current_version
        where p.workspace_id = ${id} and p.status = 'draft' and p.to_day <= ${to}::date and s.deal_count > 0) as drafts`.execute(
    tx.db,
  );
  return rows[0] as Counts;
}
