import { sql } from 'kysely';
import { type CarriedCredit } from '../../engine/carried-credit.js';
import { isRefundKey } from '../../engine/clawback.js';
import { attainmentKey } from '../../engine/plan-config.js';
import { creditAfter } from '../../engine/trace.js';
import { addDays, type Day, overlap } from '../../kernel/day.js';
import { Decimal } from '../../kernel/decimal.js';
import { getOrInsert } from '../../kernel/get-or-insert.js';
import { groupBy } from '../../kernel/group-by.js';
import { unnestRows } from '../../platform/database/columns.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type RepWindow } from './load-window.js';
import { calendarOf, isEveryVersionActive, type RepTerms } from './rep-terms.js';

/** A shortened window and the days before it. */
interface LeftOut {
  readonly index: number;
  readonly terms: RepTerms;
  readonly from: Day;
  readonly to: Day;
}

/** Loads, for each rep, the credit of the events on the days that the window leaves out. */
export async function loadCarriedCredits(
  tx: Transaction,
  windows: readonly RepWindow[],
): Promise<(readonly CarriedCredit[])[]> {
  const leftOut = windows.flatMap(({ terms, window, carriedFrom }, index): LeftOut[] =>
    carriedFrom === undefined ? [] : [{ terms, index, from: carriedFrom, to: addDays(window.from, -1) }],
  );
  const carried = await loadLatestCredits(tx, leftOut.filter(hasCurrentTraces));
  const unknown = leftOut.filter(({ index }) => !carried.has(index));
  for (const [index, sums] of await loadSums(tx, unknown)) carried.set(index, sums);
  return windows.map((_, index) => carried.get(index) ?? []);
}

type CarriedByIndex = Map<number, readonly CarriedCredit[]>;

/**
 * Whether the trace of the latest event gives the credit up to it. Traces of approved and of stopped days are those of
 * the time when they were calculated.
 */
function hasCurrentTraces({ terms, from, to }: LeftOut): boolean {
  return isEveryVersionActive(terms) && !terms.frozen.some(({ range }) => overlap(range, { from, to }));
}

const maxLatestEvents = 200;

interface LatestEvent {
  readonly index: number;
  readonly planId: string;
  readonly attainmentKey: string;
  readonly period: string;
  readonly earnedOn: Day;
  readonly dealKey: string;
  readonly trace: string;
}

/**
 * Reads the credit of each attainment key from the trace of its latest event. Reps whose latest events do not contain
 * every key are left out, so that the number of rows does not grow with the number of deals.
 */
async function loadLatestCredits(tx: Transaction, leftOut: readonly LeftOut[]): Promise<CarriedByIndex> {
  const [first] = leftOut;
  if (first === undefined) return new Map();
  const { rows } = await sql<LatestEvent>`
    select input.index, e.plan_id as "planId", e.attainment_key as "attainmentKey",
      e.period, e.earned_on as "earnedOn", e.deal_key as "dealKey", e.trace
    from ${daysLeftOut(leftOut)} cross join lateral (
      select plan_id, attainment_key, period, earned_on, deal_key, trace from commission_events
      where ${isCounted(tx.workspaceId)}
      order by earned_on desc
      fetch first ${sql.lit(maxLatestEvents)} rows with ties
    ) e`.execute(tx.db);
  const byIndex = groupBy(rows, ({ index }) => index);
  const carried: CarriedByIndex = new Map();
  for (const days of leftOut) {
    const events = byIndex.get(days.index) ?? [];
    const latest = latestByKey(events);
    const isComplete = events.length < maxLatestEvents;
    if (!isComplete && keysInProgress(days).some((key) => !latest.has(key))) continue;
    const credits = [...latest.values()].map(
      (event): CarriedCredit => ({ ...event, credit: creditAfter(event.trace) }),
    );
    carried.set(days.index, credits);
  }
  return carried;
}

function latestByKey(events: readonly LatestEvent[]): ReadonlyMap<string, LatestEvent> {
  const latest = new Map<string, LatestEvent>();
  for (const event of events) {
    const key = `${event.planId}|${event.attainmentKey}|${event.period}`;
    const { earnedOn, dealKey } = getOrInsert(latest, key, () => event);
    if (event.earnedOn > earnedOn || (event.earnedOn === earnedOn && isAfter(event.dealKey, dealKey)))
      latest.set(key, event);
  }
  return latest;
}

/** Whether the key comes later on the same day: refunds follow the deals. */
function isAfter(key: string, other: string): boolean {
  const isRefund = isRefundKey(key);
  return isRefund === isRefundKey(other) ? key > other : isRefund;
}

/** The attainment keys whose period begins on a day that is left out and has not ended. */
function keysInProgress({ terms, to }: LeftOut): string[] {
  const first = addDays(to, 1);
  const calendar = calendarOf(terms);
  return terms.versions.flatMap(({ planId, rules }) =>
    rules.flatMap((rule) => {
      const period = calendar.findPeriod(first, rule.attainmentPeriod, rule.calendar);
      return period === null || calendar.findRange(period)?.from === first
        ? []
        : [`${planId}|${attainmentKey(rule)}|${period}`];
    }),
  );
}

async function loadSums(tx: Transaction, leftOut: readonly LeftOut[]): Promise<CarriedByIndex> {
  const [first] = leftOut;
  if (first === undefined) return new Map();
  const { rows } = await sql<Record<keyof CarriedCredit, string> & { index: number }>`
    select input.index, e.plan_id as "planId", e.attainment_key as "attainmentKey", e.period, e.credit
    from ${daysLeftOut(leftOut)} cross join lateral (
      select plan_id, attainment_key, period, sum(credit) as credit
      from commission_events
      where ${isCounted(tx.workspaceId)}
      group by plan_id, attainment_key, period
      offset 0
    ) e`.execute(tx.db);
  const credits = rows.map((row) => ({ ...row, credit: Decimal.of(row.credit) }));
  return groupBy(credits, ({ index }) => index);
}

function daysLeftOut(leftOut: readonly LeftOut[]) {
  return unnestRows(leftOut, [
    ['index', 'integer', ({ index }) => index],
    ['rep_id', 'uuid', ({ terms }) => terms.repId],
    ['from_day', 'date', ({ from }) => from],
    ['to_day', 'date', ({ to }) => to],
  ]);
}

function isCounted(workspaceId: string) {
  return sql`workspace_id = ${workspaceId} and rep_id = input.rep_id and kind = 'commission_earned'
    and status = 'earned' and earned_on between input.from_day and input.to_day`;
}
