import { type RawBuilder, sql } from 'kysely';
import { earningsBy, listedPeople } from '../earnings/team-page.js';
import { type Day } from '../kernel/day.js';
import { type Period } from '../kernel/period.js';
import { statementPeriodsTable } from '../ledger/input/as-of.js';
import { loadRange } from '../ledger/input/calendar.js';
import { isPayPeriod } from '../pay/payables/payout-settings.js';
import { lineJoin } from '../people/reps/rep-views.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { handedByPerson } from './handed-amounts.js';
import { paysOf } from './payslip.js';
import { hasChangedPayrollId, payrollIdTables, sharesPayrollId } from './statement-views.js';
import { hasAmount, readTeamStatements, type TeamMemberStatement } from './team-statements.js';

/** approved: payroll pays it; covered: another approved statement pays its days; missing: any other statement. */
type PayrollState = 'approved' | 'covered' | 'missing';

export interface AmountSum {
  readonly currency: string;
  /** Decimal text. */
  readonly amount: string;
}

interface OfTeam {
  /** Null for people without a manager. */
  readonly managerId: string | null;
  readonly state: PayrollState;
}

/** People of whom the first are named. */
interface SomePeople {
  readonly count: number;
  readonly people: readonly { readonly repId: string; readonly name: string; readonly email: string }[];
}

export interface PayrollSums {
  readonly isPayPeriod: boolean;
  readonly counts: readonly (OfTeam & {
    readonly managerName: string | null;
    readonly people: number;
    readonly withoutAmount: number;
  })[];
  readonly sums: readonly (OfTeam & AmountSum)[];
  /** What recorded files contain of approved statements. */
  readonly handedOver: readonly AmountSum[];
  /** Of approved people with an amount: those without a payroll id, with a changed one and with that of another person. */
  readonly withoutId: SomePeople;
  readonly changedIds: SomePeople;
  readonly sharedIds: SomePeople;
}

const namedPeople = 5;

/** What payroll pays in the period, by the manager of today, without reading each statement. */
export async function sumPayroll(
  tx: Transaction,
  period: Period,
  {
    currency,
    today,
    repIds,
  }: { readonly currency: string; readonly today: Day; readonly repIds: readonly string[] | null },
): Promise<PayrollSums> {
  const paysOut = await isPayPeriod(tx, period);
  const unstated = paysOut
    ? await payableAmounts(tx, period, currency, repIds)
    : sql`select rep_id, currency, commission + bonus + adjustments, commission <> 0 or bonus <> 0 or adjustments <> 0
        from (${earningsBy(tx, sql`rep_id, currency`, await loadRange(tx, period), repIds, period)}) earned`;
  const people = await listedPeople(
    tx,
    period,
    { repIds, everyone: false, withDrafts: true },
    {
      columns: sql`, r.email, l.manager_id, coalesce(a.has_amount, false) as has_amount, r.payroll_id is null as lacks_id,
        ${hasChangedPayrollId} as has_changed_id, ${sharesPayrollId} as shares_id`,
      joins: sql`${lineJoin(today)}
        left join (select rep_id, bool_or(has_amount) as has_amount from amounts group by rep_id) a on a.rep_id = r.rep_id`,
    },
  );
  const { rows } = await sql<Omit<PayrollSums, 'isPayPeriod'>>`
    with ${payrollIdTables(tx)},
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
    amounts (rep_id, currency, amount, has_amount) as materialized (
      select rep_id, currency, case when totals is null then (summary ->> 'netPayout')::numeric end, has_amount from versions
      union all
      select v.rep_id, other ->> 'currency', (other -> 'summary' ->> 'netPayout')::numeric, v.has_amount
      from versions v, jsonb_array_elements(v.other_currencies) other where v.totals is null and v.other_currencies <> '[]'
      union all
      select v.rep_id, total ->> 'currency', (total ->> 'payable')::numeric, v.has_amount
      from versions v, jsonb_array_elements(v.totals) total where v.pay is null
      union all
      select rep_id, pay ->> 'currency', (pay ->> 'amount')::numeric, has_amount from versions where pay is not null
      union all ${unstated}
    ),
    people as materialized (
      select *, case when status = 'approved' then 'approved' when covered then 'covered' else 'missing' end as state
      from (${people}) person
    ),
    files as (
      select period, scope, amounts, row_number() over (order by created_at, handover_id) as position
      from payroll_handovers where workspace_id = ${tx.workspaceId} and period = ${period}
    ), ${handedByPerson}
    select
      ${rowsOf(sql`
        select * from (
          select manager_id as "managerId", state, count(*)::int as people,
            count(*) filter (where not has_amount)::int as "withoutAmount",
            (select name from reps m where m.workspace_id = ${tx.workspaceId} and m.rep_id = manager_id) as "managerName"
          from people group by manager_id, state
        ) team order by lower("managerName"), "managerId"`)} as counts,
      ${rowsOf(sql`
        select manager_id as "managerId", state, currency, sum(amount)::text as amount
        from people join amounts using (rep_id) where amount is not null
        group by manager_id, state, currency order by currency`)} as sums,
      ${rowsOf(sql`
        select currency, sum(net)::text as amount from handed join people using (rep_id) where state = 'approved'
        group by currency order by currency`)} as "handedOver",
      ${someOf(sql`lacks_id`)} as "withoutId", ${someOf(sql`has_changed_id`)} as "changedIds",
      ${someOf(sql`shares_id`)} as "sharedIds"`.execute(tx.db);
  return { isPayPeriod: paysOut, ...(rows[0] as (typeof rows)[number]) };
}

/** What is payable so far to people without a version is not stored: it is calculated for each of them. */
async function payableAmounts(
  tx: Transaction,
  period: Period,
  currency: string,
  repIds: readonly string[] | null,
): Promise<RawBuilder<unknown>> {
  const members = await readTeamStatements(tx, period, currency, { repIds, everyone: false });
  const amounts = members.filter(({ status }) => status === 'none').flatMap(listPayable);
  return sql`select * from jsonb_to_recordset(${JSON.stringify(amounts)}::jsonb)
    as payable (rep_id uuid, currency text, amount numeric, has_amount boolean)`;
}

function listPayable(member: TeamMemberStatement) {
  const { repId, main, others, payTotals, pay } = member;
  const paid =
    payTotals === null
      ? [main, ...others].map((earned) => ({ currency: earned.currency, amount: earned.summary.netPayout }))
      : paysOf(payTotals, pay).map((each) => ({ currency: each.currency, amount: each.amount?.toString() ?? null }));
  const rows = paid.length === 0 ? [{ currency: main.currency, amount: '0' }] : paid;
  return rows.map((row) => ({ rep_id: repId, ...row, has_amount: hasAmount(member) }));
}

function hasAmounts(summary: RawBuilder<unknown>): RawBuilder<boolean> {
  const amounts = ['netPayout', 'totalCommission', 'totalBonuses', 'totalAdjustments', 'payable'];
  return sql`(${sql.join(
    amounts.map((name) => sql`coalesce((${summary} ->> ${sql.lit(name)})::numeric, 0) <> 0`),
    sql` or `,
  )})`;
}

function rowsOf(query: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(select coalesce(jsonb_agg(to_jsonb(found)), '[]') from (${query}) found)`;
}

/** How many approved people with an amount fulfil the condition, and who the first of them are by name. */
function someOf(condition: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(
    select jsonb_build_object('count', count(*), 'people', coalesce(jsonb_agg(
      jsonb_build_object('repId', rep_id, 'name', name, 'email', email) order by lower(name), rep_id)
      filter (where position <= ${namedPeople}), '[]'))
    from (
      select *, row_number() over (order by lower(name), rep_id) as position
      from people where state = 'approved' and has_amount and ${condition}
    ) found)`;
}
