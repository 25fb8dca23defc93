import { sql } from 'kysely';
import { type Day, type DayRange, hull } from '../../kernel/day.js';
import { groupBy } from '../../kernel/group-by.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type Trigger } from '../requests/calculation-requests.js';

/** The serial queue of one rep. */
export interface Lane {
  readonly workspaceId: string;
  readonly repId: string;
}

/** The stored state of a lane. */
export interface LockedLane {
  readonly repId: string;
  readonly clearedAt: Date | null;
  /** False from a deletion of events until a calculation over all days. */
  readonly isComplete: boolean;
  readonly hasFailed: boolean;
  readonly mark: StoredMark | null;
}

/**
 * The result of a run over all days, valid until an input of it changes. A rep that is calculated in parts has an
 * incomplete mark until the last of them.
 */
export interface FreshnessMark {
  readonly revision: string;
  readonly until: Day;
  /** The last calculated day. */
  readonly through: Day;
  readonly deals: number;
  readonly skipped: number;
}

/** A freshness mark with the code that calculated it. */
export interface StoredMark extends FreshnessMark {
  readonly code: string;
}

type LaneRow = Omit<LockedLane, 'mark'> & { readonly [Column in keyof StoredMark]: StoredMark[Column] | null };

/** Locks the lane's row. Returns null if there is none. */
export async function lockLane(tx: Transaction, repId: string): Promise<LockedLane | null> {
  return (await lockLanes(tx, [repId], { wait: true })).get(repId) ?? null;
}

/**
 * Locks the rows of the lanes and returns them by rep. Without `wait`, lanes that another transaction holds are left out,
 * so that transactions that lock several lanes neither wait nor deadlock.
 */
export async function lockLanes(
  tx: Transaction,
  repIds: readonly string[],
  { wait }: { readonly wait: boolean },
): Promise<ReadonlyMap<string, LockedLane>> {
  const { rows } = await sql<LaneRow>`
    select rep_id as "repId", cleared_at as "clearedAt", not incomplete as "isComplete", attempts > 0 or parked_at is not null as "hasFailed",
      fresh_revision as revision, fresh_code as code, fresh_until as until, fresh_through as through,
      fresh_deals as deals, fresh_skipped as skipped
    from lanes where workspace_id = ${tx.workspaceId} and rep_id = any(${repIds}::uuid[])
    order by rep_id
    for no key update ${wait ? sql`` : sql`skip locked`}`.execute(tx.db);
  return new Map(rows.map((row) => [row.repId, lockedLane(row)]));
}

function lockedLane({ repId, clearedAt, isComplete, hasFailed, ...mark }: LaneRow): LockedLane {
  return { repId, clearedAt, isComplete, hasFailed, mark: mark.revision === null ? null : (mark as StoredMark) };
}

/** A stored calculation request. */
export interface PendingRequest {
  readonly request_id: string;
  readonly rep_id: string;
  readonly from_day: string;
  readonly to_day: string;
  readonly trigger: Trigger;
  readonly deal_id: string | null;
  readonly job_id: string | null;
  /** Whether the days before the first one in its attainment period have been calculated. */
  readonly continues: boolean;
}

/** The requests of the lanes, by rep. */
export async function loadPendingRequests(
  tx: Transaction,
  repIds: readonly string[],
): Promise<ReadonlyMap<string, readonly PendingRequest[]>> {
  const { rows } = await sql<PendingRequest>`
    select request_id, rep_id, from_day, to_day, trigger, deal_id, job_id, continues from calculation_requests
    where workspace_id = ${tx.workspaceId} and rep_id = any(${repIds}::uuid[])
    order by rep_id, request_id`.execute(tx.db);
  return groupBy(rows, (row) => row.rep_id);
}

export function hullOfDays(requests: readonly PendingRequest[]): DayRange {
  return requests.map((request) => ({ from: request.from_day, to: request.to_day })).reduce(hull);
}

export function distinctTriggers(requests: readonly PendingRequest[]): Trigger[] {
  return distinct(requests.map((request) => request.trigger));
}

export function distinctJobs(requests: readonly PendingRequest[]): string[] {
  return distinct(requests.map((request) => request.job_id));
}

export function distinctDeals(requests: readonly PendingRequest[]): string[] {
  return distinct(requests.map((request) => request.deal_id));
}

function distinct<T extends string>(values: readonly (T | null)[]): T[] {
  return [...new Set(values.filter((value) => value !== null))];
}
