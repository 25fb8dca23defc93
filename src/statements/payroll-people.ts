import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import { earningsBy, listedPeople } from '../earnings/team-page.js';
import { type Day } from '../kernel/day.js';
import { type Period } from '../kernel/period.js';
import { statementPeriodsTable } from '../ledger/input/as-of.js';
import { loadRange } from '../ledger/input/calendar.js';
import { paidAmounts } from '../pay/payables/unpaid.js';
import { lineJoin } from '../people/reps/rep-views.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { paysOf } from './payslip.js';
import { hasChangedPayrollId, payrollIdTables, sharesPayrollId } from './statement-views.js';
import {
  hasAmount,
  othersOnStatements,
  peopleWithoutPayrollId,
  readUnstated,
  type TeamMemberStatement,
} from './team-statements.js';

export interface PayrollOf {
  readonly currency: string;
  readonly today: Day;
  /** The people who are meant; null for everyone. */
  readonly repIds: readonly string[] | null;
}

/** People of whom the first are named. */
export const somePeople = z.object({
  count: z.int().describe('Number of people'),
  people: peopleWithoutPayrollId.describe('The first five of them by name'),
});
export type SomePeople = z.input<typeof somePeople>;

/**
 * Tables of a query about what payroll pays in the period, without reading each statement: `people` with their state, `amounts` by
 * person and currency, and in pay periods `stated` with the totals of each statement. What is payable so far to people without
 * a version is not stored: it is calculated for each of them.
 */
export async function payrollTables(
  tx: Transaction,
  period: Period,
  { currency, today, repIds }: PayrollOf,
  paysOut: boolean,
): Promise<RawBuilder<unknown>> {
  const people = await listedPeople(
    tx,
    period,
    { repIds, everyone: false, others: await othersOnStatements(tx, period) },
    {
      columns: sql`, r.email, l.manager_id, coalesce(a.has_amount, false) as has_amount, r.payroll_id is null as lacks_id,
        ${hasChangedPayrollId} as has_changed_id, ${sharesPayrollId} as shares_id`,
      joins: sql`${lineJoin(today)}
        left join (select rep_id, bool_or(has_amount) as has_amount from amounts group by rep_id) a on a.rep_id = r.rep_id`,
    },
  );
  const live = paysOut ? await listLive(tx, period, currency, repIds) : null;
  return sql`${payrollIdTables(tx)},
    versions as materialized (
      select s.rep_id, s.currency, s.summary, s.other_currencies, s.payable -> 'totals' as totals, s.payable -> 'pay' as pay,
        ${hasAmounts(sql`s.summary`)} or s.other_currencies <> '[]' and exists (
          select from jsonb_array_elements(s.other_currencies) other where ${hasAmounts(sql`(other -> 'summary')`)}
        ) as has_amount
      from ${statementPeriodsTable(tx)} h
      join statements s on s.workspace_id = h.workspace_id and s.rep_id = h.rep_id and s.period = h.period
        and s.version = h.current_version
      where h.workspace_id = ${tx.workspaceId} and h.period = ${period}
    ),
    live as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(live ?? [])}::jsonb)
        as live (rep_id uuid, totals jsonb, pay jsonb, amounts jsonb, has_amount boolean)
    ),
    stated as materialized (
      select rep_id, totals, pay from versions where totals is not null
      union all select rep_id, totals, pay from live where totals is not null
    ),
    amounts (rep_id, currency, amount, has_amount) as materialized (
      select rep_id, currency, case when totals is null then (summary ->> 'netPayout')::numeric end, has_amount from versions
      union all
      select v.rep_id, other ->> 'currency', (other -> 'summary' ->> 'netPayout')::numeric, v.has_amount
      from versions v, jsonb_array_elements(v.other_currencies) other where v.totals is null and v.other_currencies <> '[]'
      union all
      select v.rep_id, paid.currency, paid.amount, v.has_amount
      from versions v cross join lateral (${paidAmounts(sql`v.totals`, sql`v.pay`)}) paid where v.totals is not null
      union all
      ${
        live === null
          ? sql`select rep_id, currency, commission + bonus + adjustments, commission <> 0 or bonus <> 0 or adjustments <> 0
            from (${earningsBy(tx, sql`rep_id, currency`, await loadRange(tx, period), repIds, period)}) earned`
          : sql`select rep_id, a ->> 'currency', (a ->> 'amount')::numeric, has_amount
            from live, jsonb_array_elements(amounts) a`
      }
    ),
    people as materialized (
      select *, case when status = 'approved' then 'approved' when covered then 'covered' else 'missing' end as state
      from (${people}) person
    )`;
}

async function listLive(
  tx: Transaction,
  period: Period,
  currency: string,
  repIds: readonly string[] | null,
): Promise<unknown[]> {
  return (await readUnstated(tx, period, currency, { repIds, everyone: false })).map(toLive);
}

function toLive(member: TeamMemberStatement) {
  const { repId, main, others, payTotals: totals, pay } = member;
  const paid =
    totals === null
      ? [main, ...others].map((earned) => ({ currency: earned.currency, amount: earned.summary.netPayout }))
      : paysOf(totals, pay).map((each) => ({ currency: each.currency, amount: each.amount?.toString() ?? null }));
  const amounts = paid.length === 0 ? [{ currency: main.currency, amount: '0' }] : paid;
  return { rep_id: repId, totals, pay, amounts, has_amount: hasAmount(member) };
}

function hasAmounts(summary: RawBuilder<unknown>): RawBuilder<boolean> {
  const amounts = ['netPayout', 'totalCommission', 'totalBonuses', 'totalAdjustments', 'payable'];
  return sql`(${sql.join(
    amounts.map((name) => sql`coalesce((${summary} ->> ${sql.lit(name)})::numeric, 0) <> 0`),
    sql` or `,
  )})`;
}

/** The rows as a list. */
export function rowsOf(query: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(select coalesce(jsonb_agg(to_jsonb(found)), '[]') from (${query}) found)`;
}

const namedPeople = 5;

/** How many approved people with an amount fulfil the condition, and who the first of them are by name. */
export function someOf(condition: RawBuilder<unknown>): RawBuilder<unknown> {
  const meant = sql`from people where state = 'approved' and has_amount and ${condition}`;
  return sql`jsonb_build_object('count', (select count(*) ${meant}), 'people', (
    select coalesce(
      jsonb_agg(jsonb_build_object('repId', rep_id, 'name', name, 'email', email) order by lower(name), rep_id), '[]')
    from (select * ${meant} order by lower(name), rep_id limit ${namedPeople}) first))`;
}
