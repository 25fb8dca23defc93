import { latestStarted, restatedDays } from '../engine/version-timeline.js';
import { type Caller, mayActAs } from '../kernel/caller.js';
import { type Period, periodRange } from '../kernel/period.js';
import { type StoredVersion } from '../ledger/input/rep-terms.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { unsaved } from '../simulation/unsaved-plan.js';
import {
  collectCoverageWarnings,
  collectRestatementWarnings,
  collectTermWarnings,
  collectUnsavedWarnings,
} from './collect-plan-warnings.js';
import { type PlanWarning } from './plan-warnings.js';
import { type TriedPlan, type TriedVersions } from './simulated-versions.js';

interface SimulatedPlan {
  readonly plan: TriedPlan;
  readonly tried: TriedVersions;
  readonly period: Period;
  /** Whether the request assumes a quota for everyone, so that none is missing. */
  readonly hasQuota: boolean;
  readonly reps: number;
}

/** Warnings about the simulated plan. A rep sees only those about its terms, none about other people. */
export async function simulationWarnings(
  tx: Transaction,
  caller: Caller,
  { plan, tried, period, hasQuota, reps }: SimulatedPlan,
): Promise<PlanWarning[]> {
  const range = periodRange(period);
  const version = tried.change?.made ?? latestStarted(tried.versions, range.to) ?? (tried.versions[0] as StoredVersion);
  const config = 'config' in plan ? plan.config : await configOf(tx, version.planVersionId);
  const { fieldMapping, ...terms } = version;
  const ofTerms = await collectTermWarnings(tx, { config, terms, fieldMapping });
  if (!mayActAs(caller, 'manager')) return ofTerms;
  if (tried.planId === unsaved) return [...ofTerms, ...(hasQuota ? [] : collectUnsavedWarnings(terms, range, reps))];
  const coverage = await collectCoverageWarnings(tx, tried.planId, terms, range, range);
  const restated =
    tried.change === null
      ? null
      : restatedDays(
          { isActive: tried.stored[0]?.planStatus === 'active', versions: tried.stored },
          { isActive: true, versions: [...tried.stored, tried.change.made] },
        );
  return [
    ...ofTerms,
    ...coverage.filter(({ code }) => code !== 'quota_missing' || !hasQuota),
    ...(restated === null ? [] : await collectRestatementWarnings(tx, tried.planId, restated)),
  ];
}

/** The config as it was sent: the paths of warnings name its fields. */
async function configOf(tx: Transaction, planVersionId: string): Promise<unknown> {
  const row = await tx.db
    .selectFrom('plan_versions')
    .select('config')
    .where('workspace_id', '=', tx.workspaceId)
    .where('plan_version_id', '=', planVersionId)
    .executeTakeFirst();
  return row?.config ?? {};
}
