import { sql } from 'kysely';
import { type Day, type DayRange } from '../kernel/day.js';
import { getOrInsert } from '../kernel/get-or-insert.js';
import { type Period, periodOf, periodRange } from '../kernel/period.js';
import { unnestRows } from '../platform/database/columns.js';
import { type Work } from '../platform/database/unit-of-work.js';
import { countedRows, earnedRows } from './counted-rows.js';

/** The rep whose totals are recomputed. */
export interface TotalsOf {
  readonly workspaceId: string;
  readonly repId: string;
  /** False if the rep has no trued-up rows; events then give the whole sum. */
  readonly hasTruedUp?: boolean;
}

export interface Counter {
  readonly planId: string;
  readonly attainmentKey: string;
  readonly period: string;
}

/** The counters and months of the changed rows. Nested maps avoid joining texts for every row. */
export class Footprint {
  private readonly plans = new Map<string, Map<string, Set<Period>>>();
  private readonly earnedOn = new Set<Day>();

  add({ planId, attainmentKey, period, earnedOn }: Counter & { readonly earnedOn: Day }): void {
    const keys = getOrInsert(this.plans, planId, () => new Map<string, Set<Period>>());
    getOrInsert(keys, attainmentKey, () => new Set<Period>()).add(period);
    this.earnedOn.add(earnedOn);
  }

  counters(): Counter[] {
    return [...this.plans].flatMap(([planId, keys]) =>
      [...keys].flatMap(([attainmentKey, periods]) =>
        [...periods].map((period) => ({ planId, attainmentKey, period })),
      ),
    );
  }

  months(): Period[] {
    return [...new Set([...this.earnedOn].map((day) => periodOf(day, 'monthly')))].sort();
  }

  days(): DayRange | null {
    const days = [...this.earnedOn].sort();
    const [from, to] = [days[0], days.at(-1)];
    return from === undefined || to === undefined ? null : { from, to };
  }
}

/** Recomputes the counters and months that the changed rows belong to. */
export async function refreshTotals(trx: Work, of: TotalsOf, footprint: Footprint): Promise<void> {
  await Promise.all([refreshQuotas(trx, of, footprint.counters()), refreshMonths(trx, of, footprint.months())]);
}

/**
 * Sets `quotas.current_value` to the credit of the counted rows under its key and period. It is recomputed, never
 * incremented.
 */
export async function refreshQuotas(
  trx: Work,
  { workspaceId, repId, hasTruedUp = true }: TotalsOf,
  counters: readonly Counter[],
): Promise<void> {
  if (counters.length === 0) return;
  const ranges = counters.map((counter) => periodRange(counter.period));
  const from = ranges.map((range) => range.from).sort()[0];
  const to = ranges
    .map((range) => range.to)
    .sort()
    .at(-1);
  const source = hasTruedUp ? countedRows(workspaceId) : earnedRows(workspaceId);
  await sql`
    with counters as (
      select * from ${unnestRows(counters, [
        ['plan_id', 'uuid', (counter) => counter.planId],
        ['attainment_key', 'text', (counter) => counter.attainmentKey],
        ['period', 'text', (counter) => counter.period],
      ])}
    ),
    credits as (
      select c.plan_id, c.attainment_key, c.period, sum(c.credit) as credit from ${source}
      where c.rep_id = ${repId} and c.earned_on between ${from} and ${to}
      group by plan_id, attainment_key, period
    )
    update quotas q set current_value = coalesce(c.credit, 0), updated_at = now()
    from counters left join credits c using (plan_id, attainment_key, period)
    where q.workspace_id = ${workspaceId} and q.rep_id = ${repId} and q.plan_id = counters.plan_id
      and q.attainment_key = counters.attainment_key and q.period = counters.period
      and q.current_value is distinct from coalesce(c.credit, 0)`.execute(trx);
}

/** Recomputes the rep's monthly totals, from which statements, dashboards and overviews are summed. */
export async function refreshMonths(
  trx: Work,
  { workspaceId, repId }: TotalsOf,
  months: readonly string[],
): Promise<void> {
  if (months.length === 0) return;
  const firstDays = months.map((month) => `${month}-01`).sort();
  const last = periodRange(firstDays.at(-1)?.slice(0, 7) as Period).to;
  const affectedMonths = sql`(${sql.join(firstDays)})`;
  await Promise.all([
    sql`
      delete from rep_months where workspace_id = ${workspaceId} and rep_id = ${repId}
        and month in ${affectedMonths}`.execute(trx),
    sql`
      ${insertMonths}
      where workspace_id = ${workspaceId} and rep_id = ${repId} and status = 'earned'
        and earned_on between ${firstDays[0]}::date and ${last}::date
        and date_trunc('month', earned_on)::date in ${affectedMonths}
      group by workspace_id, rep_id, 3, currency`.execute(trx),
  ]);
}

/** The sums in `rep_months` over the events that the following condition selects. */
export const insertMonths = sql`
  insert into rep_months (workspace_id, rep_id, month, currency, commission, bonus, adjustments, deals, periods)
  select workspace_id, rep_id, date_trunc('month', earned_on)::date, currency,
    coalesce(sum(amount) filter (where category = 'commission'), 0),
    coalesce(sum(amount) filter (where category = 'bonus'), 0),
    coalesce(sum(amount) filter (where category = 'adjustment'), 0),
    count(distinct deal_key) filter (where phase = 'per_deal'), array_agg(distinct period)
  from commission_events`;
