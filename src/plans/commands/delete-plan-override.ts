import { z } from 'zod';
import { fields, pathIds } from '../../api/resource-fields.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { CommissionChanges } from '../../ledger/requests/commission-changes.js';
import { assertRepExists } from '../../people/reps/rep-views.js';
import { effects } from '../../platform/mcp/tool.js';
import { operation } from '../../platform/operations/operation.js';
import { planNotFound } from '../plan.js';
import { loadPlan, replaceOverrides } from '../plan-store.js';
import { loadOverridesSubject } from '../plan-subject.js';
import { planArguments } from '../plan-tool-text.js';

const params = z.strictObject({ planVersionId: pathIds.planVersionId, repId: pathIds.repId });

export const deletePlanOverride = operation({
  id: 'deletePlanOverride',
  summary: "Return a rep to the plan version's own tiers",
  method: 'delete',
  path: '/v1/plans/:planVersionId/overrides/:repId',
  access: 'admin',
  params,
  response: z.object({
    removed: z.boolean().describe('Always true, also if the rep had no overrides'),
    planVersionId: fields.planVersionId,
    repId: fields.repId,
  }),
  failures: { plan_not_found: 404, rep_not_found: 404 },
  tool: {
    name: 'delete_plan_override',
    title: 'Delete plan override',
    hints: effects.sets,
    description: {
      purpose: "Return one rep to the plan version's general tiers.",
      useWhen: 'special terms of a rep end.',
      notFor: 'changing them (set_plan_override, which replaces) or taking the rep off the plan (delete_assignment).',
      changes: 'commission of this rep is recalculated at the general tiers; approved statements stay.',
    },
    arguments: { planVersionId: planArguments.planVersionId, repId: 'The rep (of list_reps)' },
    summary: () => 'The general tiers apply again. Commission is recalculated automatically.',
  },
  subject: (tx, { params: { planVersionId, repId } }) => loadOverridesSubject(tx, repId, [planVersionId]),
  example: {
    params: { planVersionId: sampleIds.planVersionId, repId: sampleIds.repId },
    response: { removed: true, planVersionId: sampleIds.planVersionId, repId: sampleIds.repId },
  },
  uses: { changes: CommissionChanges },
  async execute({ params: { planVersionId, repId } }, caller, { changes }) {
    return changes.run(caller, 'exclusive', async (tx, recalculate) => {
      const plan = await loadPlan(tx, planVersionId);
      if (!plan?.versions.some((version) => version.planVersionId === planVersionId)) throw planNotFound();
      await assertRepExists(tx, repId);
      await replaceOverrides(tx, planVersionId, repId, []);
      await tx.changeTerms({ planRef: planVersionId, repIds: [repId] });
      await recalculate.reps([repId], 'plan_change');
      return { removed: true, planVersionId, repId };
    });
  },
});
