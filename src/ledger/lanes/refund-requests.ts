import { sql } from 'kysely';
import { dealOfKey, isRefundKey } from '../../engine/clawback.js';
import { decodeSourceDay } from '../../engine/trace.js';
import { type Day, type DayRange, extendRange, hull } from '../../kernel/day.js';
import { unnestRows } from '../../platform/database/columns.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { loadCascadeManagersAbove } from '../input/hierarchy.js';
import { type LoadedRepInput } from '../input/rep-input.js';
import { type RepTerms } from '../input/rep-terms.js';
import { type Difference } from '../output/difference.js';
import { type CalculationRequest } from '../requests/calculation-requests.js';
import { type PendingRequest } from './lanes.js';

/** What a run means for refunds on days that it has not calculated, and for managers. */
export interface RefundsOfLane {
  /** The deals of the window, and those of which rows changed. */
  readonly dealIds: ReadonlySet<string>;
  /** The days of changed rows of refunds, by deal. */
  readonly changed: ReadonlyMap<string, DayRange>;
  /** The days on which the sources of these rows were earned. */
  readonly sourceDays: DayRange | null;
}

/** Null in a workspace without refunds. */
export function refundsOfLane(
  { workspace: { hasRefunds } }: RepTerms,
  { deals, teamDeals, stored, refunds }: Pick<LoadedRepInput, 'deals' | 'teamDeals' | 'stored' | 'refunds'>,
  { writes, reversals }: Difference,
): RefundsOfLane | null {
  if (!hasRefunds && !stored.some(({ dealKey }) => isRefundKey(dealKey))) return null;
  const changed = new Map<string, DayRange>();
  const dealIds = new Set<string>();
  const sourceDays = writes.flatMap(({ decision }) =>
    isRefundKey(decision.dealKey) ? (decodeSourceDay(decision.trace) ?? []) : [],
  );
  const add = (dealKey: string, day: Day) => {
    const dealId = dealOfKey(dealKey);
    if (isRefundKey(dealKey)) extendRange(changed, dealId, { from: day, to: day });
    else dealIds.add(dealId);
  };
  for (const { decision, before } of writes) {
    add(decision.dealKey, decision.earnedOn);
    if (before !== null) add(before.dealKey, before.earnedOn);
  }
  for (const { dealKey, earnedOn } of reversals) add(dealKey, earnedOn);
  for (const { dealKey, earnedOn } of refunds?.sources ?? []) if (changed.has(dealKey)) sourceDays.push(earnedOn);
  for (const deal of [...deals, ...teamDeals.map((team) => team.deal)])
    if (deal.refunds !== undefined) dealIds.add(deal.dealId);
  return { dealIds, changed, sourceDays: spanOf(sourceDays) };
}

function spanOf(days: readonly Day[]): DayRange | null {
  const sorted = days.toSorted();
  const [from, to] = [sorted[0], sorted.at(-1)];
  return from === undefined || to === undefined ? null : { from, to };
}

interface LaneOfRefunds {
  readonly terms: RepTerms;
  readonly window: DayRange;
  readonly requests: readonly PendingRequest[];
}

/**
 * The requests for the days of refunds outside of the window whose deals were calculated in it, and for the managers who
 * earned on the deals of changed refunds: they may no longer be above.
 */
export async function findRefundRequests(
  tx: Transaction,
  lanes: readonly LaneOfRefunds[],
  refunds: readonly (RefundsOfLane | null)[],
): Promise<CalculationRequest[]> {
  const affected = lanes.flatMap((lane, index) => {
    const ofLane = refunds[index] ?? null;
    return ofLane === null ? [] : [{ ...lane, ...ofLane, index }];
  });
  if (affected.length === 0) return [];
  const deals = affected.flatMap(({ index, dealIds, changed, window }) =>
    [...new Set([...dealIds, ...changed.keys()])].map((dealId) => ({
      index,
      dealId,
      // A refund of which a row was reversed may be dated on an earlier day now.
      isChanged: changed.has(dealId),
      ...window,
    })),
  );
  const moved = affected.flatMap(({ index, changed, terms }) =>
    [...changed].map(([dealId, days]) => ({ index, dealId, repId: terms.repId, ...days })),
  );
  const own = (await findOwnDays(tx, deals)).map((found) => ({
    ...found,
    repId: lanes[found.index]?.terms.repId as string,
  }));
  const managers = [...(await findManagers(tx, moved)), ...(await findManagersAbove(tx, affected))];
  return [...own, ...managers].flatMap(({ index, repId, from, to }) =>
    withTriggers(lanes[index] as LaneOfRefunds, repId, { from, to }),
  );
}

/** One request for each trigger and job: the cause of a change of an approved period is that of the deal. */
function withTriggers({ requests, terms }: LaneOfRefunds, repId: string, days: DayRange): CalculationRequest[] {
  const causes = new Map(
    requests.map(({ trigger, job_id: jobId, deal_id: dealId }) => [
      `${trigger}|${jobId}|${dealId}`,
      { trigger, jobId, dealId },
    ]),
  );
  return [...causes.values()].map(({ trigger, jobId, dealId }) => ({
    repId,
    days,
    trigger: repId === terms.repId ? trigger : 'cascade',
    jobId: jobId ?? undefined,
    dealId: dealId ?? undefined,
  }));
}

interface FoundDays extends DayRange {
  readonly index: number;
}

/** The days of refunds outside of the windows. */
async function findOwnDays(
  tx: Transaction,
  deals: readonly (FoundDays & { readonly dealId: string; readonly isChanged: boolean })[],
): Promise<FoundDays[]> {
  if (deals.length === 0) return [];
  const { rows } = await sql<FoundDays>`
    select input.index, min(r.day) as "from", max(r.day) as "to"
    from ${unnestRows(deals, [
      ['index', 'integer', ({ index }) => index],
      ['id', 'text', ({ dealId }) => dealId],
      ['from_day', 'date', ({ from }) => from],
      ['to_day', 'date', ({ to }) => to],
      ['is_changed', 'boolean', ({ isChanged }) => String(isChanged)],
    ])} cross join lateral (
      select day from deal_refunds
      where workspace_id = ${tx.workspaceId} and deal_id = input.id
        and (day > input.to_day or (input.is_changed and day < input.from_day))
      offset 0
    ) r
    group by input.index`.execute(tx.db);
  return rows;
}

/** The people who were above when the deals closed: a calculation of their rows may be running. */
async function findManagersAbove(
  tx: Transaction,
  affected: readonly (LaneOfRefunds & RefundsOfLane & { readonly index: number })[],
): Promise<(FoundDays & { readonly repId: string })[]> {
  const below = affected.flatMap(({ terms, changed, sourceDays, index }) =>
    sourceDays === null || !terms.hasManagers
      ? []
      : [{ repId: terms.repId, days: sourceDays, index, refunded: [...changed.values()].reduce(hull) }],
  );
  const above = await loadCascadeManagersAbove(tx, below);
  return below.flatMap(({ repId, index, refunded }) =>
    (above.get(repId) ?? []).map((manager) => ({ index, repId: manager, ...refunded })),
  );
}

/** The people above with a row on the deals. */
async function findManagers(
  tx: Transaction,
  moved: readonly (FoundDays & { readonly dealId: string; readonly repId: string })[],
): Promise<(FoundDays & { readonly repId: string })[]> {
  if (moved.length === 0) return [];
  const { rows } = await sql<FoundDays & { repId: string }>`
    select input.index, c.rep_id as "repId", min(input.from_day) as "from", max(input.to_day) as "to"
    from ${unnestRows(moved, [
      ['index', 'integer', ({ index }) => index],
      ['id', 'text', ({ dealId }) => dealId],
      ['own_id', 'uuid', ({ repId }) => repId],
      ['from_day', 'date', ({ from }) => from],
      ['to_day', 'date', ({ to }) => to],
    ])} cross join lateral (
      select rep_id from commission_events
      where workspace_id = ${tx.workspaceId} and deal_key = input.id and phase = 'cascade' and status = 'earned'
      union select rep_id from trued_up_rows
      where workspace_id = ${tx.workspaceId} and deal_key = input.id and phase = 'cascade'
      offset 0
    ) c
    where c.rep_id <> input.own_id
    group by input.index, c.rep_id`.execute(tx.db);
  return rows;
}
