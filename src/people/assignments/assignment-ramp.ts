import { type Day } from '../../kernel/day.js';
import { invalid } from '../../kernel/failure.js';
import { loadVersions, loadWorkspaceTerms, payingVersions } from '../../ledger/input/rep-terms.js';
import { type PlanWarning } from '../../plans/plan-warnings.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { findRamp } from '../ramps/ramp-views.js';

interface RequestedRamp {
  readonly rampId?: string | null | undefined;
  readonly rampFrom?: Day | null | undefined;
}

/** The ramp of an assignment, which must exist; a first day without a ramp is an error. */
export async function readRamp(tx: Transaction, { rampId = null, rampFrom = null }: RequestedRamp) {
  if (rampId === null && rampFrom !== null) throw invalid({ path: 'rampFrom', message: 'needs a rampId' });
  return { rampId: rampId === null ? null : (await findRamp(tx, rampId)).rampId, rampFrom };
}

/** A warning if the ramp changes only quotas, and no rule of the plan in force prorates them. */
export async function findRampWarnings(
  tx: Transaction,
  { planId, rampId }: { readonly planId: string; readonly rampId: string | null },
): Promise<readonly PlanWarning[]> {
  if (rampId === null) return [];
  const { steps } = await findRamp(tx, rampId);
  if (steps.some(({ ratePercent }) => ratePercent !== 100)) return [];
  const versions = payingVersions(await loadVersions(tx, [planId], await loadWorkspaceTerms(tx)));
  if (versions.some(({ rules }) => rules.some(({ quotaProration = 'none' }) => quotaProration !== 'none'))) return [];
  const message =
    'No rule of the plan prorates quotas, so the ramp changes nothing. Set quotaProration of the rules, or ratePercent of the steps.';
  return [{ code: 'no_effect_without_proration', path: 'rampId', message }];
}
