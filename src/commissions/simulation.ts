import { calculateRep } from '../engine/calculate.js';
import { type Decision, type RepInput, type RepResult } from '../engine/model.js';
import { type Deal } from '../engine/slug.js';
import { type Day, type DayRange, isWithin } from '../kernel/day.js';
import { Decimal, sum } from '../kernel/decimal.js';
import { Failure } from '../kernel/failure.js';
import { groupBy } from '../kernel/group-by.js';
import { type Period, periodRange, periodsTouching } from '../kernel/period.js';
import { loadTeam, type TeamMember } from '../ledger/hierarchy.js';
import {
  calculationWindow,
  loadDeals,
  loadFirstActivities,
  loadStoredRank,
  loadTeamDeals,
} from '../ledger/load-window.js';
import { assignedPlans, loadRepTerms, quotaFinder, type RepTerms, type StoredVersion } from '../ledger/rep-terms.js';
import { type Work } from '../platform/database/unit-of-work.js';
import { carriedOverrides, type TriedPlan, type TriedVersions, unsaved } from './simulated-versions.js';

export interface SimulationRequest {
  readonly plan: TriedPlan;
  readonly period: Period;
  readonly repIds: readonly string[] | null;
  /** Made-up deals with their owners; they replace stored deals of the same id. */
  readonly deals: readonly { readonly repId: string; readonly deal: Deal }[];
  readonly quota: { readonly target: Decimal; readonly variableTarget: Decimal | null } | null;
  readonly asOf: Day;
  /** The reps whom the caller may see; null for everyone. The results depend on the simulated deals of no one else. */
  readonly visible: ReadonlySet<string> | null;
}

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

export interface Simulation {
  readonly versions: readonly StoredVersion[];
  readonly reps: readonly SimulatedRep[];
}

/**
 * What the plan would pay over the period: runs the engine over stored and made-up deals. Writes nothing and ignores
 * approved periods.
 */
export async function simulate(
  trx: Work,
  workspaceId: string,
  request: SimulationRequest,
  tried: TriedVersions,
): Promise<Simulation> {
  const { versions } = tried;
  const repIds = await simulatedReps(trx, workspaceId, request, tried);
  const requested = request.repIds === null ? repIds : request.repIds;
  const inputs = new Map<string, SimulatedInput>();
  for (const repId of repIds) inputs.set(repId, await inputOf(trx, workspaceId, repId, tried, request));
  const results = resultsOf(inputs, tried, request.visible);
  return {
    versions,
    reps: requested.map((repId) => {
      const input = inputs.get(repId) as SimulatedInput;
      return simulatedRep(repId, input, results.get(repId) as RepResult, versions, request.period);
    }),
  };
}

interface SimulatedInput extends RepInput {
  /** The peers ahead of the rep in the stored ranking; null if nothing is stored or if the caller sees everyone. */
  readonly storedRank: (planId: string, key: string, period: Period) => readonly Decimal[] | null;
  /** The people below the rep, each with the days on which they are. */
  readonly team: readonly TeamMember[];
}

/**
 * Ranks use the stored ranking or, for a caller who sees everyone, the simulated credit of the other reps; cascades use
 * the simulated events of the people below.
 */
function resultsOf(
  inputs: ReadonlyMap<string, SimulatedInput>,
  tried: TriedVersions,
  visible: SimulationRequest['visible'],
): Map<string, RepResult> {
  const ranked = isRanked(tried.versions);
  const compared = [...inputs].filter(([repId]) => visible === null || visible.has(repId));
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
      inputs.get(repId)?.storedRank(planId, key, period) ?? simulatedPeers(repId, `${planId}|${key}|${period}`);
  const calculated = (repId: string, input: RepInput) =>
    calculateRep(ranked ? { ...input, peerCredits: peers(repId) } : input);
  let results = new Map([...inputs].map(([repId, input]) => [repId, calculated(repId, input)]));
  const managers = [...inputs].filter(([, { team }]) => team.some((member) => inputs.has(member.repId)));
  // Each round completes one more level of managers.
  for (let round = 0; round < managers.length; round += 1) {
    const next = new Map(results);
    for (const [repId, input] of managers)
      next.set(repId, calculated(repId, { ...input, teamDeals: simulatedUpstream(input, results, tried) }));
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
  { planId, versions }: TriedVersions,
): RepInput['teamDeals'] {
  const names = new Set(versions.flatMap((version) => version.rules.map((rule) => rule.name)));
  const isReplaced = (event: LoadedUpstream) =>
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
      ...(upstream as readonly LoadedUpstream[]).filter((event) => !isReplaced(event)),
      ...(earned.get(deal.dealId) ?? []).filter(({ repId }) => isBelow(repId, deal.closeDate)),
    ],
  }));
}

/** Loaded events have a plan id. */
type LoadedUpstream = RepInput['teamDeals'][number]['upstream'][number] & { readonly planId?: string };

/** The reps to calculate: those of the request and, if ranks or cascades depend on others, everyone on the plan. */
async function simulatedReps(
  trx: Work,
  workspaceId: string,
  request: SimulationRequest,
  { planId, versions }: TriedVersions,
): Promise<string[]> {
  const known = await trx
    .selectFrom('reps')
    .select(['rep_id', 'active'])
    .where('workspace_id', '=', workspaceId)
    .orderBy('name')
    .execute();
  const unknown = request.repIds?.find((repId) => !known.some((rep) => rep.rep_id === repId));
  if (unknown !== undefined)
    throw new Failure('rep_not_found', 'There is no such rep in this workspace.', { repId: unknown });
  const ranksOthers = isRanked(versions) && request.visible === null;
  const dependsOnOthers = ranksOthers || (planId !== unsaved && isCascade(versions));
  if (request.repIds !== null && !dependsOnOthers) return [...request.repIds];
  if (planId === unsaved)
    return known.filter((rep) => rep.active || request.repIds?.includes(rep.rep_id)).map((rep) => rep.rep_id);
  const { from, to } = periodRange(request.period);
  const assigned = await trx
    .selectFrom('assignments')
    .select('rep_id')
    .where('workspace_id', '=', workspaceId)
    .where('plan_id', '=', planId)
    .where('deleted_at', 'is', null)
    .where((where) => where.or([where('effective_start', 'is', null), where('effective_start', '<=', to)]))
    .where((where) => where.or([where('effective_end', 'is', null), where('effective_end', '>=', from)]))
    .execute();
  const included = new Set([...assigned.map((row) => row.rep_id), ...(request.repIds ?? [])]);
  return known.filter((rep) => included.has(rep.rep_id)).map((rep) => rep.rep_id);
}

async function inputOf(
  trx: Work,
  workspaceId: string,
  repId: string,
  { planId, versions, change }: TriedVersions,
  request: SimulationRequest,
): Promise<SimulatedInput> {
  const stored = await loadRepTerms(trx, workspaceId, repId);
  const current = stored.assignments.filter((assignment) => assignment.planId === planId && !assignment.deleted);
  const asAssigned = 'planId' in request.plan && current.length > 0;
  const terms: RepTerms = {
    ...stored,
    versions,
    overrides: carriedOverrides(stored.overrides, change),
    assignments: asAssigned ? current : [{ planId, start: null, end: null, deleted: false }],
    frozen: [],
  };
  const window = calculationWindow(terms, periodRange(request.period));
  const isVisible = request.visible === null || request.visible.has(repId);
  const own = request.deals
    .filter((made) => made.repId === repId && isWithin(made.deal.closeDate, window))
    .map((made) => made.deal);
  const madeUp = new Set(request.deals.map((made) => made.deal.dealId));
  const team = isCascade(versions) ? await loadTeam(trx, workspaceId, repId) : [];
  const simulated = [{ terms, window }];
  const [teamDeals = []] = await loadTeamDeals(trx, simulated);
  const [deals = []] = await loadDeals(trx, simulated);
  const [firstActivity = null] = await loadFirstActivities(trx, [terms]);
  const madeUpBelow = request.deals.filter(
    ({ repId: owner, deal }) =>
      isWithin(deal.closeDate, window) &&
      team.some((member) => member.repId === owner && isWithin(deal.closeDate, member)),
  );
  return {
    repId,
    asOf: request.asOf,
    window,
    plans: assignedPlans(terms),
    deals: [...deals.filter((deal) => !madeUp.has(deal.dealId)), ...own],
    team,
    teamDeals: [
      ...teamDeals.filter(({ deal }) => !madeUp.has(deal.dealId)),
      ...madeUpBelow.map(({ deal }) => ({ deal, upstream: [] })),
    ],
    fixed: [],
    frozen: [],
    quota: request.quota === null || !isVisible ? quotaFinder(terms.quotas) : () => request.quota,
    // Replaced by the ranking of the simulation.
    peerCredits: () => [],
    storedRank: request.visible === null ? () => null : await loadStoredRank(trx, terms, window),
    firstActivity,
    explain: true,
  };
}

function simulatedRep(
  repId: string,
  input: RepInput,
  result: RepResult,
  versions: readonly StoredVersion[],
  period: Period,
): SimulatedRep {
  const range = periodRange(period);
  const inPeriod = (day: Day) => isWithin(day, range);
  const closed = new Set(input.deals.filter((deal) => inPeriod(deal.closeDate)).map((deal) => deal.dealId));
  const team = new Set(input.teamDeals.filter(({ deal }) => inPeriod(deal.closeDate)).map(({ deal }) => deal.dealId));
  return {
    repId,
    decisions: result.decisions.filter((decision) => inPeriod(decision.earnedOn)),
    outcomes: result.outcomes.filter(
      (outcome) => closed.has(outcome.dealKey) || team.has(outcome.dealKey) || isPeriodIn(outcome.dealKey, range),
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
        (rule) =>
          [`${rule.quotaGroup ?? rule.name}|${rule.attainmentPeriod}`, { rule, planId: version.planId }] as const,
      ),
    ),
  );
  return [...keys.values()].flatMap(({ rule, planId }) =>
    periodsTouching(range, rule.attainmentPeriod).map((period) => {
      const measure = rule.quotaGroup ?? rule.name;
      const quota = input.quota(planId, measure, period);
      const credit = result.credits.get(`${planId}|${measure}|${period}`) ?? Decimal.zero;
      return { measure, period, target: quota?.target.toNumber() ?? null, credit: credit.toNumber() };
    }),
  );
}

function isPeriodIn(dealKey: string, range: DayRange): boolean {
  return /^\d{4}(-(\d{2}|[QH]\d))?$/.test(dealKey) && isWithin(periodRange(dealKey).to, range);
}

function isRanked(versions: readonly StoredVersion[]): boolean {
  return versions.some((version) => version.rules.some((rule) => rule.tierBy === 'rank'));
}

function isCascade(versions: readonly StoredVersion[]): boolean {
  return versions.some((version) => version.rules.some((rule) => rule.executionPhase === 'cascade'));
}

export function totalOf(decisions: readonly Decision[]): number {
  return sum(decisions.map((decision) => decision.amount)).toNumber();
}
