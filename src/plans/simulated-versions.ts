import { type IdentifiedRule, type TierOverride } from '../engine/compiled-plan.js';
import { type PlanTerms } from '../engine/plan-config.js';
import { timelineOf, versionMeant } from '../engine/version-timeline.js';
import { type Day } from '../kernel/day.js';
import { loadVersions, loadWorkspaceTerms, type StoredVersion } from '../ledger/rep-terms.js';
import { type Work } from '../platform/database/unit-of-work.js';
import { unsaved } from '../simulation/unsaved-plan.js';
import { assertDateOrder, planNotFound, planTerms, type RequestedDates, thresholdOf } from './plan.js';

/** The plan to simulate: a stored plan, one of its versions, a config alone, or a stored plan with a new config. */
export type TriedPlan =
  | { readonly planId: string }
  | { readonly planVersionId: string }
  | { readonly config: Readonly<Record<string, unknown>> }
  | {
      readonly planId: string;
      readonly config: Readonly<Record<string, unknown>>;
      readonly dates: RequestedDates;
      readonly today: Day;
    };

export interface TriedVersions {
  readonly planId: string;
  readonly versions: readonly StoredVersion[];
  /** The stored versions, without the simulated change. */
  readonly stored: readonly StoredVersion[];
  /** The version that a new config would create, and its source. */
  readonly change: { readonly source: StoredVersion; readonly made: StoredVersion } | null;
}

/** The versions to calculate with. A version given by its id and a config alone apply on every day. */
export async function triedVersions(trx: Work, workspaceId: string, plan: TriedPlan): Promise<TriedVersions> {
  const workspace = await loadWorkspaceTerms(trx, workspaceId);
  if (!('planId' in plan) && 'config' in plan) {
    const version = unsavedVersion(planTerms(plan.config), workspace.currency);
    return { planId: unsaved, versions: [version], stored: [], change: null };
  }
  const planId = 'planId' in plan ? plan.planId : await planOfVersion(trx, workspaceId, plan.planVersionId);
  const stored = planId === null ? [] : await loadVersions(trx, workspaceId, [planId], workspace);
  if (planId === null || stored.length === 0) throw planNotFound();
  if ('planVersionId' in plan) {
    const tried = stored.filter((version) => version.planVersionId === plan.planVersionId);
    return { planId, versions: tried.map((version) => ({ ...version, ...onEveryDay })), stored, change: null };
  }
  if ('config' in plan) {
    const change = changedVersion(stored, planTerms(plan.config), plan.dates, plan.today);
    return { planId, versions: paying([...stored, change.made]), stored, change };
  }
  const timeline = paying(stored);
  const newest = stored.toSorted((a, b) => b.version - a.version)[0] as StoredVersion;
  return { planId, versions: timeline.length > 0 ? timeline : [{ ...newest, ...onEveryDay }], stored, change: null };
}

/** The timeline. An inactive plan is simulated as if it were active. */
function paying(versions: readonly StoredVersion[]): StoredVersion[] {
  return timelineOf(versions).map((version) => ({ ...version, planStatus: 'active' }));
}

const onEveryDay = {
  status: 'active',
  supersedes: null,
  hasBeenActive: false,
  planStatus: 'active',
  effectiveStart: null,
  effectiveEnd: null,
} as const;

/** A version of a config that is not stored. It applies on every day. */
export function unsavedVersion(terms: PlanTerms, currency: string): StoredVersion {
  return {
    planId: unsaved,
    planVersionId: unsaved,
    version: 1,
    ...onEveryDay,
    currency,
    fieldMapping: {},
    dealConditions: terms.dealConditions,
    rules: unsavedRules(terms),
  };
}

function unsavedRules({ rules }: PlanTerms): IdentifiedRule[] {
  return rules.map((rule) => ({ ...rule, id: `${unsaved}:${rule.name}` }));
}

/**
 * The version that a PATCH of the config with these dates would create: it supersedes its source unless it starts
 * later.
 */
function changedVersion(
  stored: readonly StoredVersion[],
  terms: PlanTerms,
  dates: RequestedDates,
  today: Day,
): { readonly source: StoredVersion; readonly made: StoredVersion } {
  const source = versionMeant(stored, today) as StoredVersion;
  const effectiveStart = dates.effectiveStart === undefined ? source.effectiveStart : dates.effectiveStart;
  const effectiveEnd = dates.effectiveEnd === undefined ? source.effectiveEnd : dates.effectiveEnd;
  assertDateOrder(effectiveStart, effectiveEnd);
  const startsLater =
    effectiveStart !== null && (source.effectiveStart === null || effectiveStart > source.effectiveStart);
  const made: StoredVersion = {
    ...source,
    planVersionId: unsaved,
    version: Math.max(...stored.map(({ version }) => version)) + 1,
    status: 'active',
    supersedes: startsLater ? null : source.planVersionId,
    hasBeenActive: false,
    effectiveStart,
    effectiveEnd,
    dealConditions: terms.dealConditions,
    rules: unsavedRules(terms),
  };
  return { source, made };
}

/**
 * The overrides, including those that the new version would carry over: of rules with the same name, for tiers with
 * unchanged index and threshold.
 */
export function carriedOverrides(
  overrides: ReadonlyMap<string, readonly TierOverride[]>,
  change: TriedVersions['change'],
): ReadonlyMap<string, readonly TierOverride[]> {
  if (change === null) return overrides;
  const carried = change.made.rules.flatMap((rule): [string, TierOverride[]][] => {
    const before = change.source.rules.find(({ name }) => name === rule.name);
    if (before === undefined) return [];
    const tiers = (overrides.get(before.id) ?? []).filter(
      ({ tierIndex }) =>
        thresholdOf(before, tierIndex) !== undefined && thresholdOf(before, tierIndex) === thresholdOf(rule, tierIndex),
    );
    return [[rule.id, tiers]];
  });
  return new Map([...overrides, ...carried]);
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
