import { type Plan } from '../../api/queries.js';
import { formatDay } from '../../shared/format/dates.js';
import { listRules, type PlanRule, sharedTiers } from './rules.js';

/**
 * The version that a change begins with, of a history with the newest first: a draft that is newer than what is in force,
 * otherwise the version in force, otherwise the next one to start.
 */
export function editedVersion(history: readonly Plan[]): Plan | undefined {
  const [newest] = history;
  if (newest === undefined) return undefined;
  const byId = (id: string | undefined) => history.find(({ planVersionId }) => planVersionId === id);
  const inForce = byId(newest.inForce?.planVersionId) ?? byId(newest.timeline[0]?.planVersionId);
  const draft = history.find(({ versionStatus }) => versionStatus === 'draft');
  if (draft !== undefined && draft.version > (inForce?.version ?? 0)) return draft;
  return inForce ?? newest;
}

/** What holds on which days, as a sentence. */
export function timelineWords(
  timeline: readonly Pick<Plan['timeline'][number], 'version' | 'from' | 'to'>[],
  start = 'In force',
): string {
  if (timeline.length === 0) return 'No version is in force: nothing new is earned under the plan.';
  const parts = timeline.map(({ version, from, to }) => {
    const start = from === null ? '' : ` from ${formatDay(from, 'year')}`;
    const end = to === null ? '' : ` to ${formatDay(to, 'year')}`;
    return `version ${version}${start}${end === '' && start === '' ? ' on every day' : end}`;
  });
  return `${start}: ${parts.join(', then ')}.`;
}

/** The versions after one that may pay too: drafts and versions that start later or were made later. */
export function laterVersions(history: readonly Plan[], plan: Plan): readonly Plan[] {
  const startsLater = ({ effectiveStart }: Plan) =>
    effectiveStart !== null && (plan.effectiveStart === null || effectiveStart > plan.effectiveStart);
  return history
    .filter(
      (version) =>
        version.planVersionId !== plan.planVersionId &&
        (version.versionStatus === 'active' || version.versionStatus === 'draft') &&
        (version.version > plan.version || startsLater(version)),
    )
    .toReversed();
}

/** The value of a tier for one person, by {@link tierKey}; undefined for the value of the plan. */
export type OwnValues = Readonly<Record<string, number | undefined>>;

export function tierKey(ruleId: string, tierIndex: number): string {
  return `${ruleId} ${tierIndex}`;
}

interface OverriddenRule {
  readonly ruleId: string;
  readonly tiers: {
    readonly tierIndex: number;
    readonly rate?: number;
    readonly flatAmount?: number;
    readonly from?: string;
    readonly to?: string;
  }[];
}

/** Own values of one person, and the first and last day on which they hold; empty for those of the version. */
export interface OwnTerms {
  readonly values: OwnValues;
  readonly from: string;
  readonly to: string;
}

/** The terms of a person as a version stores them. */
export function ownTerms(plan: Plan, { values, from, to }: OwnTerms): OverriddenRule[] {
  const days = { ...(from === '' ? {} : { from }), ...(to === '' ? {} : { to }) };
  return listRules(plan).flatMap((rule) => {
    const tiers = sharedTiers(rule).flatMap(({ tierIndex, rate }) => {
      const value = values[tierKey(rule.id, tierIndex)];
      if (value === undefined) return [];
      return [{ tierIndex, ...(rate === undefined ? { flatAmount: value } : { rate: value }), ...days }];
    });
    return tiers.length === 0 ? [] : [{ ruleId: rule.id, tiers }];
  });
}

/** The values under the ids of another version, for tiers that it has unchanged, and the names of rules that lose some. */
export function carriedValues(
  from: Plan,
  to: Plan,
  values: OwnValues,
): { readonly values: OwnValues; readonly lost: readonly string[] } {
  const carried: Record<string, number | undefined> = {};
  const lost = new Set<string>();
  for (const rule of listRules(from)) {
    const same = listRules(to).find(({ name }) => name === rule.name);
    for (const tier of sharedTiers(rule)) {
      const value = values[tierKey(rule.id, tier.tierIndex)];
      if (value === undefined) continue;
      if (same !== undefined && hasTier(same, tier)) carried[tierKey(same.id, tier.tierIndex)] = value;
      else lost.add(rule.name);
    }
  }
  return { values: carried, lost: [...lost] };
}

function hasTier(rule: PlanRule, tier: PlanRule['tiers'][number]): boolean {
  return sharedTiers(rule).some(
    (sharedTier) =>
      sharedTier.tierIndex === tier.tierIndex &&
      sharedTier.minThreshold === tier.minThreshold &&
      (sharedTier.rate === undefined) === (tier.rate === undefined),
  );
}
