import { type RepInput, type RepResult } from '../engine/model.js';
import { type DayRange } from '../kernel/day.js';
import { Decimal } from '../kernel/decimal.js';
import { groupBy } from '../kernel/group-by.js';
import { fxInput } from '../ledger/input/exchange-rates.js';
import { type TeamMember } from '../ledger/input/hierarchy.js';
import { type DealEvent, peerCreditsIn, type Rankings } from '../ledger/input/load-window.js';
import {
  assignedPlans,
  calendarOf,
  hasRankTiers,
  personInput,
  quotaFinder,
  type RepTerms,
  workingTimeInput,
} from '../ledger/input/rep-terms.js';
import {
  rankKey,
  receivedEvent,
  receivedQuota,
  receivedTeamDeal,
  type SharedTerms,
  type SimulatedRepData,
} from './simulated-reps.js';
import { type Earnings, noKeys, TeamCalculation, type TeamInputs, type TeamRepInput } from './team-calculation.js';
import { unsaved } from './unsaved-plan.js';

/** The results of all reps, who compete for ranks and whose managers have cascades. Reads no database. */
export async function calculateTeam(
  shared: SharedTerms,
  reps: readonly SimulatedRepData[],
): Promise<{ readonly inputs: ReadonlyMap<string, SimulatedInput>; readonly results: ReadonlyMap<string, RepResult> }> {
  const team = new SimulatedTeam(shared, reps);
  const results = await new TeamCalculation(team).run([...team.inputs.keys()]);
  const inOrder = [...team.inputs.keys()].map(
    (repId) => [repId, (results.get(repId) as SimulatedEarnings).result] as const,
  );
  return { inputs: team.inputs, results: new Map(inOrder) };
}

export interface SimulatedInput extends TeamRepInput {
  /** The peers ahead of the rep in the stored ranking, by {@link rankKey}. */
  readonly storedRanks: ReadonlyMap<string, readonly Decimal[]>;
}

interface SimulatedEarnings extends Earnings {
  readonly result: RepResult;
}

/** The reps of a simulation. What the plan has paid them counts no more; what other plans pay them does. */
class SimulatedTeam implements TeamInputs<SimulatedInput, SimulatedEarnings> {
  readonly inputs: ReadonlyMap<string, SimulatedInput>;
  readonly window: DayRange;
  readonly teams: ReadonlyMap<string, readonly TeamMember[]>;
  private readonly visible: readonly SimulatedRepData['terms'][];

  constructor(
    private readonly shared: SharedTerms,
    reps: readonly SimulatedRepData[],
  ) {
    const repIds = new Set(reps.map(({ terms }) => terms.repId));
    const isReplaced = replacedEvents(shared, repIds);
    this.inputs = new Map(reps.map((rep) => [rep.terms.repId, toInput(shared, rep, isReplaced)]));
    this.window = shared.window;
    this.teams = new Map(reps.map(({ terms, team }) => [terms.repId, team]));
    this.visible = reps
      .map(({ terms }) => terms)
      .filter(({ repId }) => shared.visible === null || shared.visible.includes(repId));
  }

  /** Everyone whom the caller sees competes in the periods in which they are on the plan. */
  readonly rankings: Rankings = (planId, _key, period) =>
    this.visible
      .filter((terms) => isOnPlan(terms.assignments, planId, calendarOf(terms).range(period)))
      .map(({ repId }) => ({ repId, credit: Decimal.zero }));

  /** Smaller teams come first: the team of a manager contains the teams below. */
  async *load(repIds: readonly string[]): AsyncGenerator<SimulatedInput[]> {
    const sizeOf = (repId: string) => this.teams.get(repId)?.length ?? 0;
    yield repIds.toSorted((a, b) => sizeOf(a) - sizeOf(b)).map((repId) => this.inputs.get(repId) as SimulatedInput);
  }

  peerCredits({ repId, storedRanks }: SimulatedInput, rankings: Rankings): RepInput['peerCredits'] {
    const simulated = peerCreditsIn(rankings, repId);
    return (planId, key, period) => storedRanks.get(rankKey(key, period)) ?? simulated(planId, key, period);
  }

  competitors(): string[] {
    return hasRankTiers(this.shared) ? [...this.inputs.keys()] : [];
  }

  async toEarnings({ repId }: SimulatedInput, result: RepResult): Promise<SimulatedEarnings> {
    const events = result.decisions
      .filter(({ phase }) => phase !== 'periodic')
      .map((decision) => ({ ...decision, repId }));
    return { result, events, withdrawn: noKeys, credits: result.credits };
  }
}

function isOnPlan(assignments: RepTerms['assignments'], planId: string, { from, to }: DayRange): boolean {
  return assignments.some(
    (assignment) => assignment.planId === planId && (assignment.start ?? from) <= to && (assignment.end ?? to) >= from,
  );
}

/** Returns whether a stored event belongs to what is simulated. A config alone replaces rules with its names. */
function replacedEvents({ planId, versions }: SharedTerms, repIds: ReadonlySet<string>): (event: DealEvent) => boolean {
  const names = new Set(versions.flatMap((version) => version.rules.map((rule) => rule.name)));
  return (event) =>
    repIds.has(event.repId) && (planId === unsaved ? names.has(event.ruleName) : event.planId === planId);
}

function toInput(
  shared: SharedTerms,
  rep: SimulatedRepData,
  isReplaced: (event: DealEvent) => boolean,
): SimulatedInput {
  const quotas = rep.quotas.map((quota) => ({ ...quota, ...receivedQuota(quota) }));
  const below = groupBy(
    (rep.below ?? []).map(receivedEvent).filter((event) => !isReplaced(event)),
    keyOfDeal,
  );
  const assumed = shared.quota === null || !rep.assumesQuota ? null : receivedQuota(shared.quota);
  const ranks = [...rep.storedRanks].map(([key, ahead]) => [key, ahead.map((credit) => Decimal.of(credit))] as const);
  return {
    repId: rep.terms.repId,
    asOf: shared.asOf,
    window: shared.window,
    plans: assignedPlans({ ...rep.terms, quotas }),
    ...workingTimeInput(rep.terms),
    ...personInput(rep.terms),
    ...fxInput(rep.terms),
    refunds: { sources: [], terms: () => null, below: (dealKey) => below.get(dealKey) ?? [] },
    calendar: calendarOf(rep.terms),
    deals: rep.deals,
    teamDeals: rep.teamDeals.map(receivedTeamDeal).map(({ deal, upstream }) => ({
      deal,
      upstream: upstream.filter((event) => !isReplaced(event)),
    })),
    fixed: [],
    frozen: [],
    quota: assumed === null ? quotaFinder(quotas) : () => assumed,
    peerCredits: () => [],
    storedRanks: new Map(ranks),
    firstActivity: rep.firstActivity,
    explain: true,
  };
}

function keyOfDeal({ dealKey }: DealEvent): string {
  return dealKey;
}
