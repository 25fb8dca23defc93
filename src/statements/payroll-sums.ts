import { sql } from 'kysely';
import { type Period } from '../kernel/period.js';
import { isPayPeriod } from '../pay/payables/payout-settings.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { handedByPerson } from './handed-amounts.js';
import { type PayRun, payRunSums, payRunTables } from './pay-run.js';
import { type PayrollOf, payrollTables, rowsOf, type SomePeople, someOf } from './payroll-people.js';

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

export interface PayrollSums {
  /** Null outside of pay periods. */
  readonly run: PayRun | null;
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

/** What payroll pays in the period, by the manager of today. */
export async function sumPayroll(tx: Transaction, period: Period, of: PayrollOf): Promise<PayrollSums> {
  const paysOut = await isPayPeriod(tx, period);
  const tables = await payrollTables(tx, period, of, paysOut);
  const { rows } = await sql<PayrollSums>`
    with ${tables},
    files as (
      select period, scope, amounts, row_number() over (order by created_at, handover_id) as position
      from payroll_handovers where workspace_id = ${tx.workspaceId} and period = ${period}
    ), ${handedByPerson} ${paysOut ? sql`, ${payRunTables(tx, period)}` : sql``}
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
      ${someOf(sql`shares_id`)} as "sharedIds", ${paysOut ? payRunSums : sql`null`} as run`.execute(tx.db);
  return rows[0] as PayrollSums;
}
