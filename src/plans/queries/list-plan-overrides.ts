import { z } from 'zod';
import { pathIds } from '../../api/resource-fields.js';
import { maySee } from '../../kernel/caller.js';
import { groupBy } from '../../kernel/group-by.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { workspaceToday } from '../../people/reps/rep-views.js';
import { type Transaction, UnitOfWork } from '../../platform/database/unit-of-work.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { effects } from '../../platform/mcp/tool.js';
import { operation } from '../../platform/operations/operation.js';
import { findThreshold, planNotFound, repOverrides } from '../plan.js';
import { repOverridesExample } from '../plan-examples.js';
import { planArguments } from '../plan-tool-text.js';
import { findPlanVersion, listOverrides, planViewer } from '../plan-views.js';

const params = z.strictObject({ planVersionId: pathIds.planVersionId });

/** The overrides of a version grouped by rep, each tier with the threshold of the general tier. */
export async function groupOverridesByRep(tx: Transaction, planVersionId: string, onlyForRep: string | null) {
  const rows = await listOverrides(tx, planVersionId);
  const visible = onlyForRep === null ? rows : rows.filter((row) => row.repId === onlyForRep);
  return [...groupBy(visible, (row) => row.repId)].map(([repId, ofRep]) => ({
    planVersionId,
    repId,
    repName: ofRep[0]?.repName ?? '',
    rules: ofRep.map((row) => ({
      ruleId: row.ruleId,
      ruleName: row.rule.name,
      tiers: row.tiers.map((tier) => ({ ...tier, minThreshold: findThreshold(row.rule, tier.tierIndex) ?? 0 })),
    })),
  }));
}

export const listPlanOverrides = operation({
  id: 'listPlanOverrides',
  summary: 'Per-rep tier overrides of a plan version, grouped by rep',
  method: 'get',
  path: '/v1/plans/:planVersionId/overrides',
  access: 'rep',
  params,
  response: z.array(repOverrides),
  failures: { plan_not_found: 404 },
  tool: {
    name: 'list_plan_overrides',
    title: 'List plan overrides',
    hints: effects.reads,
    description: {
      purpose: 'Per-rep tiers on one plan version that replace the general tiers.',
      useWhen: 'a rep is paid at another rate.',
      notFor: 'general tiers (get_plan).',
      changes: 'nothing.',
    },
    arguments: { planVersionId: planArguments.planVersionId },
    list: 'overrides',
    summary: (overrides) => `Reps with overrides: ${overrides.length}.`,
  },
  example: { params: { planVersionId: sampleIds.planVersionId }, response: [repOverridesExample] },
  uses: { unitOfWork: UnitOfWork, clock: CLOCK },
  async execute({ params: { planVersionId } }, caller, { unitOfWork, clock }) {
    const onlyForRep = planViewer(caller);
    return unitOfWork.read(caller, async (tx) => {
      const today = await workspaceToday(tx, clock);
      const version = await findPlanVersion(tx, planVersionId, { onlyForRep, today });
      if (version === null) throw planNotFound();
      const overrides = await groupOverridesByRep(tx, version.planVersionId, onlyForRep);
      return overrides.filter(({ repId }) => maySee(caller, repId));
    });
  },
});
