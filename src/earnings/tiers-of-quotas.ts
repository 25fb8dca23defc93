import { compileTimeline } from '../engine/compiled-plan.js';
import { type AssignedPlan } from '../engine/model.js';
import { getOrInsert } from '../kernel/get-or-insert.js';
import { groupBy } from '../kernel/group-by.js';
import {
  calendarOf,
  loadVersions,
  payingVersions,
  type StoredVersion,
  type WorkspaceTerms,
} from '../ledger/input/rep-terms.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type QuotaRow } from './attainment.js';

/**
 * Finds the plan of a quota with the tiers of its rep. A plan without tiers of single reps is compiled once for everyone.
 * Overrides change what a tier pays, and not where it begins.
 */
export async function loadTiersOfQuotas(
  tx: Transaction,
  quotas: readonly QuotaRow[],
  workspace: WorkspaceTerms,
): Promise<(quota: QuotaRow) => AssignedPlan> {
  const planIds = [...new Set(quotas.map(({ planId }) => planId))];
  const versions = groupBy(await loadVersions(tx, planIds, workspace), ({ planId }) => planId);
  const timelines = new Map([...versions].map(([planId, all]) => [planId, payingVersions(all)]));
  const compiled = new Map<string, AssignedPlan>();
  return ({ planId, repId }) => {
    const timeline = timelines.get(planId) ?? [];
    const key = hasTiersOfReps(timeline) ? `${planId} ${repId}` : planId;
    return getOrInsert(compiled, key, () => ({
      planId,
      assignments: [],
      versions: compileTimeline(
        timeline,
        repId,
        new Map(),
        workspace.measures,
        workspace.timeZone,
        calendarOf({ workspace }),
        workspace.tables,
      ),
    }));
  };
}

function hasTiersOfReps(timeline: readonly StoredVersion[]): boolean {
  return timeline.some(({ rules }) => rules.some(({ tiers }) => tiers.some((tier) => 'repId' in tier)));
}
