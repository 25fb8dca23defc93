import { calculateRep } from '../engine/calculate.js';
import { type RepInput, type RepResult } from '../engine/model.js';
import { type Day, isWithin } from '../kernel/day.js';
import { Decimal } from '../kernel/decimal.js';
import { groupBy } from '../kernel/group-by.js';
import { assignedPlans, hasRankTiers, quotaFinder } from '../ledger/rep-terms.js';
import {
  rankKey,
  receivedQuota,
  receivedTeamDeal,
  type SharedTerms,
  type SimulatedRepData,
  type UpstreamWithPlan,
} from './simulated-reps.js';
import { unsaved } from './unsaved-plan.js';

/** The results of all reps, who compete for ranks and whose managers have cascades: a pure function. */
export function calculateTogether(
  head: SharedTerms,
  reps: readonly SimulatedRepData[],
): { readonly inputs: ReadonlyMap<string, SimulatedInput>; readonly results: ReadonlyMap<string, RepResult> } {
  const inputs = new Map(reps.map((rep) => [rep.terms.repId, inputOf(head, rep)]));
  return { inputs, results: resultsOf(inputs, head) };
}

export interface SimulatedInput extends RepInput {
  /** The peers ahead of the rep in the stored ranking, by {@link rankKey}. */
  readonly storedRanks: ReadonlyMap<string, readonly Decimal[]>;
  /** The people below the rep, each with the days on which they are. */
  readonly team: SimulatedRepData['team'];
}

function inputOf(head: SharedTerms, rep: SimulatedRepData): SimulatedInput {
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
function resultsOf(inputs: ReadonlyMap<string, SimulatedInput>, head: SharedTerms): Map<string, RepResult> {
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
  { planId, versions }: SharedTerms,
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
