import { type PlanFx } from '../engine/plan-fx.js';
import { buildTimeline } from '../engine/version-timeline.js';
import { type Day } from '../kernel/day.js';
import { loadVersions, loadWorkspaceTerms, type StoredVersion } from '../ledger/input/rep-terms.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { unsaved } from '../simulation/unsaved-plan.js';
import { planNotFound, planTerms, type RequestedDates } from './plan.js';
import { buildNextVersion } from './plan-change.js';
import { findVersion, loadPlan } from './plan-store.js';
import { onEveryDay, toStoredVersion, unsavedVersion } from './unstored-versions.js';

/** The plan to simulate: a stored plan, one of its versions, a config alone, or a stored plan with a new config. */
export type SimulatedPlan =
  | { readonly planId: string }
  | { readonly planVersionId: string }
  | { readonly config: Readonly<Record<string, unknown>>; readonly fx: PlanFx | null }
  | ChangedPlan;

interface ChangedPlan {
  readonly planId: string;
  readonly config: Readonly<Record<string, unknown>>;
  /** Undefined: as before the change. */
  readonly fx: PlanFx | null | undefined;
  readonly dates: RequestedDates;
  readonly today: Day;
}

export interface SimulatedVersions {
  readonly planId: string;
  readonly versions: readonly StoredVersion[];
  /** The stored versions, without the simulated change. */
  readonly stored: readonly StoredVersion[];
  /** The version that a new config would create, and its source. */
  readonly change: { readonly source: StoredVersion; readonly newVersion: StoredVersion } | null;
}

/** The versions to calculate with. A version given by its id and a config alone apply on every day. */
export async function loadSimulatedVersions(tx: Transaction, plan: SimulatedPlan): Promise<SimulatedVersions> {
  const workspace = await loadWorkspaceTerms(tx);
  if (!('planId' in plan) && 'config' in plan) {
    const version = unsavedVersion(planTerms(plan.config), workspace.currency, plan.fx);
    return { planId: unsaved, versions: [version], stored: [], change: null };
  }
  const planId = 'planId' in plan ? plan.planId : await findPlanOfVersion(tx, plan.planVersionId);
  const stored = planId === null ? [] : await loadVersions(tx, [planId], workspace);
  if (planId === null || stored.length === 0) throw planNotFound();
  if ('planVersionId' in plan) {
    const selected = stored.filter((version) => version.planVersionId === plan.planVersionId);
    return { planId, versions: selected.map((version) => ({ ...version, ...onEveryDay })), stored, change: null };
  }
  if ('config' in plan) {
    const change = await buildChangedVersion(tx, stored, workspace.currency, plan);
    return { planId, versions: buildActiveTimeline([...stored, change.newVersion]), stored, change };
  }
  const timeline = buildActiveTimeline(stored);
  const newest = stored.toSorted((a, b) => b.version - a.version)[0] as StoredVersion;
  return { planId, versions: timeline.length > 0 ? timeline : [{ ...newest, ...onEveryDay }], stored, change: null };
}

/** Builds the timeline, with an active plan: an inactive one is simulated as if it were active. */
function buildActiveTimeline(versions: readonly StoredVersion[]): StoredVersion[] {
  return buildTimeline(versions).map((version) => ({ ...version, planStatus: 'active' }));
}

/** Builds the version that a PATCH of the config with these dates would create, as if it were active. */
async function buildChangedVersion(
  tx: Transaction,
  stored: readonly StoredVersion[],
  currency: string,
  { planId, config, fx, dates, today }: ChangedPlan,
): Promise<NonNullable<SimulatedVersions['change']>> {
  const plan = await loadPlan(tx, planId);
  if (plan === undefined) throw planNotFound();
  const source = findVersion(plan, planId, today);
  const row = buildNextVersion(plan, source, { ...dates, config, fx, status: 'active' });
  return {
    source: stored.find(({ planVersionId }) => planVersionId === source.planVersionId) as StoredVersion,
    newVersion: toStoredVersion({ ...row, planVersionId: unsaved }, planTerms(config), currency),
  };
}

async function findPlanOfVersion(tx: Transaction, planVersionId: string): Promise<string | null> {
  const version = await tx.db
    .selectFrom('plan_versions')
    .select('plan_id')
    .where('workspace_id', '=', tx.workspaceId)
    .where('plan_version_id', '=', planVersionId)
    .executeTakeFirst();
  return version?.plan_id ?? null;
}
