import { type RawBuilder, sql } from 'kysely';
import { allDays, type DayRange } from '../../kernel/day.js';
import { type Decimal } from '../../kernel/decimal.js';
import { type Period, periodRange } from '../../kernel/period.js';
import { isFiscalPeriod } from '../../kernel/period-calendar.js';
import { inParallel } from '../../kernel/waiting.js';
import { unnestRows } from '../../platform/database/columns.js';
import { joinWrites } from '../../platform/database/joined-writes.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { withoutNestedLoops } from '../../platform/database/without-nested-loops.js';
import { countedRows, earnedRows } from '../input/counted-rows.js';
import { type AffectedTotals, type Counter, type RepCounter, type RepMonth } from './affected-totals.js';

/** The change of the totals of one month and currency by a run. */
export interface MonthChange {
  readonly repId: string;
  readonly month: Period;
  readonly currency: string;
  readonly commission: Decimal;
  readonly bonus: Decimal;
  readonly deals: number;
  readonly periods: readonly Period[];
}

/** Totals that follow from the run, so that the events before its window are not read. */
export interface KnownTotals {
  /** Returns the credit under a key, or null if only the events give it. */
  findCredit(counter: Counter): Decimal | null;
  /** Returns by how much the run changes the credit under a key, if the credit itself is not known. */
  findCreditChange(counter: Counter): Decimal | null;
  readonly months: readonly MonthChange[];
}

/**
 * Recomputes the counters and months that the changed rows belong to. `hasTruedUp` is false if no rep has trued-up
 * rows; events then give the whole sum.
 */
export async function refreshTotals(
  tx: Transaction,
  affected: readonly AffectedTotals[],
  hasTruedUp: boolean,
): Promise<void> {
  const counters = affected.flatMap((affectedTotals) => affectedTotals.counters());
  const months = affected.flatMap((affectedTotals) => affectedTotals.months());
  if (counters.length + months.length === 0) return;
  await withHashJoins(tx, counters.length + months.length, () =>
    inParallel(
      () => updateQuotas(tx, counters, hasTruedUp),
      () => replaceMonths(tx, months),
    ),
  );
}

/** So many given rows are found one by one as fast as by a hash join: those of one rep, mostly. */
const fewRows = 20;

/** Runs statements that join so many given rows. */
function withHashJoins<T>(tx: Transaction, rowCount: number, work: () => Promise<T>): Promise<T> {
  return rowCount <= fewRows ? work() : withoutNestedLoops(tx, work);
}

/** Writes totals that a run has computed. Counters that it does not contain are read from the events. */
export async function setTotals(
  tx: Transaction,
  lanes: readonly { readonly affectedTotals: AffectedTotals; readonly totals: KnownTotals }[],
  hasTruedUp: boolean,
): Promise<void> {
  const credits: (RepCounter & { readonly credit: Decimal })[] = [];
  const changes: typeof credits = [];
  const unknown: RepCounter[] = [];
  for (const { affectedTotals, totals } of lanes)
    for (const counter of affectedTotals.counters()) {
      const credit = totals.findCredit(counter);
      const change = totals.findCreditChange(counter);
      if (credit !== null) credits.push({ ...counter, credit });
      else if (change !== null) changes.push({ ...counter, credit: change });
      else unknown.push(counter);
    }
  const months = lanes.flatMap(({ totals }) => totals.months);
  const writes = [
    ...(credits.length === 0 ? [] : [creditUpdate(tx, credits, sql`input.credit`)]),
    ...(changes.length === 0 ? [] : [creditUpdate(tx, changes, sql`q.current_value + input.credit`)]),
    ...(months.length === 0 ? [] : [monthUpsert(tx, months)]),
  ];
  await inParallel(
    () => (writes.length === 0 ? null : joinWrites(writes).execute(tx.db)),
    () =>
      unknown.length === 0 ? null : withHashJoins(tx, unknown.length, () => updateQuotas(tx, unknown, hasTruedUp)),
  );
}

function creditUpdate(
  tx: Transaction,
  credits: readonly (RepCounter & { readonly credit: Decimal })[],
  value: RawBuilder<unknown>,
): RawBuilder<unknown> {
  return sql`
    update quotas q set current_value = ${value}, updated_at = now()
    from ${unnestRows(credits, [
      ['rep_id', 'uuid', ({ repId }) => repId],
      ['plan_id', 'uuid', ({ planId }) => planId],
      ['attainment_key', 'text', (counter) => counter.attainmentKey],
      ['period', 'text', ({ period }) => period],
      ['credit', 'numeric', ({ credit }) => credit.toString()],
    ])}
    where q.workspace_id = ${tx.workspaceId} and q.rep_id = input.rep_id and q.plan_id = input.plan_id
      and q.attainment_key = input.attainment_key and q.period = input.period
      and q.current_value <> ${value}`;
}

function monthUpsert(tx: Transaction, months: readonly MonthChange[]): RawBuilder<unknown> {
  return sql`
    insert into rep_months as m (workspace_id, rep_id, month, currency, commission, bonus, adjustments, deals, periods)
    select ${tx.workspaceId}::uuid, rep_id, month, currency, commission, bonus, 0, deals, string_to_array(periods, ' ')
    from ${unnestRows(months, [
      ['rep_id', 'uuid', ({ repId }) => repId],
      ['month', 'date', ({ month }) => periodRange(month).from],
      ['currency', 'text', ({ currency }) => currency],
      ['commission', 'numeric', ({ commission }) => commission.toString()],
      ['bonus', 'numeric', ({ bonus }) => bonus.toString()],
      ['deals', 'integer', ({ deals }) => deals],
      ['periods', 'text', ({ periods }) => periods.join(' ')],
    ])}
    on conflict (workspace_id, rep_id, month, currency) do update set
      commission = m.commission + excluded.commission, bonus = m.bonus + excluded.bonus, deals = m.deals + excluded.deals,
      periods = array(select distinct period from unnest(m.periods || excluded.periods) period order by period)`;
}

/**
 * Sets `quotas.current_value` to the credit of the counted rows under its key and period. It is recomputed, never
 * incremented.
 */
export async function refreshQuotas(tx: Transaction, counters: readonly RepCounter[]): Promise<void> {
  if (counters.length === 0) return;
  await withoutNestedLoops(tx, () => updateQuotas(tx, counters, true));
}

/** Recomputes monthly totals, from which statements, dashboards and overviews are summed. */
export async function refreshMonths(tx: Transaction, months: readonly RepMonth[]): Promise<void> {
  await withoutNestedLoops(tx, () => replaceMonths(tx, months));
}

async function updateQuotas(tx: Transaction, counters: readonly RepCounter[], hasTruedUp: boolean): Promise<void> {
  if (counters.length === 0) return;
  const source = hasTruedUp ? countedRows(tx.workspaceId) : earnedRows(tx.workspaceId);
  await sql`
    with counters as materialized (
      select * from ${unnestRows(counters, [
        ['rep_id', 'uuid', (counter) => counter.repId],
        ['plan_id', 'uuid', (counter) => counter.planId],
        ['attainment_key', 'text', (counter) => counter.attainmentKey],
        ['period', 'text', (counter) => counter.period],
      ])}
    ),
    credits as materialized (
      select input.rep_id, input.period, c.plan_id, c.attainment_key, c.credit
      from ${unnestRows(distinctPeriods(counters), [
        ['rep_id', 'uuid', ({ repId }) => repId],
        ['period', 'text', ({ period }) => period],
        ['from_day', 'date', ({ period }) => daysOf(period).from],
        ['to_day', 'date', ({ period }) => daysOf(period).to],
      ])} cross join lateral (
        select c.plan_id, c.attainment_key, sum(c.credit) as credit from ${source}
        where c.rep_id = input.rep_id and c.period = input.period
          and c.earned_on between input.from_day and input.to_day
        group by c.plan_id, c.attainment_key
        offset 0
      ) c
    )
    update quotas q set current_value = coalesce(c.credit, 0), updated_at = now()
    from counters left join credits c using (rep_id, plan_id, attainment_key, period)
    where q.workspace_id = ${tx.workspaceId} and q.rep_id = any(${distinctReps(counters)}::uuid[])
      and q.rep_id = counters.rep_id and q.plan_id = counters.plan_id
      and q.attainment_key = counters.attainment_key and q.period = counters.period
      and q.current_value is distinct from coalesce(c.credit, 0)`.execute(tx.db);
}

/** The days of the rows that count in the period. Rows that stayed when a fiscal year moved may lie on other days. */
function daysOf(period: Period): DayRange {
  return isFiscalPeriod(period) ? allDays : periodRange(period);
}

/** The different periods of each rep: their events are read once, whatever the number of keys. */
function distinctPeriods(counters: readonly RepCounter[]): RepCounter[] {
  return [...new Map(counters.map((counter) => [`${counter.repId}|${counter.period}`, counter])).values()];
}

function distinctReps(rows: readonly { readonly repId: string }[]): string[] {
  return [...new Set(rows.map((row) => row.repId))];
}

async function replaceMonths(tx: Transaction, months: readonly RepMonth[]): Promise<void> {
  if (months.length === 0) return;
  const monthRows = unnestRows(months, [
    ['rep_id', 'uuid', ({ repId }) => repId],
    ['from_day', 'date', ({ month }) => periodRange(month).from],
    ['to_day', 'date', ({ month }) => periodRange(month).to],
  ]);
  await inParallel(
    () =>
      sql`
      delete from rep_months m using ${monthRows}
      where m.workspace_id = ${tx.workspaceId} and m.rep_id = any(${distinctReps(months)}::uuid[])
        and m.rep_id = input.rep_id and m.month = input.from_day`.execute(tx.db),
    () =>
      sql`
      insert into rep_months (${monthColumns})
      select e.* from ${monthRows} cross join lateral (
        select ${monthSums} from commission_events
        where workspace_id = ${tx.workspaceId} and rep_id = input.rep_id and status = 'earned'
          and earned_on between input.from_day and input.to_day
        group by workspace_id, rep_id, 3, currency
        offset 0
      ) e`.execute(tx.db),
  );
}

export const monthColumns = sql`workspace_id, rep_id, month, currency, commission, bonus, adjustments, deals, periods`;

function sumOfCategory(category: string): RawBuilder<string> {
  return sql`coalesce(sum(amount) filter (where category = ${sql.lit(category)}), 0)`;
}

/** What a group of earned events pays by category, and the number of deals that it pays on. */
export const earnedSums = {
  commission: sumOfCategory('commission'),
  bonus: sumOfCategory('bonus'),
  adjustments: sumOfCategory('adjustment'),
  deals: sql<number>`count(distinct deal_key) filter (where phase = 'per_deal' and deal_key not like 'refund:%')`,
};

/** The values of {@link monthColumns}, grouped by the first four. */
export const monthSums = sql`workspace_id, rep_id, date_trunc('month', earned_on)::date, currency,
  ${earnedSums.commission}, ${earnedSums.bonus}, ${earnedSums.adjustments}, ${earnedSums.deals}, array_agg(distinct period)`;

/** Recomputes every monthly total of the workspace. */
export async function recountMonths(tx: Transaction): Promise<void> {
  await tx.db.deleteFrom('rep_months').where('workspace_id', '=', tx.workspaceId).execute();
  await sql`
    insert into rep_months (${monthColumns})
    select ${monthSums} from commission_events
    where workspace_id = ${tx.workspaceId} and status = 'earned'
    group by workspace_id, rep_id, 3, currency`.execute(tx.db);
}
