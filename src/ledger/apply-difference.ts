import { type RawBuilder, sql } from 'kysely';
import { type Decision, type HeldEvent } from '../engine/calculate.js';
import { type Day, type DayRange } from '../kernel/day.js';
import { Decimal } from '../kernel/decimal.js';
import { idOf } from '../kernel/ids.js';
import { periodOf, periodRange } from '../kernel/period.js';
import { rowsFrom } from '../platform/database/columns.js';
import { type Work } from '../platform/database/unit-of-work.js';
import { failpoint } from '../platform/failpoint.js';
import { type StandingRow } from './standing-rows.js';

/** Where the difference belongs. */
export interface Ledger {
  readonly workspaceId: string;
  readonly repId: string;
  readonly runId: string;
  /** Whether events of the rep have ever been cleared: a key that is new may then have an older history. */
  readonly cleared: boolean;
  /** Whether the window was all days: then no row can stand outside of it. */
  readonly allDays: boolean;
}

/** What the engine decided against what stands. */
export interface Difference {
  readonly writes: readonly Write[];
  readonly reversals: readonly StandingRow[];
}

/** What was written, and what moved with it. */
export interface AppliedDifference {
  readonly eventsWritten: number;
  readonly eventsReversed: number;
  /** The days between the first and the last changed event; null when nothing changed. */
  readonly days: DayRange | null;
  /** Deals, and periods of periodic rules, whose events were reversed. */
  readonly reversedKeys: readonly string[];
  /** Plan, attainment key and period of the credits that moved. */
  readonly creditsMoved: readonly Counter[];
}

export interface Counter {
  readonly planId: string;
  readonly attainmentKey: string;
  readonly period: string;
}

interface Write {
  readonly eventId: string;
  readonly idempotencyKey: string;
  readonly change: 'inserted' | 'changed' | 'restored';
  readonly decision: Decision;
  readonly before: StandingRow | null;
}

/** What must be written so that the rep's rows say what the engine decided. Rows that are held are never touched. */
export function differenceOf(
  repId: string,
  standing: readonly StandingRow[],
  decisions: readonly Decision[],
  held: readonly HeldEvent[],
): Difference {
  const rest = new StandingByKey(standing);
  const writes: Write[] = [];
  for (const decision of decisions) {
    const idempotencyKey = idempotencyKeyOf(decision);
    const before = rest.take(decision);
    if (before === null) {
      writes.push({ eventId: eventIdOf(repId, decision), idempotencyKey, change: 'inserted', decision, before });
    } else if (before.status === 'reversed' || before.idempotencyKey !== idempotencyKey) {
      const change = before.status === 'reversed' ? 'restored' : 'changed';
      writes.push({ eventId: before.eventId, idempotencyKey, change, decision, before });
    }
  }
  for (const event of held) rest.take(event);
  return { writes, reversals: rest.left().filter((row) => row.status === 'earned') };
}

/** The rows by their natural keys. One map inside the other: joining three texts a row costs more than looking thrice. */
class StandingByKey {
  private readonly plans = new Map<string, Map<string, Map<string, StandingRow>>>();

  constructor(rows: readonly StandingRow[]) {
    for (const row of rows) {
      const rules = entryOf(this.plans, row.planId, () => new Map<string, Map<string, StandingRow>>());
      entryOf(rules, row.ruleName, () => new Map<string, StandingRow>()).set(row.dealKey, row);
    }
  }

  /** The row of the key, which is then settled; null when there is none. */
  take({ planId, ruleName, dealKey }: NaturalKey): StandingRow | null {
    const deals = this.plans.get(planId)?.get(ruleName);
    const row = deals?.get(dealKey);
    if (row === undefined) return null;
    deals?.delete(dealKey);
    return row;
  }

  left(): StandingRow[] {
    return [...this.plans.values()].flatMap((rules) => [...rules.values()].flatMap((deals) => [...deals.values()]));
  }
}

function entryOf<T>(map: Map<string, T>, key: string, make: () => T): T {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}

/**
 * Writes the difference in bulk: events in place, one history row each, then the quota counters and the totals for
 * reading. The caller holds the rep's lane.
 */
export async function applyDifference(
  trx: Work,
  ledger: Ledger,
  { writes, reversals }: Difference,
): Promise<AppliedDifference> {
  const batches = Array.from({ length: Math.ceil(writes.length / batchSize) }, (_, index) =>
    writes.slice(index * batchSize, (index + 1) * batchSize),
  );
  const displaced = (await Promise.all(batches.map((batch) => upsertEvents(trx, ledger, batch)))).flat();
  await failpoint('lane.midWrite');
  await reverseEvents(trx, ledger, reversals);
  await failpoint('lane.afterReversals');
  const touched = [
    ...writes.flatMap(({ decision, before }) => (before ? [decision, before] : [decision])),
    ...displaced,
    ...reversals,
  ];
  await refreshQuotas(trx, ledger, countersOf(touched));
  await failpoint('lane.afterQuota');
  await refreshMonths(trx, ledger, monthsOf(touched));
  const moved = writes
    .filter((write) => !isSameCredit(write))
    .flatMap(({ decision, before }) => [decision, before ?? decision]);
  return {
    eventsWritten: writes.length,
    eventsReversed: reversals.length,
    days: daysOf(touched),
    reversedKeys: reversals.map((row) => row.dealKey),
    creditsMoved: countersOf([...moved, ...displaced, ...reversals]),
  };
}

function isSameCredit({ change, before, decision }: Write): boolean {
  return (
    change === 'changed' &&
    before !== null &&
    decision.credit.equals(Decimal.of(before.credit)) &&
    before.period === decision.period &&
    before.attainmentKey === decision.attainmentKey
  );
}

const batchSize = 2000;

/** What an engine-written row of a rep is found by: the deal and the rule's name within its plan. */
type NaturalKey = Pick<Decision, 'planId' | 'ruleName' | 'dealKey'>;

/** The natural key as an id: one row a key by primary key. */
export function eventIdOf(repId: string, key: NaturalKey): string {
  return idOf(`${repId}|${key.planId}|${key.ruleName}|${key.dealKey}`);
}

/** Equal for equal decisions, down to the trace: what the row says is what was decided. */
function idempotencyKeyOf(decision: Decision): string {
  const {
    amount,
    base,
    credit,
    tierName,
    ruleId,
    planVersionId,
    period,
    earnedOn,
    category,
    attainmentKey,
    currency,
    trace,
  } = decision;
  return idOf(
    `${amount}|${base}|${credit}|${tierName ?? ''}|${ruleId}|${planVersionId}|${period}|${earnedOn}|${category}|${attainmentKey}|${currency}|${trace}`,
  );
}

/**
 * An event that is new begins at revision 1, unless the rep's events have once been cleared: the same key gives the
 * same id, so it takes up the history of the one that was deleted. Only then is history asked, row by row.
 */
function revisionOfNewEvents(ledger: Ledger): RawBuilder<unknown> {
  if (!ledger.cleared) return sql`1`;
  return sql`1 + coalesce((select max(h.revision) from commission_event_history h where h.workspace_id = ${ledger.workspaceId}
    and h.rep_id = ${ledger.repId} and h.event_id = rows.event_id), 0)`;
}

/** Where a row stood, outside the window, whose key an event within it has taken up. */
interface Displaced extends Counter {
  readonly earnedOn: Day;
}

/**
 * A row that stands outside the window under the same key is taken up again rather than doubled. Nobody has loaded it,
 * so where it stood is told: the counters and totals there have lost it.
 */
async function upsertEvents(trx: Work, ledger: Ledger, writes: readonly Write[]): Promise<Displaced[]> {
  const rows = rowsFrom(writes, [
    ['event_id', 'uuid', (write) => write.eventId],
    ['change', 'text', (write) => write.change],
    ['deal_key', 'text', (write) => write.decision.dealKey],
    ['plan_id', 'uuid', (write) => write.decision.planId],
    ['plan_version_id', 'uuid', (write) => write.decision.planVersionId],
    ['rule_id', 'uuid', (write) => write.decision.ruleId],
    ['rule_name', 'text', (write) => write.decision.ruleName],
    ['phase', 'text', (write) => write.decision.phase],
    ['category', 'text', (write) => write.decision.category],
    ['amount', 'numeric', (write) => write.decision.amount.toString()],
    ['base', 'numeric', (write) => write.decision.base.toString()],
    ['credit', 'numeric', (write) => write.decision.credit.toString()],
    ['tier_name', 'text', (write) => write.decision.tierName],
    ['attainment_key', 'text', (write) => write.decision.attainmentKey],
    ['currency', 'text', (write) => write.decision.currency],
    ['period', 'text', (write) => write.decision.period],
    ['earned_on', 'date', (write) => write.decision.earnedOn],
    ['idempotency_key', 'uuid', (write) => write.idempotencyKey],
    ['trace', 'text', (write) => write.decision.trace],
  ]);
  const { rows: displaced } = await sql<Displaced>`
    with rows as materialized (select * from ${rows}),
    displaced as (
      select e.plan_id, e.attainment_key, e.period, e.earned_on from rows
      join commission_events e on e.workspace_id = ${ledger.workspaceId} and e.rep_id = ${ledger.repId} and e.event_id = rows.event_id
      where rows.change = 'inserted' and e.status = 'earned' and ${notAllDays(ledger)}
    ),
    written as (
      insert into commission_events (workspace_id, rep_id, event_id, kind, status, deal_key, plan_id, plan_version_id,
        rule_id, rule_name, phase, category, amount, base, credit, tier_name, attainment_key, currency, period, earned_on,
        idempotency_key, trace, run_id, revision)
      select ${ledger.workspaceId}::uuid, ${ledger.repId}::uuid, event_id, 'commission_earned', 'earned', deal_key, plan_id,
        plan_version_id, rule_id, rule_name, phase, category, amount, base, credit, tier_name, attainment_key, currency,
        period, earned_on, idempotency_key, trace, ${ledger.runId}::uuid, ${revisionOfNewEvents(ledger)}
      from rows
      on conflict (workspace_id, rep_id, event_id) do update set
        status = 'earned', plan_version_id = excluded.plan_version_id, rule_id = excluded.rule_id, phase = excluded.phase,
        category = excluded.category, amount = excluded.amount, base = excluded.base, credit = excluded.credit,
        tier_name = excluded.tier_name, attainment_key = excluded.attainment_key, currency = excluded.currency,
        period = excluded.period, earned_on = excluded.earned_on, idempotency_key = excluded.idempotency_key,
        trace = excluded.trace, run_id = excluded.run_id, revision = commission_events.revision + 1, updated_at = now()
      returning event_id, revision
    ),
    history as (
    insert into commission_event_history (workspace_id, rep_id, event_id, revision, change, run_id, kind, status, deal_key,
      plan_id, plan_version_id, rule_id, rule_name, phase, category, amount, base, credit, tier_name, attainment_key,
      currency, period, earned_on, idempotency_key, trace)
    select ${ledger.workspaceId}::uuid, ${ledger.repId}::uuid, event_id, written.revision,
      case when written.revision = 1 or change <> 'inserted' then change else 'restored' end,
      ${ledger.runId}::uuid, 'commission_earned', 'earned', deal_key, plan_id, plan_version_id, rule_id, rule_name, phase,
      category, amount, base, credit, tier_name, attainment_key, currency, period, earned_on, idempotency_key, trace
    from rows join written using (event_id)
    )
    select plan_id as "planId", attainment_key as "attainmentKey", period, earned_on as "earnedOn" from displaced`.execute(
    trx,
  );
  return displaced;
}

/** As a constant, so that the server does not even plan to look: in a fresh table it would read all rows, once a lane. */
function notAllDays(ledger: Ledger): RawBuilder<unknown> {
  return ledger.allDays ? sql`false` : sql`true`;
}

/** Reversed in place: the row keeps what it said, and counts no more. */
async function reverseEvents(trx: Work, ledger: Ledger, reversals: readonly StandingRow[]): Promise<void> {
  if (reversals.length === 0) return;
  await sql`
    with reversed as (
      update commission_events e
      set status = 'reversed', run_id = ${ledger.runId}, revision = e.revision + 1, updated_at = now()
      from ${rowsFrom(reversals, [['event_id', 'uuid', (row) => row.eventId]])}
      where e.workspace_id = ${ledger.workspaceId} and e.rep_id = ${ledger.repId} and e.event_id = rows_from.event_id
      returning e.*
    )
    ${recordHistory('reversed')} from reversed`.execute(trx);
}

/** The start of an insert into history of whole rows, as they are after the change. */
export function recordHistory(
  change: 'inserted' | 'changed' | 'reversed' | 'deleted',
  revision: RawBuilder<unknown> = sql`revision`,
  runId: RawBuilder<unknown> = sql`run_id`,
) {
  return sql`
    insert into commission_event_history (workspace_id, rep_id, event_id, revision, change, run_id, kind, status, deal_key,
      plan_id, plan_version_id, rule_id, rule_name, phase, category, amount, base, credit, tier_name, attainment_key,
      currency, period, earned_on, idempotency_key, trace, reason, actor)
    select workspace_id, rep_id, event_id, ${revision}, ${sql.lit(change)}, ${runId}, kind, status, deal_key, plan_id,
      plan_version_id, rule_id, rule_name, phase, category, amount, base, credit, tier_name, attainment_key, currency,
      period, earned_on, idempotency_key, trace, reason, actor`;
}

function countersOf(touched: readonly Counter[]): Counter[] {
  const byKey = new Map(touched.map((row) => [`${row.planId}|${row.attainmentKey}|${row.period}`, row]));
  return [...byKey.values()].map(({ planId, attainmentKey, period }) => ({ planId, attainmentKey, period }));
}

/** `quotas.current_value` = the credit of the earned events under its key and period, set and not added to. */
export async function refreshQuotas(
  trx: Work,
  ledger: Pick<Ledger, 'workspaceId' | 'repId'>,
  counters: readonly Counter[],
): Promise<void> {
  if (counters.length === 0) return;
  const ranges = counters.map((counter) => periodRange(counter.period));
  const from = ranges.map((range) => range.from).sort()[0];
  const to = ranges
    .map((range) => range.to)
    .sort()
    .at(-1);
  await sql`
    with counters as (
      select * from ${rowsFrom(counters, [
        ['plan_id', 'uuid', (counter) => counter.planId],
        ['attainment_key', 'text', (counter) => counter.attainmentKey],
        ['period', 'text', (counter) => counter.period],
      ])}
    ),
    credits as (
      select plan_id, attainment_key, period, sum(credit) as credit from commission_events
      where workspace_id = ${ledger.workspaceId} and rep_id = ${ledger.repId} and status = 'earned'
        and kind = 'commission_earned' and earned_on between ${from} and ${to}
      group by plan_id, attainment_key, period
    )
    update quotas q set current_value = coalesce(c.credit, 0), updated_at = now()
    from counters left join credits c using (plan_id, attainment_key, period)
    where q.workspace_id = ${ledger.workspaceId} and q.rep_id = ${ledger.repId} and q.plan_id = counters.plan_id
      and q.attainment_key = counters.attainment_key and q.period = counters.period
      and q.current_value is distinct from coalesce(c.credit, 0)`.execute(trx);
}

function monthsOf(touched: readonly { readonly earnedOn: Day }[]): string[] {
  return [...new Set(touched.map((row) => periodOf(row.earnedOn, 'monthly')))];
}

/** The rep's totals by month, from which every statement, dashboard and overview period is summed. */
export async function refreshMonths(
  trx: Work,
  ledger: Pick<Ledger, 'workspaceId' | 'repId'>,
  months: readonly string[],
): Promise<void> {
  if (months.length === 0) return;
  const firstDays = months.map((month) => `${month}-01`).sort();
  const last = periodRange((months as string[]).slice().sort().at(-1) as string).to;
  const wanted = sql`(${sql.join(firstDays)})`;
  await Promise.all([
    sql`
      delete from rep_months where workspace_id = ${ledger.workspaceId} and rep_id = ${ledger.repId}
        and month in ${wanted}`.execute(trx),
    sql`
      ${insertMonths}
      where workspace_id = ${ledger.workspaceId} and rep_id = ${ledger.repId} and status = 'earned'
        and earned_on between ${firstDays[0]}::date and ${last}::date
        and date_trunc('month', earned_on)::date in ${wanted}
      group by workspace_id, rep_id, 3, currency`.execute(trx),
  ]);
}

function daysOf(touched: readonly { readonly earnedOn: Day }[]): DayRange | null {
  if (touched.length === 0) return null;
  let from = touched[0]?.earnedOn as Day;
  let to = from;
  for (const { earnedOn } of touched) {
    if (earnedOn < from) from = earnedOn;
    if (earnedOn > to) to = earnedOn;
  }
  return { from, to };
}

/** The sums that `rep_months` holds, over whatever events the following condition names. */
export const insertMonths = sql`
  insert into rep_months (workspace_id, rep_id, month, currency, commission, bonus, adjustments, deals)
  select workspace_id, rep_id, date_trunc('month', earned_on)::date, currency,
    coalesce(sum(amount) filter (where category = 'commission'), 0),
    coalesce(sum(amount) filter (where category = 'bonus'), 0),
    coalesce(sum(amount) filter (where category = 'adjustment'), 0),
    count(distinct deal_key) filter (where phase = 'per_deal')
  from commission_events`;
