import { sql } from 'kysely';
import { addDays, allDays, type Day, type DayRange, intersection, overlap } from '../../kernel/day.js';
import { unnestRows } from '../../platform/database/columns.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { daysOfDeals, givenRepDays } from '../input/deals-of-rep.js';
import { loadTeam } from '../input/hierarchy.js';
import { computeWindow, widenToPeriods } from '../input/load-window.js';
import { hasCascades, type RepTerms } from '../input/rep-terms.js';
import { type CalculationRequest } from '../requests/calculation-requests.js';
import { hullOfDays, type PendingRequest } from './lanes.js';
import { isSum, namesFirstDeal, type RequestedWindow, shortenWindow } from './shorten-windows.js';

/** Deals of one rep and the reps below that one transaction calculates. */
export const maxDealsOfLane = 10_000;

/** Deals that are calculated together if a rule needs a whole attainment period: they need about 2 GB. */
const maxDealsAtOnce = 300_000;

/** The part of a lane that one transaction calculates. */
interface LanePart<Lane> {
  readonly lane: Lane & { readonly carriedFrom?: Day };
  /**
   * The requests for the days after the part, which replace those that it takes; null if the lane is not divided.
   * `movesUntil`: the last day on which deals are paid differently because the part changed sums; null if none are.
   */
  readonly rest: ((movesUntil: Day | null) => readonly CalculationRequest[]) | null;
}

/**
 * Divides a lane with very many deals, its own and those of the team, between two days: a transaction calculates some
 * thousand of them. The next one continues with the sums of the events before it. Where a rule needs more than these
 * sums, the lane is divided between attainment periods. The days after the changed deals are calculated only if the part
 * changed the sums with which they begin.
 *
 * A part begins with the oldest request, and what is left gets a new request. Changes that arrive meanwhile are therefore
 * calculated in turn with it, and neither delays the other without end. Only a lane that is calculated alone is divided,
 * since the lanes of a batch are small.
 */
export async function divideLane<Lane extends RequestedWindow>(
  tx: Transaction,
  lane: Lane,
  maxDeals: number,
): Promise<LanePart<Lane>> {
  const whole = shortenWindow(lane);
  const team = hasCascades(lane.terms) ? await loadTeam(tx, lane.terms.repId) : [];
  const deals = new DealCounts(tx, lane.terms.repId, team);
  if (!(await deals.exceed(whole.window, maxDeals))) return { lane: whole, rest: null };
  const { from, isFirst, isUntrusted } = findStart(lane);
  const end = findEnd(lane, await deals.byDay({ from, to: lane.window.to }), maxDeals);
  const selected = lane.requests.filter(
    (request) => isFirst(request) || (request.from_day >= from && request.from_day <= end),
  );
  const last = selected.map((request) => (isUntrusted(request) ? lane.window.to : request.to_day)).reduce(later);
  const to = last < end && isBoundary(lane.terms, addDays(last, 1)) ? last : end;
  const { from: periodStart } = periodAround(lane.terms, from);
  return {
    lane: {
      ...lane,
      window: { from, to },
      requests: selected,
      ...(periodStart < from ? { carriedFrom: periodStart } : {}),
    },
    rest: (movesUntil) => remainingRequests(lane.terms, selected, to, isUntrusted, movesUntil),
  };
}

/**
 * The first day of the part. A request that does not name the first deal that can be paid differently begins with its
 * attainment period; its rest continues there.
 */
function findStart({ terms, requests, locked }: RequestedWindow): {
  readonly from: Day;
  /** Whether the part is calculated because of the request. */
  readonly isFirst: (request: PendingRequest) => boolean;
  readonly isUntrusted: (request: PendingRequest) => boolean;
} {
  const continued = requests.filter(({ continues }) => continues).map(({ from_day: from }) => from);
  const firstContinued = continued.length === 0 ? null : continued.reduce(earlier);
  const isTrusted = (request: PendingRequest) =>
    request.continues || (namesFirstDeal(request) && (locked.isComplete || firstContinued !== null));
  const untrusted = requests.filter((request) => !isTrusted(request));
  if (untrusted.length > 0) {
    const isUntrusted = (request: PendingRequest) => !isTrusted(request);
    return { from: computeWindow(terms, hullOfDays(untrusted)).from, isFirst: isUntrusted, isUntrusted };
  }
  // Without all events, a changed deal after a day at which the calculation continues waits for it.
  const oldest = requests.find(
    ({ continues, from_day: from }) => continues || locked.isComplete || from < (firstContinued as Day),
  ) as PendingRequest;
  const trailing = selectTrailing(requests);
  const first = trailing.includes(oldest) ? trailing : [oldest];
  return {
    from: boundaryUpTo(terms, first.map(({ from_day: from }) => from).reduce(earlier)),
    isFirst: (request) => first.includes(request),
    isUntrusted: () => false,
  };
}

/**
 * The requests that continue before the furthest one. They are calculated as one: their days follow each other, and each
 * would calculate the same ones again. The furthest one ends first, so that new changes do not keep it from the last days.
 */
function selectTrailing(requests: readonly PendingRequest[]): readonly PendingRequest[] {
  const continued = requests.filter(({ continues }) => continues);
  const furthest = continued.map(({ from_day: from }) => from).reduce(later, '');
  return continued.filter(({ from_day: from }) => from < furthest);
}

/** The last day on which a part may begin, up to the given one. */
function boundaryUpTo(terms: RepTerms, day: Day): Day {
  if (isBoundary(terms, day)) return day;
  const frozen = terms.frozen.find(({ range }) => range.from < day && day <= range.to);
  const start = frozen?.range.from ?? periodAround(terms, day).from;
  return isBoundary(terms, start) ? start : computeWindow(terms, { from: start, to: day }).from;
}

/** Whether the lane may be divided before the day: an approved period is calculated as a whole. */
function isBoundary(terms: RepTerms, day: Day): boolean {
  if (terms.frozen.some(({ range }) => range.from < day && day <= range.to)) return false;
  const period = periodAround(terms, day);
  return period.from === day || isSum(terms, period);
}

/** The longest attainment period that contains the day; of rules of both calendars, all that overlap each other. */
function periodAround(terms: RepTerms, day: Day): DayRange {
  return widenToPeriods(terms, { from: day, to: day });
}

interface DealDay {
  readonly day: Day;
  readonly count: number;
}

/**
 * The last day of the part: the end of an attainment period if at most `maxDeals` deals lie before it, otherwise the
 * last possible day with so many, otherwise the first possible day.
 */
function findEnd({ terms, window }: RequestedWindow, days: readonly DealDay[], maxDeals: number): Day {
  let deals = 0;
  let best: { readonly end: Day; readonly isPeriod: boolean } | null = null;
  for (const [index, { day, count }] of days.entries()) {
    deals += count;
    if (best !== null && deals > maxDeals) return best.end;
    const next = days[index + 1]?.day;
    if (next === undefined) return window.to;
    const { to: periodEnd } = periodAround(terms, day);
    const end = periodEnd < next ? periodEnd : day;
    const isPeriod = end === periodEnd;
    if (isBoundary(terms, addDays(end, 1)) && (isPeriod || best?.isPeriod !== true)) best = { end, isPeriod };
    if (best === null && deals > maxDealsAtOnce)
      throw new Error(`${deals} deals must be calculated together, which is more than ${maxDealsAtOnce}`);
  }
  return window.to;
}

function remainingRequests(
  terms: RepTerms,
  selected: readonly PendingRequest[],
  calculatedTo: Day,
  isUntrusted: (request: PendingRequest) => boolean,
  movesUntil: Day | null,
): CalculationRequest[] {
  const { repId } = terms;
  const from = addDays(calculatedTo, 1);
  const rest = new Map<string, CalculationRequest>();
  for (const request of selected) {
    const { trigger } = request;
    const own = isUntrusted(request)
      ? computeWindow(terms, { from: request.from_day, to: request.to_day }).to
      : request.to_day;
    const to = later(own, movesUntil ?? own);
    if (to < from) continue;
    const dealId = own < from ? undefined : (request.deal_id ?? undefined);
    const jobId = request.job_id ?? undefined;
    const key = `${trigger}|${dealId}|${jobId}`;
    const until = later(to, rest.get(key)?.days.to ?? to);
    rest.set(key, { repId, days: { from, to: until }, trigger, dealId, jobId, continues: true });
  }
  return [...rest.values()];
}

/** Counts the deals that a calculation of the rep reads. */
class DealCounts {
  private readonly sources: readonly ({ readonly repId: string } & DayRange)[];

  constructor(
    private readonly tx: Transaction,
    repId: string,
    team: readonly ({ readonly repId: string } & DayRange)[],
  ) {
    this.sources = [{ repId, ...allDays }, ...team];
  }

  async exceed(days: DayRange, max: number): Promise<boolean> {
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from (
        select from ${this.within(days)} limit ${max + 1}
      ) counted`.execute(this.tx.db);
    return (rows[0]?.count ?? 0) > max;
  }

  async byDay(days: DayRange): Promise<readonly DealDay[]> {
    const { rows } = await sql<DealDay>`
      select d.close_date as day, count(*)::int as count from ${this.within(days)} group by 1 order by 1`.execute(
      this.tx.db,
    );
    return rows;
  }

  private within(days: DayRange) {
    const spans = this.sources
      .filter((source) => overlap(source, days))
      .map(({ repId, ...span }) => ({ repId, ...intersection(span, days) }));
    return sql`${unnestRows(spans, [
      ['rep_id', 'uuid', ({ repId }) => repId],
      ['from_day', 'date', ({ from }) => from],
      ['to_day', 'date', ({ to }) => to],
    ])} cross join lateral (${daysOfDeals(givenRepDays(this.tx.workspaceId))}) d`;
  }
}

function earlier(a: Day, b: Day): Day {
  return a < b ? a : b;
}

function later(a: Day, b: Day): Day {
  return a > b ? a : b;
}
