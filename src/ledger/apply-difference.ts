import { type RawBuilder, sql } from 'kysely';
import { type Decision } from '../engine/model.js';
import { chunk } from '../kernel/chunk.js';
import { type Day, type DayRange } from '../kernel/day.js';
import { unnestRows } from '../platform/database/columns.js';
import { type Work } from '../platform/database/unit-of-work.js';
import { failpoint } from '../platform/failpoint.js';
import { type Difference, isSameCredit, type Write } from './difference.js';
import { decided, recordHistory } from './event-history.js';
import { type LedgerRow } from './ledger-rows.js';
import { type Counter, Footprint, refreshTotals } from './totals.js';

/** The lane, run and state that a difference is written for. */
export interface Ledger {
  readonly workspaceId: string;
  readonly repId: string;
  readonly runId: string;
  /** Whether events of the rep have ever been cleared: a new key may then have earlier history. */
  readonly cleared: boolean;
  /** Whether the window was all days: then no row lies outside it. */
  readonly allDays: boolean;
  /** Whether trued-up rows of the rep count besides its events. */
  readonly hasTruedUp: boolean;
}

/** What was written, and what it affects. */
export interface AppliedDifference {
  readonly eventsWritten: number;
  readonly eventsReversed: number;
  /** The days between the first and the last changed event; null when nothing changed. */
  readonly days: DayRange | null;
  /** Deals, and periods of periodic rules, whose events were reversed. */
  readonly reversedKeys: readonly string[];
  /** Plans under which credit changed. */
  readonly creditsMoved: ReadonlySet<string>;
}

const batchSize = 2000;

/**
 * Writes the difference in bulk: events in place, one history row each, then the quota counters and the monthly
 * totals. The statements are pipelined; the server executes them in this order. The caller holds the rep's lane.
 */
export async function applyDifference(
  trx: Work,
  ledger: Ledger,
  { writes, reversals }: Difference,
): Promise<AppliedDifference> {
  const footprint = new Footprint();
  const creditsMoved = new Set<string>();
  const goneFrom = (row: Counter & { readonly earnedOn: Day }) => {
    footprint.add(row);
    creditsMoved.add(row.planId);
  };
  for (const write of writes) {
    footprint.add(write.decision);
    if (write.before !== null) footprint.add(write.before);
    if (!isSameCredit(write)) creditsMoved.add(write.decision.planId);
  }
  for (const row of reversals) goneFrom(row);
  const [batches] = await Promise.all([
    Promise.all(chunk(writes, batchSize).map((batch) => writeEvents(trx, ledger, batch))),
    reverseEvents(trx, ledger, reversals),
    refreshTotals(trx, ledger, footprint),
  ]);
  await failpoint('lane.midWrite');
  const displaced = batches.flat();
  for (const row of displaced) goneFrom(row);
  if (displaced.length > 0) await refreshTotals(trx, ledger, footprint);
  return {
    eventsWritten: writes.length,
    eventsReversed: reversals.length,
    days: footprint.days(),
    reversedKeys: reversals.map((row) => row.dealKey),
    creditsMoved,
  };
}

/** The counter of a row outside the window whose key an event within it took over. */
interface Displaced extends Counter {
  readonly earnedOn: Day;
}

/** Rows that cannot conflict are inserted without a conflict check, which is a third less work for the server. */
async function writeEvents(trx: Work, ledger: Ledger, writes: readonly Write[]): Promise<readonly Displaced[]> {
  const areNew = ledger.allDays && !ledger.cleared && writes.every((write) => write.change === 'inserted');
  if (!areNew) return upsertEvents(trx, ledger, writes);
  await insertEvents(trx, ledger, writes);
  return [];
}

/** The columns that an event and its history share, except the revision. */
const written = sql`workspace_id, rep_id, event_id, kind, status, run_id, ${decided}`;

function writtenBy({ workspaceId, repId, runId }: Ledger): RawBuilder<unknown> {
  return sql`${workspaceId}::uuid, ${repId}::uuid, event_id, 'commission_earned', 'earned', ${runId}::uuid, ${decided}`;
}

async function insertEvents(trx: Work, ledger: Ledger, writes: readonly Write[]): Promise<void> {
  await sql`
    with rows as materialized (select * from ${rowsOf(writes)}),
    events as (
      insert into commission_events (revision, ${written}) select 1, ${writtenBy(ledger)} from rows
    )
    insert into commission_event_history (revision, change, ${written}) select 1, change, ${writtenBy(ledger)} from rows`.execute(
    trx,
  );
}

/**
 * A row outside the window under the same key is updated instead of duplicated. It was not loaded, so its former
 * counter and month are returned: they have lost it.
 */
async function upsertEvents(trx: Work, ledger: Ledger, writes: readonly Write[]): Promise<readonly Displaced[]> {
  const { rows: displaced } = await sql<Displaced>`
    with rows as materialized (select * from ${rowsOf(writes)}),
    displaced as (
      select e.plan_id, e.attainment_key, e.period, e.earned_on from rows
      join commission_events e on e.workspace_id = ${ledger.workspaceId} and e.rep_id = ${ledger.repId} and e.event_id = rows.event_id
      where rows.change = 'inserted' and e.status = 'earned' and ${notAllDays(ledger)}
    ),
    events as (
      insert into commission_events (revision, ${written})
      select ${revisionOfNewEvents(ledger)}, ${writtenBy(ledger)} from rows
      on conflict (workspace_id, rep_id, event_id) do update set
        status = 'earned', plan_version_id = excluded.plan_version_id, rule_id = excluded.rule_id, phase = excluded.phase,
        category = excluded.category, amount = excluded.amount, base = excluded.base, credit = excluded.credit,
        tier_name = excluded.tier_name, attainment_key = excluded.attainment_key, currency = excluded.currency,
        period = excluded.period, earned_on = excluded.earned_on, idempotency_key = excluded.idempotency_key,
        trace = excluded.trace, run_id = excluded.run_id, revision = commission_events.revision + 1, updated_at = now()
      returning event_id, revision
    ),
    history as (
      insert into commission_event_history (revision, change, ${written})
      select revision, case when revision = 1 or change <> 'inserted' then change else 'restored' end, ${writtenBy(ledger)}
      from rows join events using (event_id)
    )
    select plan_id as "planId", attainment_key as "attainmentKey", period, earned_on as "earnedOn" from displaced`.execute(
    trx,
  );
  return displaced;
}

/**
 * A new event begins at revision 1, unless events of the rep were cleared before: the same key gives the same id, so
 * the event continues the history of the deleted one. Only then is the history read, row by row.
 */
function revisionOfNewEvents(ledger: Ledger): RawBuilder<unknown> {
  if (!ledger.cleared) return sql`1`;
  return sql`1 + coalesce((select max(h.revision) from commission_event_history h where h.workspace_id = ${ledger.workspaceId}
    and h.rep_id = ${ledger.repId} and h.event_id = rows.event_id), 0)`;
}

/** The writes as rows. Values that all events of a rule share are sent once and joined by the server. */
function rowsOf(writes: readonly Write[]): RawBuilder<unknown> {
  const rules = new Map<string, { readonly place: number; readonly decision: Decision }>();
  for (const { decision } of writes)
    if (!rules.has(decision.ruleId)) rules.set(decision.ruleId, { place: rules.size, decision });
  const placeOf = ({ decision }: Write) => rules.get(decision.ruleId)?.place ?? null;
  return sql`
    (select * from ${unnestRows(writes, [
      ['event_id', 'uuid', (write) => write.eventId],
      ['change', 'text', (write) => write.change],
      ['rule', 'integer', placeOf],
      ['deal_key', 'text', (write) => write.decision.dealKey],
      ['category', 'text', (write) => write.decision.category],
      ['amount', 'numeric', (write) => write.decision.amount.toString()],
      ['base', 'numeric', (write) => write.decision.base.toString()],
      ['credit', 'numeric', (write) => write.decision.credit.toString()],
      ['tier_name', 'text', (write) => write.decision.tierName],
      ['period', 'text', (write) => write.decision.period],
      ['earned_on', 'date', (write) => write.decision.earnedOn],
      ['idempotency_key', 'uuid', (write) => write.idempotencyKey],
      ['trace', 'text', (write) => write.decision.trace],
    ])}) as writes
    join (select * from ${unnestRows(
      [...rules.values()],
      [
        ['rule', 'integer', (rule) => rule.place],
        ['plan_id', 'uuid', (rule) => rule.decision.planId],
        ['plan_version_id', 'uuid', (rule) => rule.decision.planVersionId],
        ['rule_id', 'uuid', (rule) => rule.decision.ruleId],
        ['rule_name', 'text', (rule) => rule.decision.ruleName],
        ['phase', 'text', (rule) => rule.decision.phase],
        ['attainment_key', 'text', (rule) => rule.decision.attainmentKey],
        ['currency', 'text', (rule) => rule.decision.currency],
      ],
    )}) as rules using (rule)`;
}

/**
 * A constant, so that the planner skips the lookup: in a table without statistics it would read all rows once per
 * lane.
 */
function notAllDays(ledger: Ledger): RawBuilder<unknown> {
  return ledger.allDays ? sql`false` : sql`true`;
}

/** Reverses rows in place: a reversed row keeps its values and no longer counts. */
async function reverseEvents(trx: Work, ledger: Ledger, reversals: readonly LedgerRow[]): Promise<void> {
  if (reversals.length === 0) return;
  await sql`
    with reversed as (
      update commission_events e
      set status = 'reversed', run_id = ${ledger.runId}, revision = e.revision + 1, updated_at = now()
      from ${unnestRows(reversals, [['event_id', 'uuid', (row) => row.eventId]])}
      where e.workspace_id = ${ledger.workspaceId} and e.rep_id = ${ledger.repId} and e.event_id = rows_from.event_id
      returning e.*
    )
    ${recordHistory('reversed')} from reversed`.execute(trx);
}
