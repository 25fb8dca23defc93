import { type PlanTerms } from '../engine/plan-config.js';
import { buildTimeline, restatedDays } from '../engine/version-timeline.js';
import { type Day } from '../kernel/day.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { collectRestatementWarnings } from './collect-plan-warnings.js';
import { planNotFound, planTerms } from './plan.js';
import { applyChange, type ChangedState, type PlanChange } from './plan-change.js';
import { findVersion, loadAttainmentKeys, loadPlan, type StoredPlan, type VersionRow } from './plan-store.js';
import { type PlanWarning } from './plan-warnings.js';
import { attainmentRestarts, laterVersionStarts, planNotActive } from './version-warnings.js';
import { assertTablesOfVersionsFit, assertTermsFit } from './workspace-terms-checks.js';

/** A plan and the state that a PATCH gives it. */
export interface PlannedChange {
  readonly plan: StoredPlan;
  readonly source: VersionRow;
  readonly changed: ChangedState;
  readonly change: PlanChange;
  /** The terms of the version that the change creates; null if it creates none. */
  readonly terms: PlanTerms | null;
}

interface RequestedChange {
  readonly planRef: string;
  readonly change: PlanChange;
  /** The terms of the config of the change, where they are known. */
  readonly terms?: PlanTerms | undefined;
}

/** The plan after the change. Rejects a change that the plan, its rules or its reps do not permit. */
export async function loadPlannedChange(
  tx: Transaction,
  { planRef, change, terms: known }: RequestedChange,
  today: Day,
): Promise<PlannedChange> {
  const plan = await loadPlan(tx, planRef);
  if (plan === undefined) throw planNotFound();
  const source = findVersion(plan, planRef, today);
  const changed = applyChange(plan, source, change, planRef === plan.planId);
  await assertTablesOfVersionsFit(tx, plan.planId, listResumed(plan, changed));
  if (changed.newVersion === null) return { plan, source, changed, change, terms: null };
  const terms = known ?? planTerms(changed.newVersion.config);
  await assertTermsFit(tx, terms, changed.newVersion.currency);
  return { plan, source, changed, change, terms };
}

/** The stored versions that pay after the change and do not pay before it. Their tables may have changed meanwhile. */
function listResumed(plan: StoredPlan, { status, versions, newVersion }: ChangedState): readonly string[] {
  const paying = plan.status === 'active' ? buildTimeline(plan.versions) : [];
  const before = new Set(paying.map(({ planVersionId }) => planVersionId));
  const after = status === 'active' ? buildTimeline(versions) : [];
  return after
    .map(({ planVersionId }) => planVersionId)
    .filter((planVersionId) => planVersionId !== newVersion?.planVersionId && !before.has(planVersionId));
}

/** The source version after a change that creates no version. */
export function sourceAfter({ source, changed }: PlannedChange): VersionRow {
  return changed.versions.find(({ planVersionId }) => planVersionId === source.planVersionId) as VersionRow;
}

export function datedPlan({ status, versions }: Pick<StoredPlan, 'status' | 'versions'>) {
  return { isActive: status === 'active', versions };
}

/** The warnings about the step from the old state to the new one. Call it before the change is written. */
export async function collectChangeWarnings(tx: Transaction, planned: PlannedChange): Promise<PlanWarning[]> {
  const { source, changed, change, terms } = planned;
  const { newVersion } = changed;
  if (newVersion === null || terms === null)
    return change.status === 'active' ? planNotActive(changed.status, sourceAfter(planned)) : [];
  return [
    ...(change.effectiveEnd === undefined ? [] : laterVersionStarts(newVersion, changed.versions)),
    ...attainmentRestarts(terms, await loadAttainmentKeys(tx, source.planVersionId)),
    ...planNotActive(changed.status, newVersion),
  ];
}

/** Warns how many events the change recalculates. Call it before the change is written. */
export async function collectRestatements(tx: Transaction, { plan, changed }: PlannedChange): Promise<PlanWarning[]> {
  const restated = restatedDays(datedPlan(plan), datedPlan(changed));
  return restated === null ? [] : collectRestatementWarnings(tx, plan.planId, restated);
}
