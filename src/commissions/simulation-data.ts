import { type RefundsByDeal, withRefunds } from '../deals/refunds/made-up-refunds.js';
import { type Absence, type AssignedDays, allDaysAtWork } from '../engine/effective-quota.js';
import { attainmentKey } from '../engine/plan-config.js';
import { computePlanCost } from '../engine/plan-cost.js';
import { type Deal } from '../engine/slug.js';
import { type Day, type DayRange, isWithin } from '../kernel/day.js';
import { Failure } from '../kernel/failure.js';
import { type Period } from '../kernel/period.js';
import { loadTeam, loadTeams } from '../ledger/input/hierarchy.js';
import {
  computeWindow,
  type DealEvent,
  findFirstActivity,
  type LoadedTeamDeal,
  loadCountedEvents,
  loadDeals,
  loadFirstActivities,
  loadStoredRank,
  loadTeamDeals,
} from '../ledger/input/load-window.js';
import { withRefundKeys } from '../ledger/input/refunds.js';
import {
  calendarOf,
  hasCascades,
  hasRankTiers,
  loadRepTerms,
  type RepTerms,
  type WorkspaceTerms,
} from '../ledger/input/rep-terms.js';
import { countDealsOfReps } from '../ledger/lanes/lane-batches.js';
import { addCarriedOverrides } from '../plans/carried-overrides.js';
import { type SimulatedPlan, type SimulatedVersions } from '../plans/simulated-versions.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { rankKey, type SimulatedRepData, sentEvent, sentQuota, sentTeamDeal } from '../simulation/simulated-reps.js';
import { unsaved } from '../simulation/unsaved-plan.js';
import { widenToRefundedDeals } from './simulated-refunds.js';

interface SimulationRequest {
  readonly workspace: WorkspaceTerms;
  readonly plan: SimulatedPlan;
  readonly period: Period;
  readonly repIds: readonly string[] | null;
  /** Made-up deals with their owners; they replace stored deals of the same id. */
  readonly deals: readonly HypotheticalDeal[];
  /** The reps whom the caller may see; null for everyone. */
  readonly visible: readonly string[] | null;
  /** Whether the request has a quota for the reps whom the caller may see. */
  readonly hasQuota: boolean;
  /** Made-up absences in addition to the stored ones. */
  readonly absences: readonly SimulatedAbsence[];
  /** The ramp of everyone on the simulated plan, in place of the stored one. */
  readonly ramp: AssignedDays['ramp'];
  /** Made-up refunds of stored and made-up deals. */
  readonly refunds: RefundsByDeal;
}

/** A made-up deal with its owner; null for none. */
interface HypotheticalDeal {
  readonly repId: string | null;
  readonly deal: Deal;
}

/** The people with a part of the deal: those on its lines, or else its owner. */
function participants({ repId, deal }: HypotheticalDeal): string[] {
  return (deal.credits ?? [{ repId }]).flatMap((line) => line.repId ?? []);
}

export interface SimulatedAbsence extends Absence {
  readonly repId: string;
}

interface SimulationData {
  readonly window: DayRange;
  readonly reps: readonly SimulatedRepData[];
  readonly requested: readonly string[];
}

/** Max number of comparisons of one simulation: about a second. */
const maxSimulationCost = 2_000_000;

/** Loads the stored deals and terms of a simulation. It ignores approved periods. */
export async function loadSimulation(
  tx: Transaction,
  request: SimulationRequest,
  simulatedVersions: SimulatedVersions,
): Promise<SimulationData> {
  const repIds = await simulatedReps(tx, request, simulatedVersions);
  const window = await simulatedDays(tx, repIds, simulatedVersions, request);
  await assertSimulationCost(tx, repIds, { request, simulatedVersions, window });
  const reps: SimulatedRepData[] = [];
  for (const repId of repIds) reps.push(await loadRepData(tx, repId, { request, simulatedVersions, window }));
  return { window, reps, requested: request.repIds ?? repIds };
}

interface Simulated {
  readonly request: SimulationRequest;
  readonly simulatedVersions: SimulatedVersions;
  readonly window: DayRange;
}

/** Counts the deals before any of them is loaded. */
async function assertSimulationCost(
  tx: Transaction,
  repIds: readonly string[],
  { request, simulatedVersions, window }: Simulated,
): Promise<void> {
  const managerIds = hasCascades(simulatedVersions) ? repIds : [];
  const stored = await countDealsOfReps(tx, repIds, managerIds, { days: window, most: maxSimulationCost });
  const deals = stored + request.deals.length + repIds.length;
  const passes = hasRankTiers(simulatedVersions) || hasCascades(simulatedVersions) ? 2 : 1;
  const cost = deals * Math.max(...simulatedVersions.versions.map(computePlanCost)) * passes;
  if (cost <= maxSimulationCost) return;
  throw new Failure(
    'plan_too_complex',
    `The simulation needs ${cost} comparisons, but at most ${maxSimulationCost} are allowed. Simulate fewer reps or deals, a shorter period, or a plan with fewer conditions.`,
    { cost, limit: maxSimulationCost },
  );
}

/** The simulated period with the days of the deals that are refunded in it, widened to whole attainment periods. */
async function simulatedDays(
  tx: Transaction,
  repIds: readonly string[],
  simulatedVersions: SimulatedVersions,
  request: SimulationRequest,
): Promise<DayRange> {
  const { versions } = simulatedVersions;
  const { workspace, period } = request;
  const below = hasCascades(simulatedVersions) ? [...(await loadTeams(tx, repIds)).values()].flat() : [];
  const people = [...new Set([...repIds, ...below.map(({ repId }) => repId)])];
  const days = await widenToRefundedDeals(tx, calendarOf({ workspace }).range(period), people, request);
  return computeWindow({ versions, workspace, frozen: [] }, days);
}

/** The reps to calculate: those of the request and, if ranks or cascades depend on others, everyone on the plan. */
async function simulatedReps(
  tx: Transaction,
  request: SimulationRequest,
  simulatedVersions: SimulatedVersions,
): Promise<string[]> {
  const { planId } = simulatedVersions;
  const known = await tx.db
    .selectFrom('reps')
    .select(['rep_id', 'active'])
    .where('workspace_id', '=', tx.workspaceId)
    .orderBy('name')
    .execute();
  const unknown = request.repIds?.find((repId) => !known.some((rep) => rep.rep_id === repId));
  if (unknown !== undefined)
    throw new Failure('rep_not_found', 'There is no such rep in this workspace.', { repId: unknown });
  const ranksOthers = hasRankTiers(simulatedVersions) && request.visible === null;
  const dependsOnOthers = ranksOthers || (planId !== unsaved && hasCascades(simulatedVersions));
  if (request.repIds !== null && !dependsOnOthers) return [...request.repIds];
  if (planId === unsaved)
    return known.filter((rep) => rep.active || request.repIds?.includes(rep.rep_id)).map((rep) => rep.rep_id);
  const { from, to } = calendarOf(request).range(request.period);
  const assigned = await tx.db
    .selectFrom('assignments')
    .select('rep_id')
    .where('workspace_id', '=', tx.workspaceId)
    .where('plan_id', '=', planId)
    .where('deleted_at', 'is', null)
    .where((where) => where.or([where('effective_start', 'is', null), where('effective_start', '<=', to)]))
    .where((where) => where.or([where('effective_end', 'is', null), where('effective_end', '>=', from)]))
    .execute();
  const included = new Set([...assigned.map((row) => row.rep_id), ...(request.repIds ?? [])]);
  return known.filter((rep) => included.has(rep.rep_id)).map((rep) => rep.rep_id);
}

async function loadRepData(
  tx: Transaction,
  repId: string,
  { request, simulatedVersions, window }: Simulated,
): Promise<SimulatedRepData> {
  const terms = withPersonalTerms(await loadSimulatedTerms(tx, repId, simulatedVersions, request), request);
  const { quotas, ...sent } = terms;
  const isInWindow = ({ closeDate }: { readonly closeDate: Day }) => isWithin(closeDate, window);
  const refunded = (deal: Deal) => withRefunds(deal, request.refunds);
  const hypotheticalIds = new Set(request.deals.map((hypothetical) => hypothetical.deal.dealId));
  const own = request.deals
    .filter((hypothetical) => participants(hypothetical).includes(repId) && isInWindow(hypothetical.deal))
    .map(({ deal }) => deal);
  const team = hasCascades(simulatedVersions) ? await loadTeam(tx, repId) : [];
  const isBelow = (owner: string, day: Day) => team.some((member) => member.repId === owner && isWithin(day, member));
  const simulated = [{ terms, window }];
  const [teamDeals = []] = await loadTeamDeals(tx, simulated);
  const [deals = []] = await loadDeals(tx, simulated);
  const [stored = null] = await loadFirstActivities(tx, [terms]);
  const hypotheticalBelow = request.deals
    .filter(
      (hypothetical) =>
        isInWindow(hypothetical.deal) &&
        participants(hypothetical).some((person) => isBelow(person, hypothetical.deal.closeDate)),
    )
    .map(({ deal }) => ({ deal, upstream: [] }));
  const assumesQuota = request.hasQuota && (request.visible === null || request.visible.includes(repId));
  const ownDeals = [...deals.filter((deal) => !hypotheticalIds.has(deal.dealId)), ...own].map(refunded);
  const closeDates = ownDeals.map(({ closeDate }) => closeDate);
  return {
    terms: sent,
    quotas: quotas.map((quota) => ({
      planId: quota.planId,
      key: quota.key,
      period: quota.period,
      ...sentQuota(quota),
    })),
    assumesQuota,
    storedRanks: request.visible === null ? new Map() : await storedRanks(tx, terms, window),
    deals: ownDeals,
    team,
    teamDeals: [
      ...teamDeals.filter(({ deal }) => !hypotheticalIds.has(deal.dealId)).map(sentTeamDeal),
      ...hypotheticalBelow,
    ].map((teamDeal) => ({ ...teamDeal, deal: refunded(teamDeal.deal) })),
    below: (await loadRefundsBelow(tx, terms, teamDeals)).map(sentEvent),
    firstActivity: findFirstActivity(terms, [
      stored ?? undefined,
      ...closeDates,
      ...(assumesQuota ? [window.from] : []),
    ]),
  };
}

/** What counts on the refunded deals of the team and on their refunds, which the refunds of a manager follow. */
async function loadRefundsBelow(
  tx: Transaction,
  { workspace }: RepTerms,
  teamDeals: readonly LoadedTeamDeal[],
): Promise<DealEvent[]> {
  const refunded = teamDeals.map(({ deal }) => deal).filter(({ refunds }) => refunds !== undefined);
  return workspace.hasRefunds ? loadCountedEvents(tx, withRefundKeys(refunded)) : [];
}

/** The terms with the absences and the ramp of the request. */
function withPersonalTerms(terms: RepTerms, { absences, ramp }: SimulationRequest): RepTerms {
  const own = absences.filter(({ repId }) => repId === terms.repId);
  const { workingTime, assignments } = terms;
  const atWork = workingTime ?? allDaysAtWork;
  return {
    ...terms,
    workingTime: own.length === 0 ? workingTime : { ...atWork, absences: [...atWork.absences, ...own] },
    assignments: ramp === undefined ? assignments : assignments.map((assignment) => ({ ...assignment, ramp })),
  };
}

/** The stored rankings of every rule that ranks, in every period that overlaps the window. */
async function storedRanks(
  tx: Transaction,
  terms: RepTerms,
  window: DayRange,
): Promise<Map<string, readonly string[]>> {
  const calendar = calendarOf(terms);
  const rank = await loadStoredRank(tx, terms, window);
  const ranked = terms.versions.flatMap(({ planId, rules }) =>
    rules.filter((rule) => rule.tierBy === 'rank').map((rule) => ({ planId, rule })),
  );
  return new Map(
    ranked.flatMap(({ planId, rule }) =>
      calendar
        .periodsTouching(window, rule.attainmentPeriod, rule.calendar)
        .flatMap((period): [string, readonly string[]][] => {
          const ahead = rank(planId, attainmentKey(rule), period);
          return ahead === null ? [] : [[rankKey(attainmentKey(rule), period), ahead.map(String)]];
        }),
    ),
  );
}

/** The rep's terms with the simulated versions of the plan as their only plan. */
async function loadSimulatedTerms(
  tx: Transaction,
  repId: string,
  { planId, versions, change }: SimulatedVersions,
  { plan, workspace }: SimulationRequest,
): Promise<RepTerms> {
  const stored = await loadRepTerms(tx, repId, workspace);
  const current = stored.assignments.filter((assignment) => assignment.planId === planId && !assignment.deleted);
  const asAssigned = 'planId' in plan && current.length > 0;
  return {
    ...stored,
    versions,
    overrides:
      change === null ? stored.overrides : addCarriedOverrides(stored.overrides, change.source, change.newVersion),
    assignments: asAssigned ? current : [{ planId, start: null, end: null, deleted: false }],
    frozen: [],
  };
}
