import { cleanLedger } from './clean-ledger.js';
import { canonical } from './config.js';
import { periodDays } from './fiscal.js';
import { type PlanPatch, patched, resolvePlan } from './timeline.js';
import { countedIn, liveRows, sumAmounts } from './true-up.js';
import type {
  FrozenPeriod,
  LedgerRow,
  PlanStatus,
  World,
  WorldDeal,
  WorldFx,
  WorldOverride,
  WorldPlan,
  WorldPlanVersion,
  WorldRate,
} from './world.js';

/** The generated content of a version. Later versions are changes of an earlier one with some of its fields. */
export interface VersionDraft {
  status: PlanStatus;
  effectiveStart: string | null;
  effectiveEnd: string | null;
  fieldMapping: Record<string, string> | null;
  config: object;
  overrides: WorldOverride[];
  fx?: WorldFx | null;
  /** Undefined: changed by planId. */
  source: number | undefined;
  names: 'config' | 'config and dates' | 'start' | 'end' | 'dates' | 'config and start';
  namesStatus: boolean;
}

/** Creates the versions in order, as requests do. */
export function buildPlan(
  planId: string,
  currency: string | null,
  drafts: VersionDraft[],
  idOf: (version: number) => string,
  today: string,
): WorldPlan {
  const plan: WorldPlan = { planId, status: 'active', versions: [] };
  for (const draft of drafts) {
    const version = plan.versions.length + 1;
    const newVersion = { planVersionId: idOf(version), version };
    if (version === 1) {
      plan.versions.push(firstVersion(draft, currency, newVersion));
      if (draft.status === 'draft') plan.status = 'draft';
      continue;
    }
    const chosen = draft.source === undefined ? undefined : plan.versions[draft.source % plan.versions.length];
    const source = chosen ?? resolvePlan(plan, today);
    const patch = toPatch(draft);
    const { effectiveStart: start = source.effectiveStart, effectiveEnd: end = source.effectiveEnd } = patch;
    if (end !== endNotBefore(start, end)) patch.effectiveEnd = null;
    const { version: next } = patched(source, patch, newVersion);
    plan.versions.push({ ...next, overrides: withOwn(next.config, next.overrides, draft) });
  }
  return plan;
}

function firstVersion(
  { status, effectiveStart, effectiveEnd, fieldMapping, config, overrides, fx }: VersionDraft,
  currency: string | null,
  newVersion: Pick<WorldPlanVersion, 'planVersionId' | 'version'>,
): WorldPlanVersion {
  return {
    ...newVersion,
    supersedes: null,
    status: status === 'draft' ? 'draft' : 'active',
    hasBeenActive: status !== 'draft',
    effectiveStart,
    effectiveEnd: endNotBefore(effectiveStart, effectiveEnd),
    currency,
    ...(fx === undefined ? {} : { fx }),
    fieldMapping,
    config,
    overrides,
  };
}

function endNotBefore(start: string | null, end: string | null): string | null {
  return start !== null && end !== null && end < start ? null : end;
}

function toPatch(draft: VersionDraft): PlanPatch {
  const { names, effectiveStart, effectiveEnd, config, fx } = draft;
  const parts = names.split(' and ');
  return {
    ...(parts.includes('config') ? { config } : {}),
    ...(parts.includes('config') && fx !== undefined ? { fx } : {}),
    ...(parts.includes('start') || parts.includes('dates') ? { effectiveStart } : {}),
    ...(parts.includes('end') || parts.includes('dates') ? { effectiveEnd } : {}),
    ...(draft.namesStatus ? { status: draft.status } : {}),
  };
}

/** Carried overrides, replaced where the draft overrides the same rule of the same rep. */
function withOwn(config: unknown, carried: WorldOverride[], draft: VersionDraft): WorldOverride[] {
  if (config !== draft.config) return carried;
  const isReplaced = (override: WorldOverride): boolean =>
    draft.overrides.some((other) => other.repId === override.repId && other.ruleName === override.ruleName);
  // The design does not define the priority of a config's tier with repId and an override.
  const hasOwnTier = ({ repId, ruleName }: WorldOverride): boolean =>
    canonical(config).rules.some((rule) => rule.name === ruleName && rule.tiers.some((tier) => tier.repId === repId));
  return [...carried.filter((override) => !isReplaced(override) && !hasOwnTier(override)), ...draft.overrides];
}

/** Changes of a world after its first deals. */
export interface Approvals {
  frozen: { repId: string; period: string }[];
  /** Positions in the approved periods. */
  trueUpsBefore: number[];
  trueUpsAfter: number[];
  unlocked: number[];
}

/**
 * The world after its history: the first deals are paid and approved, changed and trued up, plans are stopped, and
 * deals change again. The calculation of the last state is pending.
 */
export function afterHistory(
  world: World,
  stages: { first: WorldDeal[]; second: WorldDeal[]; plansBefore: WorldPlan[]; ratesBefore?: WorldRate[] },
  approvals: Approvals,
): World {
  const { ratesBefore } = stages;
  let now: World = { ...world, plans: stages.plansBefore, deals: stages.first };
  if (ratesBefore !== undefined) now.fxRates = ratesBefore;
  now.storedRows = cleanLedger(now);
  now.frozen = withoutOverlaps(world, approvals.frozen).map((each) => ({ ...each, truedUp: null }));
  now = { ...now, deals: stages.second };
  for (const position of approvals.trueUpsBefore) now = withTrueUp(now, position);
  now = { ...now, storedRows: cleanLedger(now), plans: world.plans, deals: world.deals };
  if (world.fxRates !== undefined) now.fxRates = world.fxRates;
  for (const position of approvals.unlocked) now = unlocked(now, position);
  for (const position of approvals.trueUpsAfter) now = withTrueUp(now, position);
  return now;
}

/** Two approved statements of one rep may not overlap. */
function withoutOverlaps(
  world: World,
  requested: { repId: string; period: string }[],
): { repId: string; period: string }[] {
  const found: { repId: string; period: string }[] = [];
  for (const each of requested) {
    const days = periodDays(world, each.period);
    const overlaps = found.some((other) => {
      const occupied = periodDays(world, other.period);
      if (other.repId !== each.repId || occupied === null || days === null) return false;
      return occupied.first <= days.last && days.first <= occupied.last;
    });
    if (!overlaps) found.push(each);
  }
  return found;
}

function frozenAt(world: World, position: number): FrozenPeriod | undefined {
  return world.frozen[position % Math.max(1, world.frozen.length)];
}

/** The world after a true-up of the period. Without a difference nothing is stored. */
function withTrueUp(world: World, position: number): World {
  const frozen = frozenAt(world, position);
  if (frozen === undefined) return world;
  const live = liveRows(world, frozen.repId, frozen.period);
  const { currency } = world.workspace;
  if (sumAmounts(live, currency).equals(sumAmounts(countedIn(world, frozen), currency))) return world;
  const storedRows = cleanLedger(world);
  return {
    ...world,
    storedRows,
    frozen: world.frozen.map((each) => (each === frozen ? { ...each, truedUp: live } : each)),
  };
}

/** Removes the approval and its true-up. Events on stopped days from the true-up remain. */
export function unlocked(world: World, position: number): World {
  const frozen = frozenAt(world, position);
  if (frozen === undefined) return world;
  const approved = new Set<LedgerRow>(countedIn(world, { ...frozen, truedUp: null }));
  return {
    ...world,
    frozen: world.frozen.filter((each) => each !== frozen),
    storedRows: [...world.storedRows.filter((row) => !approved.has(row)), ...countedIn(world, frozen)],
  };
}
