import { loadPeriodicRuleIds } from '../earnings/periodic-rules.js';
import { refundKey } from '../engine/clawback.js';
import { type Decision, type RepInput, type RepResult } from '../engine/model.js';
import { attainmentKey } from '../engine/plan-config.js';
import { PlanQuotas } from '../engine/plan-quotas.js';
import { type Deal } from '../engine/slug.js';
import { type Day, type DayRange, isWithin } from '../kernel/day.js';
import { Decimal } from '../kernel/decimal.js';
import { type Period } from '../kernel/period.js';
import { type PeriodCalendar, toCalendar } from '../kernel/period-calendar.js';
import { type StoredVersion } from '../ledger/input/rep-terms.js';
import { type ProrationResponse, toProrationResponse } from '../plans/quotas/proration.js';
import { type SimulatedRepData } from '../simulation/simulated-reps.js';
import { calculateTeam, type SimulatedInput } from '../simulation/simulated-team.js';
import { type SimulatedPayable, simulatePayables } from './simulated-payables.js';
import { type SimulationHead } from './simulation-task.js';

export interface SimulatedRep {
  readonly repId: string;
  readonly decisions: readonly Decision[];
  readonly outcomes: RepResult['outcomes'];
  /** When it is paid; undefined while payouts are off. */
  readonly payable: SimulatedPayable | undefined;
  readonly attainment: readonly {
    readonly measure: string;
    readonly period: Period;
    readonly target: number | null;
    readonly proration?: ProrationResponse;
    readonly credit: number;
  }[];
}

/** Calculates the reps, in a worker thread without access to the database. */
export async function simulate(head: SimulationHead, reps: readonly SimulatedRepData[]): Promise<SimulatedRep[]> {
  const { inputs, results } = await calculateTeam(head, reps);
  const payableOf = simulatePayables(head, reps, results, toCalendar(head.fiscalYears).range(head.period));
  return head.repIds.map((repId) => ({
    ...simulatedRep(repId, inputs.get(repId) as SimulatedInput, results.get(repId) as RepResult, head),
    payable: payableOf(repId),
  }));
}

function simulatedRep(
  repId: string,
  input: RepInput,
  result: RepResult,
  { versions, period, fiscalYears }: SimulationHead,
): Omit<SimulatedRep, 'payable'> {
  const calendar = toCalendar(fiscalYears);
  const range = calendar.range(period);
  const inPeriod = (day: Day) => isWithin(day, range);
  const closed = new Set(input.deals.filter((deal) => inPeriod(deal.closeDate)).map((deal) => deal.dealId));
  const team = new Set(input.teamDeals.filter(({ deal }) => inPeriod(deal.closeDate)).map(({ deal }) => deal.dealId));
  const refunded = new Set([...input.deals, ...input.teamDeals.map(({ deal }) => deal)].flatMap(refundKeys(inPeriod)));
  const periodic = loadPeriodicRuleIds(versions);
  return {
    repId,
    decisions: result.decisions.filter((decision) => inPeriod(decision.earnedOn)),
    outcomes: result.outcomes.filter(({ ruleId, dealKey }) =>
      periodic.has(ruleId ?? '')
        ? inPeriod(calendar.range(dealKey).to)
        : closed.has(dealKey) || team.has(dealKey) || refunded.has(dealKey),
    ),
    attainment: computeAttainment(input, result, versions, calendar, range),
  };
}

/** The keys of the refunds of a deal that count in the period. */
function refundKeys(inPeriod: (day: Day) => boolean) {
  return ({ dealId, closeDate, refunds = [] }: Deal) =>
    refunds
      .filter(({ day }) => inPeriod(day > closeDate ? day : closeDate))
      .map(({ refundId }) => refundKey(dealId, refundId));
}

/** Every attainment key of the plan with its credit in each period that overlaps the range. */
function computeAttainment(
  input: RepInput,
  result: RepResult,
  versions: readonly StoredVersion[],
  calendar: PeriodCalendar,
  range: DayRange,
): SimulatedRep['attainment'] {
  const keys = new Map(
    versions.flatMap((version) =>
      version.rules.map(
        (rule) =>
          [
            `${attainmentKey(rule)}|${rule.attainmentPeriod}|${rule.calendar}`,
            { rule, planId: version.planId },
          ] as const,
      ),
    ),
  );
  const quotas = new Map(input.plans.map((plan) => [plan.planId, new PlanQuotas(input, plan)]));
  return [...keys.values()].flatMap(({ rule, planId }) =>
    calendar.periodsTouching(range, rule.attainmentPeriod, rule.calendar).map((period) => {
      const measure = attainmentKey(rule);
      const quota = quotas.get(planId)?.findQuota({ rule, key: measure }, period) ?? null;
      const credit = result.credits.get(`${planId}|${measure}|${period}`) ?? Decimal.zero;
      return {
        measure,
        period,
        target: quota?.target.toNumber() ?? null,
        ...(quota?.proration === undefined ? {} : { proration: toProrationResponse(quota.proration) }),
        credit: credit.toNumber(),
      };
    }),
  );
}
