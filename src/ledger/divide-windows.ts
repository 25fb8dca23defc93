import { sql } from 'kysely';
import { addDays, type Day, type DayRange } from '../kernel/day.js';
import { periodOf, periodRange } from '../kernel/period.js';
import { type Work } from '../platform/database/unit-of-work.js';
import { requestCalculation } from './calculation-requests.js';
import { type PendingRequest } from './lanes.js';
import { calculationWindow, maxPeriodKind, type RepWindow } from './load-window.js';

/** Deals of one rep that one transaction calculates, unless a single attainment period has more. */
export const maxDealsOfLane = 10_000;

/** A lane with its requests and the days that they cover. */
export interface RequestedWindow extends RepWindow {
  readonly requests: readonly PendingRequest[];
}

/**
 * Divides the window of a lane with very many deals: this run calculates the first attainment periods, and requests for
 * the remaining days replace the present ones in its transaction. Locks are thus held for one period and not for all of
 * them. Only a lane that is calculated alone is divided, since the lanes of a batch are small.
 */
export async function divideWindow<Lane extends RequestedWindow>(
  trx: Work,
  lane: Lane,
  maxDeals: number,
): Promise<{ readonly lane: Lane; readonly isDivided: boolean }> {
  const window = await firstPart(trx, lane, maxDeals);
  if (window === null) return { lane, isDivided: false };
  const begun = lane.requests.filter((request) => request.from_day <= window.to);
  await requestRest(trx, lane.terms, window.to, begun);
  const requests = begun.map((request) => ({ ...request, to_day: earlier(request.to_day, window.to) }));
  return { lane: { ...lane, window, requests }, isDivided: true };
}

/** The days of the first attainment periods with at most `maxDeals` deals; null if all periods have fewer. */
async function firstPart(trx: Work, { terms, window }: RepWindow, maxDeals: number): Promise<DayRange | null> {
  const kind = maxPeriodKind([terms]);
  if (periodOf(window.from, kind) === periodOf(window.to, kind)) return null;
  const months = await dealsByMonth(trx, terms.workspaceId, terms.repId, window);
  let deals = 0;
  let end: Day | null = null;
  for (const { day, count } of months) {
    const periodEnd = periodRange(periodOf(day, kind)).to;
    if (end !== null && periodEnd > end && deals + dealsUntil(months, end, periodEnd) > maxDeals) {
      // An approved period that overlaps the end is calculated as a whole.
      const part = calculationWindow(terms, { from: window.from, to: end });
      return part.to < window.to ? part : null;
    }
    end = periodEnd;
    deals += count;
  }
  return null;
}

interface MonthOfDeals {
  readonly day: Day;
  readonly count: number;
}

function dealsUntil(months: readonly MonthOfDeals[], after: Day, end: Day): number {
  return months.reduce((sum, { day, count }) => (day > after && day <= end ? sum + count : sum), 0);
}

async function dealsByMonth(trx: Work, workspaceId: string, repId: string, days: DayRange): Promise<MonthOfDeals[]> {
  const { rows } = await sql<MonthOfDeals>`
    select date_trunc('month', close_date)::date as day, count(*)::int as count from deals
    where workspace_id = ${workspaceId} and rep_id = ${repId} and deleted_at is null
      and close_date between ${days.from} and ${days.to}
    group by 1 order by 1`.execute(trx);
  return rows;
}

async function requestRest(
  trx: Work,
  { workspaceId, repId }: RepWindow['terms'],
  calculatedTo: Day,
  begun: readonly PendingRequest[],
): Promise<void> {
  const rest = begun.filter((request) => request.to_day > calculatedTo);
  await requestCalculation(
    trx,
    workspaceId,
    rest.map((request) => ({
      repId,
      days: { from: addDays(calculatedTo, 1), to: request.to_day },
      trigger: request.trigger,
      dealId: request.deal_id ?? undefined,
      jobId: request.job_id ?? undefined,
    })),
  );
}

function earlier(a: Day, b: Day): Day {
  return a < b ? a : b;
}
