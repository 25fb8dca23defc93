import { sql } from 'kysely';
import { type Phase } from '../../engine/model.js';
import { type CascadeInput, decodeInputs } from '../../engine/trace.js';
import { type Day, type DayRange, isWithin } from '../../kernel/day.js';
import { groupBy } from '../../kernel/group-by.js';
import { type Period } from '../../kernel/period.js';
import { eventsTable, statementPeriodsTable } from '../../ledger/input/as-of.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';

/** A counted row, an adjustment or a clawback, with what decides when it is paid. */
export interface PayableRow {
  readonly repId: string;
  /** The natural key of an engine-written row, otherwise the id of the event. */
  readonly key: string;
  readonly eventId: string | null;
  /** Null for periodic rules and for adjustments, which no deal decides. */
  readonly dealKey: string | null;
  readonly planId: string | null;
  readonly planVersionId: string | null;
  readonly ruleId: string | null;
  readonly ruleName: string | null;
  readonly phase: Phase | null;
  readonly category: 'commission' | 'bonus' | 'adjustment';
  readonly amount: string;
  /** What it counts towards a quota; null for rows that are not stored. */
  readonly credit: string | null;
  readonly currency: string;
  /** The day from which it is earned. A row of an approved period is dated in it at the latest. */
  readonly day: Day;
  /** The approved period that owns the row. */
  readonly frozen: FrozenDays | null;
  readonly inputs: readonly CascadeInput[] | null;
}

interface FrozenDays {
  readonly period: Period;
  readonly range: DayRange;
}

interface StoredRow extends Omit<PayableRow, 'key' | 'day' | 'frozen' | 'inputs'> {
  readonly kind: 'commission_earned' | 'adjustment' | 'clawback';
  readonly earnedOn: Day;
  /** Null for rows of true-ups. */
  readonly trace: string | null;
  readonly inputs: readonly CascadeInput[] | null;
  /** The approved period of a row of a true-up; null for events. */
  readonly truedUp: Period | null;
}

/** Selects rows by rep, from a day on, or the rows that count on deals of all reps. */
type RowSelection =
  | { readonly repIds: readonly string[]; readonly firstDay: Day }
  | { readonly dealKeys: readonly string[] };

/** The rows that count: trued-up rows in place of the approved ones, and adjustments. */
export async function loadPayableRows(tx: Transaction, selection: RowSelection): Promise<PayableRow[]> {
  const isSelected =
    'repIds' in selection
      ? sql`e.rep_id = any(${selection.repIds}::uuid[]) and e.earned_on >= ${selection.firstDay}::date`
      : sql`e.deal_key = any(${selection.dealKeys}::text[]) and e.kind = 'commission_earned'`;
  const { rows } = await sql<StoredRow>`
    select e.rep_id as "repId", e.event_id as "eventId", e.kind, e.deal_key as "dealKey", e.plan_id as "planId",
      e.plan_version_id as "planVersionId", e.rule_id as "ruleId", e.rule_name as "ruleName", e.phase, e.category,
      e.amount, e.credit, e.currency, e.earned_on as "earnedOn", case when e.phase = 'cascade' then e.trace end as trace,
      null as inputs, null as "truedUp"
    from ${eventsTable(tx)} e
    where e.workspace_id = ${tx.workspaceId} and e.status = 'earned' and e.kind <> 'true_up' and ${isSelected}`.execute(
    tx.db,
  );
  const truedUp = await loadTruedUp(tx, selection);
  const repIds = 'repIds' in selection ? selection.repIds : [...rows, ...truedUp].map(({ repId }) => repId);
  const frozen = await loadFrozen(tx, [...new Set(repIds)]);
  const traces = new Map(rows.flatMap((row) => (row.trace === null ? [] : [[keyOfRep(row), row.trace] as const])));
  const ofEvents = rows.flatMap((row) => {
    const period = frozen.get(row.repId)?.find(({ range }) => isWithin(row.earnedOn, range)) ?? null;
    const isReplaced = row.kind === 'commission_earned' && period?.truedUp === true;
    return isReplaced ? [] : [toRow(row, period, row.trace === null ? null : decodeInputs(row.trace))];
  });
  const ofTrueUps = truedUp.flatMap((row) => {
    const period = frozen.get(row.repId)?.find((candidate) => candidate.period === row.truedUp);
    if (period?.truedUp !== true) return [];
    const trace = traces.get(keyOfRep(row));
    return [toRow(row, period, row.inputs ?? (trace === undefined ? null : decodeInputs(trace)))];
  });
  return [...ofEvents, ...ofTrueUps];
}

async function loadTruedUp(tx: Transaction, selection: RowSelection): Promise<StoredRow[]> {
  const isSelected =
    'repIds' in selection
      ? sql`t.rep_id = any(${selection.repIds}::uuid[])`
      : sql`t.deal_key = any(${selection.dealKeys}::text[])`;
  const { rows } = await sql<StoredRow>`
    select t.rep_id as "repId", null as "eventId", 'commission_earned' as kind, t.deal_key as "dealKey",
      t.plan_id as "planId", t.plan_version_id as "planVersionId", t.rule_id as "ruleId", t.rule_name as "ruleName",
      t.phase, t.category, t.amount, t.credit, t.currency, t.earned_on as "earnedOn", null as trace, t.inputs,
      t.frozen_period as "truedUp"
    from trued_up_rows t where t.workspace_id = ${tx.workspaceId} and ${isSelected}`.execute(tx.db);
  return rows;
}

/** The approved periods; at an earlier instant, one counts as trued up if a true-up of it was paid by then. */
async function loadFrozen(
  tx: Transaction,
  repIds: readonly string[],
): Promise<ReadonlyMap<string, readonly (FrozenDays & { readonly truedUp: boolean })[]>> {
  const isTruedUp =
    tx.asOf === null
      ? sql`coalesce(p.trued_up, false)`
      : sql`coalesce(p.trued_up, false) and exists (
          select from true_ups t
          join ${eventsTable(tx)} e on e.workspace_id = t.workspace_id and e.rep_id = t.rep_id and e.event_id = t.event_id
          where t.workspace_id = s.workspace_id and t.rep_id = s.rep_id and t.period = s.period and e.status = 'earned')`;
  const { rows } = await sql<FrozenDays & { readonly repId: string; readonly truedUp: boolean }>`
    select s.rep_id as "repId", s.period, json_build_object('from', s.from_day, 'to', s.to_day) as range,
      ${isTruedUp} as "truedUp"
    from ${statementPeriodsTable(tx)} s
    left join statement_periods p on p.workspace_id = s.workspace_id and p.rep_id = s.rep_id and p.period = s.period
    where s.workspace_id = ${tx.workspaceId} and s.rep_id = any(${repIds}::uuid[]) and s.status = 'approved'`.execute(
    tx.db,
  );
  return groupBy(rows, ({ repId }) => repId);
}

function keyOfRep(row: StoredRow): string {
  return `${row.repId}|${toKey(row)}`;
}

/** A row that a calculation gives and that is not stored. */
export function toComputedRow(row: Omit<StoredRow, 'kind' | 'eventId' | 'credit' | 'trace' | 'truedUp'>): PayableRow {
  const stored = { kind: 'commission_earned', eventId: null, credit: null, trace: null, truedUp: null } as const;
  return toRow({ ...row, ...stored }, null, row.inputs);
}

function toKey({
  kind,
  eventId,
  planId,
  ruleName,
  dealKey,
}: Pick<StoredRow, 'kind' | 'eventId' | 'planId' | 'ruleName' | 'dealKey'>): string {
  return kind === 'commission_earned' ? `${planId}|${ruleName}|${dealKey}` : (eventId as string);
}

/** Field by field: to copy the rest of a row of this size takes many times as long. */
function toRow(row: StoredRow, frozen: FrozenDays | null, inputs: readonly CascadeInput[] | null): PayableRow {
  const isOfDeal = row.kind === 'commission_earned' && row.phase !== 'periodic';
  return {
    repId: row.repId,
    eventId: row.eventId,
    planId: row.planId,
    planVersionId: row.planVersionId,
    ruleId: row.ruleId,
    ruleName: row.ruleName,
    phase: row.phase,
    category: row.category,
    amount: row.amount,
    credit: row.credit,
    currency: row.currency,
    key: toKey(row),
    dealKey: isOfDeal ? row.dealKey : null,
    day: frozen !== null && frozen.range.to < row.earnedOn ? frozen.range.to : row.earnedOn,
    frozen,
    inputs,
  };
}
