import { type Plan } from '../../api/queries.js';
import { formatDay } from '../../shared/format/dates.js';
import { listRules, type Overrides, type PlanRule, sharedTiers } from './rules.js';

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
type OwnValues = Readonly<Record<string, number | undefined>>;

export function tierKey(ruleId: string, tierIndex: number): string {
  return `${ruleId} ${tierIndex}`;
}

interface OverriddenRule {
  readonly ruleId: string;
  readonly tiers: {
    readonly tierIndex: number;
    readonly rate?: number;
    readonly flatAmount?: number;
    readonly table?: string;
    readonly column?: string;
    readonly from?: string;
    readonly to?: string;
  }[];
}

type StoredTier = Overrides[number]['rules'][number]['tiers'][number];
/** The stored terms of one person, by {@link tierKey}. */
export type StoredTiers = Readonly<Record<string, StoredTier>>;

export function storedTiers(override: Pick<Overrides[number], 'rules'> | undefined): StoredTiers {
  const tiers = (override?.rules ?? []).flatMap((rule) =>
    rule.tiers.map((tier) => [tierKey(rule.ruleId, tier.tierIndex), tier] as const),
  );
  return Object.fromEntries(tiers);
}

/** Own terms of one person, and the first and last day on which they hold; empty for those of the version. */
export interface OwnTerms {
  readonly values: OwnValues;
  /** The tiers, by {@link tierKey}, that keep the stored rate table of the person. */
  readonly tables: readonly string[];
  readonly from: string;
  readonly to: string;
}

/** The stored terms as a form displays them. Its days are those of the first tier. */
export function toTerms(stored: StoredTiers): OwnTerms {
  const tiers = Object.entries(stored);
  const first = tiers[0]?.[1];
  return {
    values: Object.fromEntries(tiers.map(([key, { rate, flatAmount }]) => [key, rate ?? flatAmount])),
    tables: tiers.flatMap(([key, { table }]) => (table === undefined ? [] : [key])),
    from: first?.from ?? '',
    to: first?.to ?? '',
  };
}

/** Whether tiers have other days than the form displays. */
export function hasSeveralDays(stored: StoredTiers): boolean {
  const shown = toTerms(stored);
  return Object.values(stored).some(({ from = '', to = '' }) => from !== shown.from || to !== shown.to);
}

/** Whether a value of the tier is a rate: the kind that is stored, otherwise that of the plan. A rate table has rates. */
export function isRate(tier: Pick<StoredTier, 'rate' | 'flatAmount'>, stored: StoredTier | undefined): boolean {
  const { flatAmount } = stored === undefined || stored.table !== undefined ? tier : stored;
  return flatAmount === undefined;
}

/** The terms of a person as a version stores them. Days that the form does not change are those of each tier. */
export function ownTerms(plan: Plan, terms: OwnTerms, stored: StoredTiers = {}): OverriddenRule[] {
  const shown = toTerms(stored);
  return listRules(plan).flatMap((rule) => {
    const tiers = sharedTiers(rule).flatMap((tier) => {
      const key = tierKey(rule.id, tier.tierIndex);
      const before = stored[key];
      const pay = ownPay(terms, key, isRate(tier, before), before);
      if (pay === null) return [];
      const day = (name: 'from' | 'to') =>
        before !== undefined && terms[name] === shown[name] ? before[name] : terms[name];
      const [from, to] = [day('from'), day('to')];
      return [{ tierIndex: tier.tierIndex, ...pay, ...(from ? { from } : {}), ...(to ? { to } : {}) }];
    });
    return tiers.length === 0 ? [] : [{ ruleId: rule.id, tiers }];
  });
}

function ownPay({ values, tables }: OwnTerms, key: string, isRate: boolean, before: StoredTier | undefined) {
  if (before?.table !== undefined && tables.includes(key))
    return { table: before.table, ...(before.column === undefined ? {} : { column: before.column }) };
  const value = values[key];
  if (value === undefined) return null;
  return isRate ? { rate: value } : { flatAmount: value };
}

/** The terms under the ids of another version, for tiers that it has unchanged, and the names of rules that lose some. */
export function carriedTerms(
  from: Plan,
  to: Plan,
  terms: readonly OverriddenRule[],
): { readonly rules: OverriddenRule[]; readonly lost: readonly string[] } {
  const lost = new Set<string>();
  const rules = terms.flatMap(({ ruleId, tiers }) => {
    const rule = listRules(from).find(({ id }) => id === ruleId) as PlanRule;
    const same = listRules(to).find(({ name }) => name === rule.name);
    const carried = tiers.filter(({ tierIndex }) => {
      const tier = sharedTiers(rule).find((sharedTier) => sharedTier.tierIndex === tierIndex);
      return same !== undefined && tier !== undefined && hasTier(same, tier);
    });
    if (carried.length < tiers.length) lost.add(rule.name);
    return same === undefined || carried.length === 0 ? [] : [{ ruleId: same.id, tiers: carried }];
  });
  return { rules, lost: [...lost] };
}

function hasTier(rule: PlanRule, tier: PlanRule['tiers'][number]): boolean {
  return sharedTiers(rule).some(
    (sharedTier) =>
      sharedTier.tierIndex === tier.tierIndex &&
      sharedTier.minThreshold === tier.minThreshold &&
      (sharedTier.rate === undefined) === (tier.rate === undefined) &&
      sharedTier.table === tier.table,
  );
}
