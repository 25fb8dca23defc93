import { latestStarted, restatedDays } from '../engine/version-timeline.js';
import { type Caller, mayActAs } from '../kernel/caller.js';
import { type DayRange } from '../kernel/day.js';
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
import { type SimulatedPlan, type SimulatedVersions } from './simulated-versions.js';

interface SimulatedCase {
  readonly plan: SimulatedPlan;
  readonly simulated: SimulatedVersions;
  readonly range: DayRange;
  /** Whether the request assumes a quota for everyone, so that none is missing. */
  readonly hasQuota: boolean;
  readonly repIds: readonly string[];
}

/** Warnings about the simulated plan. A rep sees only those about its terms, none about other people. */
export async function collectSimulationWarnings(
  tx: Transaction,
  caller: Caller,
  { plan, simulated, range, hasQuota, repIds }: SimulatedCase,
): Promise<PlanWarning[]> {
  const version =
    simulated.change?.newVersion ??
    latestStarted(simulated.versions, range.to) ??
    (simulated.versions[0] as StoredVersion);
  const config = 'config' in plan ? plan.config : await loadConfig(tx, version.planVersionId);
  const { fieldMapping, currency, fx = null, ...terms } = version;
  const ofTerms = await collectTermWarnings(tx, { config, terms, fieldMapping, currency, fx });
  if (!mayActAs(caller, 'manager')) return ofTerms;
  if (simulated.planId === unsaved)
    return [...ofTerms, ...(hasQuota ? [] : await collectUnsavedWarnings(tx, terms, range, repIds.length))];
  const coverage = await collectCoverageWarnings(tx, simulated.planId, terms, range, {
    quotaDays: range,
    repIds,
  });
  const restated =
    simulated.change === null
      ? null
      : restatedDays(
          { isActive: simulated.stored[0]?.planStatus === 'active', versions: simulated.stored },
          { isActive: true, versions: [...simulated.stored, simulated.change.newVersion] },
        );
  return [
    ...ofTerms,
    ...coverage.filter(({ code }) => code !== 'quota_missing' || !hasQuota),
    ...(restated === null ? [] : await collectRestatementWarnings(tx, simulated.planId, restated)),
  ];
}

/** The config as it was sent: the paths of warnings name its fields. */
async function loadConfig(tx: Transaction, planVersionId: string): Promise<unknown> {
  const row = await tx.db
    .selectFrom('plan_versions')
    .select('config')
    .where('workspace_id', '=', tx.workspaceId)
    .where('plan_version_id', '=', planVersionId)
    .executeTakeFirst();
  return row?.config ?? {};
}
