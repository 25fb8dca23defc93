import { type PlanFx } from '../engine/plan-fx.js';
import { buildTimeline, computeStretches, latestStarted, type Stretch } from '../engine/version-timeline.js';
import { type Day } from '../kernel/day.js';
import { assertEffectiveDayOrder } from '../kernel/day-order.js';
import { newId } from '../kernel/ids.js';
import { type PlanStatus, type RequestedDates, storedConfig } from './plan.js';
import { type StoredPlan, type VersionRow } from './plan-store.js';
import { type PlanTest } from './plan-tests.js';

/** The body of a PATCH; undefined fields stay unchanged. */
export interface PlanChange extends RequestedDates {
  readonly config?: Readonly<Record<string, unknown>> | undefined;
  readonly currency?: string | null | undefined;
  readonly fx?: PlanFx | null | undefined;
  readonly fieldMapping?: Readonly<Record<string, unknown>> | null | undefined;
  readonly name?: string | undefined;
  readonly status?: PlanStatus | undefined;
  readonly tests?: readonly PlanTest[] | undefined;
}

/** The plan after the change. */
export interface ChangedState {
  readonly status: PlanStatus;
  readonly versions: readonly VersionRow[];
  /** The version that the change created, null if none. */
  readonly newVersion: VersionRow | null;
}

export function makesVersion({
  config,
  effectiveStart,
  effectiveEnd,
  currency,
  fx,
  fieldMapping,
}: PlanChange): boolean {
  return [config, effectiveStart, effectiveEnd, currency, fx, fieldMapping].some((value) => value !== undefined);
}

/** Applies the change to the plan or to the source version, depending on what the reference of the request names. */
export function applyChange(
  plan: StoredPlan,
  source: VersionRow,
  change: PlanChange,
  namesPlan: boolean,
): ChangedState {
  if (makesVersion(change)) {
    const newVersion = buildNextVersion(plan, source, change);
    const status = namesPlan && change.status === 'active' ? 'active' : plan.status;
    return { status, versions: [...plan.versions, newVersion], newVersion };
  }
  const { status } = change;
  const tested = withTests(plan.versions, source, change.tests);
  if (status === undefined) return { status: plan.status, versions: tested, newVersion: null };
  if (!namesPlan) return { status: plan.status, versions: withStatus(tested, source, status), newVersion: null };
  const isWithoutActive = plan.versions.every((version) => version.status !== 'active');
  const latest = plan.versions.at(-1) as VersionRow;
  const versions = status === 'active' && isWithoutActive ? withStatus(tested, latest, 'active') : tested;
  return { status, versions, newVersion: null };
}

function withStatus(versions: readonly VersionRow[], target: VersionRow, status: PlanStatus): VersionRow[] {
  return versions.map((version) => (version.planVersionId === target.planVersionId ? { ...version, status } : version));
}

/** Tests without other changes are replaced in place. */
function withTests(
  versions: readonly VersionRow[],
  target: VersionRow,
  tests: PlanChange['tests'],
): readonly VersionRow[] {
  if (tests === undefined) return versions;
  return versions.map((version) => (version.planVersionId === target.planVersionId ? { ...version, tests } : version));
}

/** A copy of the source with the changed fields. It supersedes the source unless it starts later. */
export function buildNextVersion(plan: StoredPlan, source: VersionRow, change: PlanChange): VersionRow {
  const version = (plan.versions.at(-1)?.version ?? 0) + 1;
  const effectiveStart = change.effectiveStart === undefined ? source.effectiveStart : change.effectiveStart;
  const effectiveEnd = change.effectiveEnd === undefined ? source.effectiveEnd : change.effectiveEnd;
  assertEffectiveDayOrder(effectiveStart, effectiveEnd);
  const terms = [change.config, change.currency, change.fx, change.fieldMapping];
  const changesDatesOnly = terms.every((value) => value === undefined);
  const startsLater =
    effectiveStart !== null && (source.effectiveStart === null || effectiveStart > source.effectiveStart);
  return {
    planId: plan.planId,
    planVersionId: newId(),
    version,
    status: change.status ?? source.status,
    supersedes: changesDatesOnly || !startsLater ? source.planVersionId : null,
    hasBeenActive: false,
    effectiveStart,
    effectiveEnd,
    currency: change.currency === undefined ? source.currency : change.currency,
    fx: change.fx === undefined ? source.fx : change.fx,
    fieldMapping: change.fieldMapping === undefined ? source.fieldMapping : change.fieldMapping,
    tests: change.tests ?? source.tests,
    config: storedConfig(change.config ?? source.config, { version, effectiveStart, effectiveEnd }),
  };
}

/**
 * The days of the version that becomes in force when the change deactivates the version in force, null if there is
 * none; undefined when the change deactivates no version in force today.
 */
export function findRollBack(
  plan: StoredPlan,
  changed: ChangedState,
  source: VersionRow,
  today: Day,
): Stretch | null | undefined {
  const before = buildTimeline(plan.versions);
  const after = buildTimeline(changed.versions);
  const isDeactivated = !after.some((version) => version.planVersionId === source.planVersionId);
  if (changed.newVersion !== null || !isDeactivated || latestStarted(before, today) !== source) return undefined;
  const next = latestStarted(after, today);
  return computeStretches(after).find(({ planVersionId }): boolean => planVersionId === next?.planVersionId) ?? null;
}
