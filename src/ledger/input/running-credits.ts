import { sql } from 'kysely';
import { type RunningCredits, type RunningInput, runningCreditSteps } from '../../engine/running-credit.js';
import { type Deal } from '../../engine/slug.js';
import { type Day, type DayRange, extendRange } from '../../kernel/day.js';
import { groupBy } from '../../kernel/group-by.js';
import { type Period } from '../../kernel/period.js';
import { EventLoopSlice } from '../../kernel/waiting.js';
import { unnestRows } from '../../platform/database/columns.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { daysOfDeals, givenRepDays } from './deals-of-rep.js';
import { fxInput } from './exchange-rates.js';
import { loadFirstActivities, loadOwnedDeals } from './load-window.js';
import {
  assignedPlans,
  calendarOf,
  loadTerms,
  personInput,
  quotaFinder,
  type RepTerms,
  workingTimeInput,
} from './rep-terms.js';

/** A quota to which only periodic rules count. */
export interface RunningQuota {
  readonly repId: string;
  readonly planId: string;
  readonly measure: string;
  readonly period: Period;
  /** The last day whose deals are counted. */
  readonly through: Day;
}

/** The credit so far, as a decimal text, or why there is none. */
export type RunningCredit =
  | { readonly credit: string; readonly uncounted?: never }
  | { readonly credit: null; readonly uncounted: string };

/** The deals that one answer reads for it. The team overview of 500 people with as many took 0.95 s on a busy machine. */
const maxDeals = 50_000;

/**
 * What periodic rules have collected towards the quotas, in their order, as the engine counts it. The rules count once,
 * at the end of the period; then the quota has the credit of the ledger.
 */
export async function loadRunningCredits(
  tx: Transaction,
  quotas: readonly RunningQuota[],
): Promise<readonly RunningCredit[]> {
  if (quotas.length === 0) return [];
  const terms = await loadTerms(tx, [...new Set(quotas.map(({ repId }) => repId))]);
  const calendar = calendarOf(terms[0] as RepTerms);
  const days = new Map<string, DayRange>();
  for (const { repId, period } of quotas) extendRange(days, repId, calendar.range(period));
  const spans = [...days].map(([repId, range]) => ({ repId, days: range }));
  if ((await countDeals(tx, spans)) > maxDeals)
    return quotas.map(() => ({ credit: null, uncounted: 'too_many_deals' }));
  const deals = await loadOwnedDeals(tx, terms[0] as RepTerms, spans, terms);
  const firstActivities = await loadFirstActivities(tx, terms);
  const inputs = new Map(
    terms.map((ofRep, index) => {
      const input = toInput(ofRep, deals.get(ofRep.repId) ?? [], firstActivities[index] ?? null);
      return [ofRep.repId, input] as const;
    }),
  );
  return countAll(quotas, inputs);
}

async function countAll(
  quotas: readonly RunningQuota[],
  inputs: ReadonlyMap<string, RunningInput>,
): Promise<RunningCredit[]> {
  const slice = new EventLoopSlice();
  const counted = new Map<RunningQuota, RunningCredit>();
  // Quotas of one rep and period share a calculation.
  const shared = groupBy(quotas, ({ repId, period, through }) => [repId, period, through].join(' '));
  for (const ofPeriod of shared.values()) {
    const credits = await count(ofPeriod[0] as RunningQuota, inputs, slice);
    for (const quota of ofPeriod) counted.set(quota, toCredit(credits, quota));
  }
  return quotas.map((quota) => counted.get(quota) as RunningCredit);
}

async function count(
  { repId, period, through }: RunningQuota,
  inputs: ReadonlyMap<string, RunningInput>,
  slice: EventLoopSlice,
): Promise<RunningCredits> {
  const input = inputs.get(repId) as RunningInput;
  const steps = runningCreditSteps(input, period, { days: input.calendar?.range(period) as DayRange, through });
  for (;;) {
    const step = steps.next();
    await slice.pause();
    if (step.done === true) return step.value;
  }
}

function toCredit(credits: RunningCredits, { planId, measure }: RunningQuota): RunningCredit {
  const credit = credits.creditOf(planId, measure);
  if (credit !== null) return { credit: credit.toString() };
  return { credit: null, uncounted: credits.reasonOf(planId) ?? 'outside_effective_dates' };
}

function toInput(terms: RepTerms, deals: readonly Deal[], firstActivity: Day | null): RunningInput {
  return {
    repId: terms.repId,
    plans: assignedPlans(terms),
    deals,
    quota: quotaFinder(terms.quotas),
    ...workingTimeInput(terms),
    ...personInput(terms),
    ...fxInput(terms),
    calendar: calendarOf(terms),
    firstActivity,
  };
}

async function countDeals(
  tx: Transaction,
  spans: readonly { readonly repId: string; readonly days: DayRange }[],
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from (
      select from ${unnestRows(spans, [
        ['rep_id', 'uuid', ({ repId }) => repId],
        ['from_day', 'date', ({ days }) => days.from],
        ['to_day', 'date', ({ days }) => days.to],
      ])} cross join lateral (${daysOfDeals(givenRepDays(tx.workspaceId))}) d
      limit ${maxDeals + 1}
    ) counted`.execute(tx.db);
  return rows[0]?.count ?? 0;
}
