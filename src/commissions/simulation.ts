import { calculateRep, type Decision, type RepInput, type RepResult } from '../engine/calculate.js';
import { type IdentifiedRule } from '../engine/compiled-plan.js';
import { type Deal } from '../engine/slug.js';
import { timelineOf } from '../engine/version-timeline.js';
import { type Day, type DayRange, isWithin } from '../kernel/day.js';
import { Decimal, sum } from '../kernel/decimal.js';
import { Failure } from '../kernel/failure.js';
import { type Period, periodRange, periodsTouching } from '../kernel/period.js';
import {
  calculationWindow,
  loadDeals,
  loadFirstActivity,
  loadPeerCredits,
  loadTeamDeals,
} from '../ledger/load-window.js';
import {
  assignedPlans,
  loadRepTerms,
  loadVersions,
  loadWorkspaceTerms,
  quotaFinder,
  type RepTerms,
  type StoredVersion,
} from '../ledger/rep-terms.js';
import { planTerms } from '../plans/plan.js';
import { type Work } from '../platform/database/unit-of-work.js';

/** The plan that is tried: one that exists, one of its versions, or one that was never saved. */
export type TriedPlan = { readonly planId: string } | { readonly planVersionId: string } | { readonly config: unknown };

export interface SimulationRequest {
  readonly plan: TriedPlan;
  readonly period: Period;
  readonly repIds: readonly string[] | null;
  /** Deals that do not exist, by owner; they replace stored ones of the same id. */
  readonly deals: readonly { readonly repId: string; readonly deal: Deal }[];
  readonly quota: { readonly target: Decimal; readonly variableTarget: Decimal | null } | null;
  readonly asOf: Day;
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

const unsaved = '00000000-0000-4000-8000-000000000000';

/**
 * What the plan would pay over the period: the engine run over stored and made-up deals. Nothing is written and
 * approved periods are not looked at: it tells what the plan says, not what the ledger may still take in.
 */
export async function simulate(trx: Work, workspaceId: string, request: SimulationRequest): Promise<Simulation> {
  const versions = await triedVersions(trx, workspaceId, request.plan);
  const repIds = await simulatedReps(trx, workspaceId, request, versions);
  const asked = request.repIds === null ? repIds : request.repIds;
  const inputs = new Map<string, RepInput>();
  for (const repId of repIds) inputs.set(repId, await inputOf(trx, workspaceId, repId, versions, request));
  const credits = new Map(
    [...inputs].map(([repId, input]) => [repId, calculateRep({ ...input, explain: false }).credits] as const),
  );
  const peers =
    (repId: string): RepInput['peerCredits'] =>
    (planId, key, period) =>
      repIds
        .filter((peer) => peer !== repId)
        .map((peer) => credits.get(peer)?.get(`${planId}|${key}|${period}`) ?? Decimal.zero);
  return {
    versions,
    reps: asked.map((repId) => {
      const input = inputs.get(repId) as RepInput;
      const result = calculateRep(isRanked(versions) ? { ...input, peerCredits: peers(repId) } : input);
      return simulatedRep(repId, input, result, versions, request.period);
    }),
  };
}

/** The versions that take part. A version asked for by its id, or an unsaved plan, applies on every day. */
async function triedVersions(trx: Work, workspaceId: string, plan: TriedPlan): Promise<StoredVersion[]> {
  const workspace = await loadWorkspaceTerms(trx, workspaceId);
  if ('config' in plan) {
    const terms = planTerms(plan.config);
    const rules = terms.rules.map((rule): IdentifiedRule => ({ ...rule, id: `${unsaved}:${rule.name}` }));
    return [
      {
        planId: unsaved,
        planVersionId: unsaved,
        version: 1,
        status: 'active',
        supersedes: null,
        planStatus: 'active',
        effectiveStart: null,
        effectiveEnd: null,
        currency: workspace.currency,
        fieldMapping: {},
        dealConditions: terms.dealConditions,
        rules,
      },
    ];
  }
  const planId = 'planId' in plan ? plan.planId : await planOfVersion(trx, workspaceId, plan.planVersionId);
  const versions = planId === null ? [] : await loadVersions(trx, workspaceId, [planId], workspace);
  const everyDay = (version: StoredVersion): StoredVersion => ({
    ...version,
    status: 'active',
    supersedes: null,
    planStatus: 'active',
    effectiveStart: null,
    effectiveEnd: null,
  });
  if ('planVersionId' in plan) {
    const tried = versions.filter((version) => version.planVersionId === plan.planVersionId);
    if (tried.length === 0) throw planNotFound();
    return tried.map(everyDay);
  }
  const timeline = timelineOf(versions);
  const newest = versions.toSorted((a, b) => b.version - a.version)[0];
  if (newest === undefined) throw planNotFound();
  // A plan that is stopped is tried as if it were active.
  return timeline.length > 0 ? timeline.map((version) => ({ ...version, planStatus: 'active' })) : [everyDay(newest)];
}

async function planOfVersion(trx: Work, workspaceId: string, planVersionId: string): Promise<string | null> {
  const version = await trx
    .selectFrom('plan_versions')
    .select('plan_id')
    .where('workspace_id', '=', workspaceId)
    .where('plan_version_id', '=', planVersionId)
    .executeTakeFirst();
  return version?.plan_id ?? null;
}

function planNotFound(): Failure {
  return new Failure('plan_not_found', 'There is no such plan or plan version in this workspace.');
}

/** The reps to calculate: those asked for and, where rank decides, everyone whose rank theirs is held against. */
async function simulatedReps(
  trx: Work,
  workspaceId: string,
  request: SimulationRequest,
  versions: readonly StoredVersion[],
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
  if (request.repIds !== null && !isRanked(versions)) return [...request.repIds];
  const planId = versions[0]?.planId ?? unsaved;
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
  const wanted = new Set([...assigned.map((row) => row.rep_id), ...(request.repIds ?? [])]);
  return known.filter((rep) => wanted.has(rep.rep_id)).map((rep) => rep.rep_id);
}

async function inputOf(
  trx: Work,
  workspaceId: string,
  repId: string,
  versions: readonly StoredVersion[],
  request: SimulationRequest,
): Promise<RepInput> {
  const stored = await loadRepTerms(trx, workspaceId, repId);
  const planId = versions[0]?.planId ?? unsaved;
  const live = stored.assignments.filter((assignment) => assignment.planId === planId && !assignment.deleted);
  const asAssigned = 'planId' in request.plan && live.length > 0;
  const terms: RepTerms = {
    ...stored,
    versions,
    assignments: asAssigned ? live : [{ planId, start: null, end: null, deleted: false }],
    frozen: [],
  };
  const window = calculationWindow(terms, periodRange(request.period));
  const own = request.deals
    .filter((made) => made.repId === repId && isWithin(made.deal.closeDate, window))
    .map((made) => made.deal);
  const madeUp = new Set(request.deals.map((made) => made.deal.dealId));
  const deals = (await loadDeals(trx, terms, window)).filter((deal) => !madeUp.has(deal.dealId));
  return {
    repId,
    asOf: request.asOf,
    window,
    plans: assignedPlans(terms),
    deals: [...deals, ...own],
    teamDeals: await loadTeamDeals(trx, terms, window),
    held: [],
    frozen: [],
    quota: request.quota === null ? quotaFinder(terms.quotas) : () => request.quota,
    peerCredits: await loadPeerCredits(trx, terms, window),
    firstActivity: await loadFirstActivity(trx, terms),
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

/** Every attainment key of the plan, with the credit that it came to in each of its periods touched. */
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

export function totalOf(decisions: readonly Decision[]): number {
  return sum(decisions.map((decision) => decision.amount)).toNumber();
}
