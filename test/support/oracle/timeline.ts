import { canonical, type Tier } from './config.js';
import type { PlanStatus, WorldFx, WorldOverride, WorldPlan, WorldPlanVersion } from './world.js';

/** Section 3, rule 2: the versions of a plan in the order of their starts. Superseded versions are not part of it. */
function buildTimeline(versions: WorldPlanVersion[]): WorldPlanVersion[] {
  return versions
    .filter((version) => !versions.some((other) => other.supersedes === version.planVersionId))
    .sort((a, b) => compareStarts(a.effectiveStart, b.effectiveStart) || a.version - b.version);
}

/** A version without a start applies from the first day. */
function compareStarts(a: string | null, b: string | null): number {
  if (a === b) return 0;
  if (a === null) return -1;
  if (b === null) return 1;
  return a < b ? -1 : 1;
}

function hasStarted(version: WorldPlanVersion, day: string): boolean {
  return version.effectiveStart === null || version.effectiveStart <= day;
}

function inForce(versions: WorldPlanVersion[], day: string): WorldPlanVersion | null {
  return (
    buildTimeline(versions)
      .filter((version) => hasStarted(version, day))
      .at(-1) ?? null
  );
}

/** The version in force, unless it has ended: an earlier version never takes over. */
function applicable(versions: WorldPlanVersion[], day: string): WorldPlanVersion | null {
  const version = inForce(versions, day);
  if (version === null || (version.effectiveEnd !== null && version.effectiveEnd < day)) return null;
  return version;
}

function activeVersions(plan: WorldPlan): WorldPlanVersion[] {
  return plan.versions.filter((version) => version.status === 'active');
}

/** Section 3: the version that pays for a day. */
export function versionOn(plan: WorldPlan, day: string): WorldPlanVersion | null {
  return plan.status === 'active' ? applicable(activeVersions(plan), day) : null;
}

/** Section 3, "stopped days". A version that has never been active stops nothing. */
export function isStoppedOn(plan: WorldPlan, day: string): boolean {
  const onceActive = plan.versions.filter((version) => version.status === 'active' || version.hasBeenActive);
  return versionOn(plan, day) === null && applicable(onceActive, day) !== null;
}

/** Section 3, last paragraph on statuses: the version that a planId used as planRef refers to. */
export function resolvePlan(plan: WorldPlan, today: string): WorldPlanVersion {
  const active = activeVersions(plan);
  const next = buildTimeline(active).filter((version) => !hasStarted(version, today));
  const first = next.filter((version) => version.effectiveStart === next[0]?.effectiveStart).at(-1);
  const latest = [...plan.versions].sort((a, b) => b.version - a.version)[0];
  const resolved = inForce(active, today) ?? first ?? latest;
  if (resolved === undefined) throw new Error('a plan has a version');
  return resolved;
}

/** The body of a PATCH. Omitted fields are undefined. */
export interface PlanPatch {
  config?: unknown;
  effectiveStart?: string | null;
  effectiveEnd?: string | null;
  currency?: string;
  fieldMapping?: Record<string, string>;
  fx?: WorldFx | null;
  status?: PlanStatus;
}

/** An override of one tier, or the description of one that could not be copied. */
interface RepTier {
  repId: string;
  ruleName: string;
  tierIndex: number;
}

interface Patched {
  version: WorldPlanVersion;
  dropped: RepTier[];
}

/** Section 3, "superseding" and the last row of the table. */
export function patched(
  source: WorldPlanVersion,
  patch: PlanPatch,
  newVersion: { planVersionId: string; version: number },
): Patched {
  const config = patch.config === undefined ? source.config : patch.config;
  const effectiveStart = patch.effectiveStart === undefined ? source.effectiveStart : patch.effectiveStart;
  const namesTerms =
    patch.config !== undefined ||
    patch.currency !== undefined ||
    patch.fieldMapping !== undefined ||
    patch.fx !== undefined;
  const supersedes = !namesTerms || compareStarts(effectiveStart, source.effectiveStart) <= 0;
  const { unchanged, dropped } = carried(source, config);
  const status = patch.status ?? source.status;
  const version: WorldPlanVersion = {
    ...newVersion,
    supersedes: supersedes ? source.planVersionId : null,
    status,
    hasBeenActive: status === 'active',
    effectiveStart,
    effectiveEnd: patch.effectiveEnd === undefined ? source.effectiveEnd : patch.effectiveEnd,
    currency: patch.currency ?? source.currency,
    fieldMapping: patch.fieldMapping ?? source.fieldMapping,
    ...toFx(patch.fx === undefined ? source.fx : patch.fx),
    config,
    overrides: unchanged,
  };
  return { version, dropped };
}

function toFx(fx: WorldFx | null | undefined): Pick<WorldPlanVersion, 'fx'> {
  return fx === undefined ? {} : { fx };
}

/** Overrides follow a rule by its name, tier by tier, where tierIndex and minThreshold are unchanged. */
function carried(source: WorldPlanVersion, config: unknown): { unchanged: WorldOverride[]; dropped: RepTier[] } {
  const before = sharedTiers(source.config);
  const after = sharedTiers(config);
  const unchanged: WorldOverride[] = [];
  const dropped: RepTier[] = [];
  for (const { repId, ruleName, tiers } of source.overrides) {
    const stays = tiers.filter(({ tierIndex }) => {
      const old = before.get(ruleName)?.find((tier) => tier.tierIndex === tierIndex);
      const now = after.get(ruleName)?.find((tier) => tier.tierIndex === tierIndex);
      return old !== undefined && now !== undefined && old.minThreshold.equals(now.minThreshold);
    });
    const lost = tiers.filter((tier) => !stays.includes(tier));
    if (stays.length > 0) unchanged.push({ repId, ruleName, tiers: stays });
    dropped.push(...lost.map(({ tierIndex }) => ({ repId, ruleName, tierIndex })));
  }
  return { unchanged, dropped };
}

function sharedTiers(config: unknown): Map<string, Tier[]> {
  return new Map(canonical(config).rules.map((rule) => [rule.name, rule.tiers.filter((tier) => tier.repId === null)]));
}

/** Section 3, first two rows of the table. */
export function setPlanStatus(plan: WorldPlan, status: PlanStatus): void {
  plan.status = status;
  if (status !== 'active' || activeVersions(plan).length > 0) return;
  const latest = [...plan.versions].sort((a, b) => b.version - a.version)[0];
  if (latest !== undefined) setVersionStatus(latest, 'active');
}

/** Section 3, second row of the table. */
export function setVersionStatus(version: WorldPlanVersion, status: PlanStatus): void {
  version.status = status;
  version.hasBeenActive ||= status === 'active';
}
