import { attainmentKey, type PlanTerms } from '../engine/plan-config.js';
import { buildTimeline } from '../engine/version-timeline.js';
import { type PlanStatus } from './plan.js';
import { type VersionRow } from './plan-store.js';
import { type PlanWarning } from './plan-warnings.js';

/** Warns when effectiveEnd ends one version but a version that starts later still pays. */
export function laterVersionStarts(changed: VersionRow, versions: readonly VersionRow[]): PlanWarning[] {
  const { effectiveStart, effectiveEnd, planVersionId } = changed;
  if (effectiveEnd === null) return [];
  const later = buildTimeline(versions).find(
    (version) =>
      version.planVersionId !== planVersionId &&
      version.effectiveStart !== null &&
      (effectiveStart === null || version.effectiveStart > effectiveStart),
  );
  if (later === undefined) return [];
  return [
    {
      code: 'later_version_starts',
      path: 'effectiveEnd',
      message: `effectiveEnd ${effectiveEnd} ends version ${changed.version} only: version ${later.version} starts on ${later.effectiveStart} and pays from that day. To end the plan, set effectiveEnd of that version (planVersionId ${later.planVersionId}) too.`,
    },
  ];
}

/**
 * Credit is counted under the attainment key, so attainment of a rule whose key changes restarts at 0 within the
 * period.
 */
export function attainmentRestarts(terms: PlanTerms, keysBefore: ReadonlyMap<string, string>): PlanWarning[] {
  return terms.rules.flatMap((rule, index): PlanWarning[] => {
    const before = keysBefore.get(rule.name);
    const key = attainmentKey(rule);
    if (before === undefined || before === key) return [];
    return [
      {
        code: 'attainment_restarts',
        path: `config.rules.${index}.quotaGroup`,
        message: `${rule.name} counted towards "${before}" and now counts towards "${key}". Attainment starts at 0 under the new key. Set quotas for it.`,
      },
    ];
  });
}

/** An active version pays nothing while the plan itself is not active. */
export function planNotActive(planStatus: PlanStatus, version: VersionRow): PlanWarning[] {
  if (planStatus === 'active' || version.status !== 'active') return [];
  return [
    {
      code: 'plan_not_active',
      path: 'status',
      message: `Version ${version.version} is active, but the plan is ${planStatus} and pays nothing. Set status active with the planId.`,
    },
  ];
}
