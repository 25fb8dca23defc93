import { calculateRep } from '../engine/calculate.js';
import { type Decision, type RepInput, type RepResult } from '../engine/model.js';
import { attainmentKey } from '../engine/plan-config.js';
import { type Day, type DayRange, isWithin } from '../kernel/day.js';
import { Decimal, sum } from '../kernel/decimal.js';
import { groupBy } from '../kernel/group-by.js';
import { type Period, periodRange, periodsTouching } from '../kernel/period.js';
import { assignedPlans, hasRankTiers, quotaFinder, type StoredVersion } from '../ledger/rep-terms.js';
import { periodicRuleIds } from './periodic-rules.js';
import { unsaved } from './simulated-plan.js';
import {
  rankKey,
  receivedQuota,
  receivedTeamDeal,
  type SimulatedRepData,
  type SimulationHead,
  type UpstreamWithPlan,
} from './simulation-task.js';

export interface SimulatedRep {
  readonly repId: string;
  readonly decisions: readonly Decision[];
  readonly outcomes: RepResult['outcomes'];
  readonly attainment: readonly {
    readonly measure: string;
    readonly period: Period;
    readonly target: number | null;
    readonly credit: number;
  }[];
}

/** Runs the engine over the data of the reps, in a worker thread: a pure function. */
export function simulate(head: SimulationHead, reps: readonly SimulatedRepData[]): SimulatedRep[] {
  const { inputs, results } = calculateTogether(head, reps);
  return head.shown.map((repId) =>
    simulatedRep(repId, inputs.get(repId) as SimulatedInput, results.get(repId) as RepResult, head),
  );
}

type CalculationHead = Pick<SimulationHead, 'planId' | 'versions' | 'asOf' | 'quota' | 'visible'>;

/** The results of all reps, who compete for ranks and whose managers have cascades: a pure function. */
export function calculateTogether(
  head: CalculationHead,
  reps: readonly SimulatedRepData[],
): { readonly inputs: ReadonlyMap<string, SimulatedInput>; readonly results: ReadonlyMap<string, RepResult> } {
  const inputs = new Map(reps.map((rep) => [rep.terms.repId, inputOf(head, rep)]));
  return { inputs, results: resultsOf(inputs, head) };
}

interface SimulatedInput extends RepInput {
  /** The peers ahead of the rep in the stored ranking, by {@link rankKey}. */
  readonly storedRanks: ReadonlyMap<string, readonly Decimal[]>;
  /** The people below the rep, each with the days on which they are. */
  readonly team: SimulatedRepData['team'];
}

function inputOf(head: CalculationHead, rep: SimulatedRepData): SimulatedInput {
  const quotas = rep.quotas.map((quota) => ({ ...quota, ...receivedQuota(quota) }));
  const assumed = head.quota === null || !rep.assumesQuota ? null : receivedQuota(head.quota);
  const ranks = [...rep.storedRanks].map(([key, ahead]) => [key, ahead.map((credit) => Decimal.of(credit))] as const);
  return {
    repId: rep.terms.repId,
    asOf: head.asOf,
    window: rep.window,
    plans: assignedPlans({ ...rep.terms, quotas }),
    deals: rep.deals,
    team: rep.team,
    teamDeals: rep.teamDeals.map(receivedTeamDeal),
    fixed: [],
    frozen: [],
    quota: assumed === null ? quotaFinder(quotas) : () => assumed,
    // Replaced by the ranking of the simulation.
    peerCredits: () => [],
    storedRanks: new Map(ranks),
    firstActivity: firstActivityOf(rep, assumed !== null),
    explain: true,
  };
}

/** Made-up deals and an assumed quota count like stored ones: periodic rules count periods from then on. */
function firstActivityOf({ firstActivity, deals, window }: SimulatedRepData, assumesQuota: boolean): Day | null {
  const days = [...(assumesQuota ? [window.from] : []), ...deals.map(({ closeDate }) => closeDate)];
  return days.reduce((first, day) => (first === null || day < first ? day : first), firstActivity);
}

/**
 * Ranks use the stored ranking or, for a caller who sees everyone, the simulated credit of the other reps; cascades use
 * the simulated events of the people below.
 */
function resultsOf(inputs: ReadonlyMap<string, SimulatedInput>, head: CalculationHead): Map<string, RepResult> {
  const ranked = hasRankTiers(head);
  const compared = [...inputs].filter(([repId]) => head.visible === null || head.visible.includes(repId));
  const credits = new Map(
    ranked
      ? compared.map(([repId, input]) => [repId, calculateRep({ ...input, explain: false }).credits] as const)
      : [],
  );
  const simulatedPeers = (repId: string, key: string) =>
    compared.flatMap(([peer]) => (peer === repId ? [] : [credits.get(peer)?.get(key) ?? Decimal.zero]));
  const peers =
    (repId: string): RepInput['peerCredits'] =>
    (planId, key, period) =>
      inputs.get(repId)?.storedRanks.get(rankKey(key, period)) ?? simulatedPeers(repId, `${planId}|${key}|${period}`);
  const calculated = (repId: string, input: RepInput) =>
    calculateRep(ranked ? { ...input, peerCredits: peers(repId) } : input);
  let results = new Map([...inputs].map(([repId, input]) => [repId, calculated(repId, input)]));
  const managers = [...inputs].filter(([, { team }]) => team.some((member) => inputs.has(member.repId)));
  // Each round completes one more level of managers.
  for (let round = 0; round < managers.length; round += 1) {
    const next = new Map(results);
    for (const [repId, input] of managers)
      next.set(repId, calculated(repId, { ...input, teamDeals: simulatedUpstream(input, results, head) }));
    const isStable = managers.every(([repId]) => sameDecisions(results.get(repId), next.get(repId)));
    results = next;
    if (isStable) break;
  }
  return results;
}

function sameDecisions(a: RepResult | undefined, b: RepResult | undefined): boolean {
  const amounts = (result: RepResult | undefined) =>
    result?.decisions.map(({ dealKey, ruleName, amount }) => `${dealKey}|${ruleName}|${amount.toString()}`).join();
  return amounts(a) === amounts(b);
}

/** The deals of the team with the simulated earnings of the people below, and what other plans pay them. */
function simulatedUpstream(
  { team, teamDeals }: SimulatedInput,
  results: ReadonlyMap<string, RepResult>,
  { planId, versions }: CalculationHead,
): RepInput['teamDeals'] {
  const names = new Set(versions.flatMap((version) => version.rules.map((rule) => rule.name)));
  const isReplaced = (event: UpstreamWithPlan) =>
    results.has(event.repId) && (planId === unsaved ? names.has(event.ruleName) : event.planId === planId);
  const earned = groupBy(
    [...results].flatMap(([repId, { decisions }]) =>
      decisions.filter(({ phase }) => phase !== 'periodic').map((decision) => ({ ...decision, repId })),
    ),
    ({ dealKey }) => dealKey,
  );
  const isBelow = (repId: string, day: Day) => team.some((member) => member.repId === repId && isWithin(day, member));
  return teamDeals.map(({ deal, upstream }) => ({
    deal,
    upstream: [
      ...(upstream as readonly UpstreamWithPlan[]).filter((event) => !isReplaced(event)),
      ...(earned.get(deal.dealId) ?? []).filter(({ repId }) => isBelow(repId, deal.closeDate)),
    ],
  }));
}

function simulatedRep(
  repId: string,
  input: RepInput,
  result: RepResult,
  { versions, period }: SimulationHead,
): SimulatedRep {
  const range = periodRange(period);
  const inPeriod = (day: Day) => isWithin(day, range);
  const closed = new Set(input.deals.filter((deal) => inPeriod(deal.closeDate)).map((deal) => deal.dealId));
  const team = new Set(input.teamDeals.filter(({ deal }) => inPeriod(deal.closeDate)).map(({ deal }) => deal.dealId));
  const periodic = periodicRuleIds(versions);
  return {
    repId,
    decisions: result.decisions.filter((decision) => inPeriod(decision.earnedOn)),
    outcomes: result.outcomes.filter(({ ruleId, dealKey }) =>
      periodic.has(ruleId ?? '') ? inPeriod(periodRange(dealKey).to) : closed.has(dealKey) || team.has(dealKey),
    ),
    attainment: attainmentOf(input, result, versions, range),
  };
}

/** Every attainment key of the plan with its credit in each period that overlaps the range. */
function attainmentOf(
  input: RepInput,
  result: RepResult,
  versions: readonly StoredVersion[],
  range: DayRange,
): SimulatedRep['attainment'] {
  const keys = new Map(
    versions.flatMap((version) =>
      version.rules.map(
        (rule) => [`${attainmentKey(rule)}|${rule.attainmentPeriod}`, { rule, planId: version.planId }] as const,
      ),
    ),
  );
  return [...keys.values()].flatMap(({ rule, planId }) =>
    periodsTouching(range, rule.attainmentPeriod).map((period) => {
      const measure = attainmentKey(rule);
      const quota = input.quota(planId, measure, period);
      const credit = result.credits.get(`${planId}|${measure}|${period}`) ?? Decimal.zero;
      return { measure, period, target: quota?.target.toNumber() ?? null, credit: credit.toNumber() };
    }),
  );
}

export function totalOf(decisions: readonly Decision[]): number {
  return sum(decisions.map((decision) => decision.amount)).toNumber();
}
