import { type RawBuilder, sql } from 'kysely';
import { type Decision } from '../../engine/model.js';
import { type Day, type DayRange } from '../../kernel/day.js';
import { getOrInsert } from '../../kernel/get-or-insert.js';
import { EventLoopSlice, inParallel } from '../../kernel/waiting.js';
import { unnestRows } from '../../platform/database/columns.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { failpoint } from '../../platform/failpoint.js';
import { type LedgerRow } from '../input/ledger-rows.js';
import { AffectedTotals, type Counter } from './affected-totals.js';
import { type Difference, isSameCredit, type Write } from './difference.js';
import { decided, recordHistory } from './event-history.js';
import { type KnownTotals, refreshTotals, setTotals } from './totals.js';

/** The difference of one lane, and the state that it is written for. */
export interface LaneDifference extends Difference {
  readonly repId: string;
  readonly runId: string;
  /** Whether events of the rep have ever been cleared: a new key may then have earlier history. */
  readonly cleared: boolean;
  /** Whether the window was all days: then no row lies outside it. */
  readonly allDays: boolean;
  /** Whether trued-up rows of the rep count besides its events. */
  readonly hasTruedUp: boolean;
  /** The totals after the run; null if they are read from the events. */
  readonly totals: KnownTotals | null;
}

/** What was written for one lane, and what it affects. */
export interface AppliedDifference {
  readonly eventsWritten: number;
  readonly eventsReversed: number;
  /** The days between the first and the last changed event; null when nothing changed. */
  readonly days: DayRange | null;
  /** Deals, and periods of periodic rules, whose events were reversed. */
  readonly reversedKeys: readonly string[];
  /** Plans under which credit changed. */
  readonly creditsMoved: ReadonlySet<string>;
  /** Rows outside the window that were replaced by rows within it. */
  readonly displaced: readonly Displaced[];
}

const rowsPerStatement = 2000;

/**
 * Writes the differences of the lanes in bulk: events in place, one history row each, then the quota counters and the
 * monthly totals. The statements are pipelined; the server executes them in this order, and writes the events of the
 * first lanes while further lanes are calculated. The caller holds the lanes.
 *
 * No statement looks up events by a join: the planner chooses a join by the number of events that it expects, and in the
 * transaction of a first import it expects none. Conflicts on the primary key find the rows in place of joins.
 */
export async function applyDifferences<Lane extends LaneDifference>(
  tx: Transaction,
  calculated: AsyncIterable<Lane>,
): Promise<{ readonly lanes: readonly Lane[]; readonly applied: readonly AppliedDifference[] }> {
  const writer = new EventWriter<Lane>(tx);
  for await (const lane of calculated) await writer.add(lane);
  await writer.sendRest();
  const { lanes } = writer;
  return { lanes, applied: await countChanges(tx, lanes, writer.displaced()) };
}

/** Refreshes the quota counters and the monthly totals of all changed events. */
async function countChanges(
  tx: Transaction,
  lanes: readonly LaneDifference[],
  pending: Promise<readonly Displaced[]>,
): Promise<AppliedDifference[]> {
  const affected = lanes.map(affectedBy);
  const laneTotals = affected.map(({ affectedTotals }) => affectedTotals);
  const known = lanes.flatMap(({ totals }, lane) =>
    totals === null ? [] : [{ affectedTotals: laneTotals[lane] as AffectedTotals, totals }],
  );
  const unknown = laneTotals.filter((_, lane) => lanes[lane]?.totals === null);
  const hasTruedUp = lanes.some((lane) => lane.hasTruedUp);
  const [displaced] = await inParallel(
    () => pending,
    () => reverseEvents(tx, lanes),
    () => refreshTotals(tx, unknown, hasTruedUp),
    () => setTotals(tx, known, hasTruedUp),
  );
  await failpoint('lane.midWrite');
  for (const row of displaced) addRemovedRow(affected[row.lane] as Affected, row);
  const touched = new Set(displaced.map((row) => laneTotals[row.lane] as AffectedTotals));
  await refreshTotals(tx, [...touched], hasTruedUp);
  return lanes.map(({ writes, reversals }, lane) => ({
    eventsWritten: writes.length,
    eventsReversed: reversals.length,
    days: laneTotals[lane]?.days() ?? null,
    reversedKeys: reversals.map((row) => row.dealKey),
    creditsMoved: affected[lane]?.creditsMoved ?? new Set(),
    displaced: displaced.filter((row) => row.lane === lane),
  }));
}

interface Affected {
  readonly affectedTotals: AffectedTotals;
  readonly creditsMoved: Set<string>;
}

function affectedBy({ repId, writes, reversals }: LaneDifference): Affected {
  const affected: Affected = { affectedTotals: new AffectedTotals(repId), creditsMoved: new Set() };
  for (const write of writes) {
    affected.affectedTotals.add(write.decision);
    if (write.before !== null) affected.affectedTotals.add(write.before);
    if (!isSameCredit(write)) affected.creditsMoved.add(write.decision.planId);
  }
  for (const row of reversals) addRemovedRow(affected, row);
  return affected;
}

function addRemovedRow({ affectedTotals, creditsMoved }: Affected, row: Counter & { readonly earnedOn: Day }): void {
  affectedTotals.add(row);
  creditsMoved.add(row.planId);
}

/** A write with the index of its lane. */
interface LaneWrite {
  readonly lane: number;
  readonly write: Write;
}

/** The former counter and day of a row outside the window whose key an event within it took over. */
interface Displaced extends Counter {
  readonly lane: number;
  readonly eventId: string;
  readonly earnedOn: Day;
}

type Statement = (
  tx: Transaction,
  lanes: readonly LaneDifference[],
  writes: readonly LaneWrite[],
) => Promise<readonly Displaced[]>;

/**
 * Sends the writes of one lane after the other. Rows that cannot conflict are inserted without a conflict check, a third
 * less work for the server.
 */
class EventWriter<Lane extends LaneDifference> {
  /** The lanes that were added. A write refers to its lane by its index. */
  readonly lanes: Lane[] = [];
  private readonly inserts: LaneWrite[] = [];
  private readonly upserts: LaneWrite[] = [];
  private readonly sent: Promise<readonly Displaced[]>[] = [];
  private readonly slice = new EventLoopSlice();

  constructor(private readonly tx: Transaction) {}

  /** Sends full statements; the remaining writes wait for those of the next lane. */
  async add(difference: Lane): Promise<void> {
    const lane = this.lanes.push(difference) - 1;
    const [statement, writes] = areNew(difference)
      ? ([insertEvents, this.inserts] as const)
      : ([upsertEvents, this.upserts] as const);
    for (const write of difference.writes) writes.push({ lane, write });
    while (writes.length >= rowsPerStatement) await this.send(statement, writes.splice(0, rowsPerStatement));
  }

  async sendRest(): Promise<void> {
    if (this.inserts.length > 0) await this.send(insertEvents, this.inserts);
    if (this.upserts.length > 0) await this.send(upsertEvents, this.upserts);
  }

  /** The results of the statements that were sent. */
  async displaced(): Promise<readonly Displaced[]> {
    return (await Promise.all(this.sent)).flat();
  }

  /** Encoding thousands of rows takes long, so other work runs in between. */
  private async send(statement: Statement, writes: readonly LaneWrite[]): Promise<void> {
    await this.slice.pause();
    const result = statement(this.tx, this.lanes, writes);
    // The caller receives the error of the first statement that fails.
    result.catch(() => undefined);
    this.sent.push(result);
  }
}

function areNew({ allDays, cleared, writes }: LaneDifference): boolean {
  return allDays && !cleared && writes.every((write) => write.change === 'inserted');
}

/** The columns that an event and its history share, except the revision. */
const written = sql`workspace_id, rep_id, event_id, kind, status, run_id, ${decided}`;

function writtenFor(workspaceId: string): RawBuilder<unknown> {
  return sql`${workspaceId}::uuid, rep_id, event_id, 'commission_earned', 'earned', run_id, ${decided}`;
}

async function insertEvents(
  tx: Transaction,
  lanes: readonly LaneDifference[],
  writes: readonly LaneWrite[],
): Promise<readonly Displaced[]> {
  await sql`
    with rows as materialized (select * from ${buildRows(lanes, writes)}),
    events as (
      insert into commission_events (revision, ${written}) select 1, ${writtenFor(tx.workspaceId)} from rows
    )
    insert into commission_event_history (revision, change, ${written})
    select 1, change, ${writtenFor(tx.workspaceId)} from rows`.execute(tx.db);
  return [];
}

/**
 * A row outside the window under the same key is updated instead of duplicated. It was not loaded, so its former
 * counter and month are returned, from its history: they have lost it.
 */
async function upsertEvents(
  tx: Transaction,
  lanes: readonly LaneDifference[],
  writes: readonly LaneWrite[],
): Promise<readonly Displaced[]> {
  const { rows: displaced } = await sql<Displaced>`
    with rows as materialized (select * from ${buildRows(lanes, writes)}),
    events as (
      insert into commission_events (revision, ${written})
      select ${revisionOfNewEvents(tx.workspaceId)}, ${writtenFor(tx.workspaceId)} from rows
      on conflict (workspace_id, rep_id, event_id) do update set
        status = 'earned', plan_version_id = excluded.plan_version_id, rule_id = excluded.rule_id, phase = excluded.phase,
        category = excluded.category, amount = excluded.amount, base = excluded.base, credit = excluded.credit,
        tier_name = excluded.tier_name, attainment_key = excluded.attainment_key, currency = excluded.currency,
        period = excluded.period, earned_on = excluded.earned_on, share = excluded.share, idempotency_key = excluded.idempotency_key,
        trace = excluded.trace, run_id = excluded.run_id, revision = commission_events.revision + 1, updated_at = now()
      returning rep_id, event_id, revision
    ),
    changed as materialized (select * from rows join events using (rep_id, event_id)),
    history as (
      insert into commission_event_history (revision, change, ${written})
      select revision, case when revision = 1 or change <> 'inserted' then change else 'restored' end,
        ${writtenFor(tx.workspaceId)}
      from changed
    )
    select changed.lane, changed.event_id as "eventId", h.plan_id as "planId", h.attainment_key as "attainmentKey", h.period, h.earned_on as "earnedOn"
    from changed cross join lateral (
      select * from commission_event_history h
      where h.workspace_id = ${tx.workspaceId} and h.rep_id = changed.rep_id and h.event_id = changed.event_id
        and h.revision = changed.revision - 1
      offset 0
    ) h
    where changed.change = 'inserted' and changed.revision > 1 and h.status = 'earned'
      and h.change <> 'deleted'`.execute(tx.db);
  return displaced;
}

/**
 * A new event begins at revision 1, unless events of the rep were cleared before: the same key gives the same id, so
 * the event continues the history of the deleted one. Only then is the history read, row by row.
 */
function revisionOfNewEvents(workspaceId: string): RawBuilder<unknown> {
  return sql`case when rows.cleared then 1 + coalesce((select max(h.revision) from commission_event_history h
    where h.workspace_id = ${workspaceId} and h.rep_id = rows.rep_id and h.event_id = rows.event_id), 0) else 1 end`;
}

/** The values that all writes of one lane and rule share. */
interface Shared {
  readonly index: number;
  readonly lane: LaneDifference;
  readonly decision: Decision;
}

/** The writes as rows. Values that the events of a lane and rule share are sent once and joined by the server. */
function buildRows(lanes: readonly LaneDifference[], writes: readonly LaneWrite[]): RawBuilder<unknown> {
  const shared: Shared[] = [];
  const indexes = new Map<number, Map<string, number>>();
  const toSharedIndex = ({ lane, write: { decision } }: LaneWrite): number =>
    getOrInsert(
      getOrInsert(indexes, lane, () => new Map<string, number>()),
      decision.ruleId,
      () => shared.push({ index: shared.length, lane: lanes[lane] as LaneDifference, decision }) - 1,
    );
  const rows = unnestRows(writes, [
    ['event_id', 'uuid', ({ write }) => write.eventId],
    ['change', 'text', ({ write }) => write.change],
    ['lane', 'integer', ({ lane }) => lane],
    ['shared', 'integer', toSharedIndex],
    ['deal_key', 'text', ({ write }) => write.decision.dealKey],
    ['category', 'text', ({ write }) => write.decision.category],
    ['amount', 'numeric', ({ write }) => write.decision.amount.toString()],
    ['base', 'numeric', ({ write }) => write.decision.base.toString()],
    ['credit', 'numeric', ({ write }) => write.decision.credit.toString()],
    ['tier_name', 'text', ({ write }) => write.decision.tierName],
    ['period', 'text', ({ write }) => write.decision.period],
    ['earned_on', 'date', ({ write }) => write.decision.earnedOn],
    ['share', 'text', ({ write }) => write.decision.share],
    ['idempotency_key', 'uuid', ({ write }) => write.idempotencyKey],
    ['trace', 'text', ({ write }) => write.decision.trace],
  ]);
  return sql`
    (select * from ${rows}) as writes
    join (select * from ${unnestRows(shared, [
      ['shared', 'integer', ({ index }) => index],
      ['rep_id', 'uuid', ({ lane }) => lane.repId],
      ['run_id', 'uuid', ({ lane }) => lane.runId],
      ['cleared', 'boolean', ({ lane }) => String(lane.cleared)],
      ['plan_id', 'uuid', ({ decision }) => decision.planId],
      ['plan_version_id', 'uuid', ({ decision }) => decision.planVersionId],
      ['rule_id', 'uuid', ({ decision }) => decision.ruleId],
      ['rule_name', 'text', ({ decision }) => decision.ruleName],
      ['phase', 'text', ({ decision }) => decision.phase],
      ['attainment_key', 'text', ({ decision }) => decision.attainmentKey],
      ['currency', 'text', ({ decision }) => decision.currency],
    ])}) as shared using (shared)`;
}

/** A reversal with the run that it belongs to. */
interface LaneReversal {
  readonly row: LedgerRow;
  readonly lane: LaneDifference;
}

/**
 * Reverses rows in place: a reversed row keeps its values and no longer counts. The row exists, so the conflict always
 * occurs, and of the inserted values only the key and the run are used.
 */
async function reverseEvents(tx: Transaction, lanes: readonly LaneDifference[]): Promise<void> {
  const reversals = lanes.flatMap((lane) => lane.reversals.map((row): LaneReversal => ({ row, lane })));
  if (reversals.length === 0) return;
  await sql`
    with reversed as (
      insert into commission_events (workspace_id, rep_id, event_id, run_id, earned_on, idempotency_key, kind, status,
        category, amount, currency, period)
      select ${tx.workspaceId}::uuid, rep_id, event_id, run_id, earned_on, idempotency_key, 'commission_earned', 'reversed',
        'commission', 0, '', ''
      from ${unnestRows(reversals, [
        ['rep_id', 'uuid', ({ lane }) => lane.repId],
        ['event_id', 'uuid', ({ row }) => row.eventId],
        ['run_id', 'uuid', ({ lane }) => lane.runId],
        ['earned_on', 'date', ({ row }) => row.earnedOn],
        ['idempotency_key', 'uuid', ({ row }) => row.idempotencyKey],
      ])}
      on conflict (workspace_id, rep_id, event_id) do update set
        status = 'reversed', run_id = excluded.run_id, revision = commission_events.revision + 1, updated_at = now()
      returning commission_events.*
    )
    ${recordHistory('reversed')} from reversed`.execute(tx.db);
}
