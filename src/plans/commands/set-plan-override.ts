import { z } from 'zod';
import { pathIds } from '../../api/resource-fields.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { CommissionChanges } from '../../ledger/requests/commission-changes.js';
import { repNotFound } from '../../people/reps/rep.js';
import { findRepName, workspaceToday } from '../../people/reps/rep-views.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { effects } from '../../platform/mcp/tool.js';
import { operation } from '../../platform/operations/operation.js';
import { uuid } from '../../platform/operations/schemas.js';
import { overriddenRule } from '../override-terms.js';
import { planNotFound, repOverrides } from '../plan.js';
import { repOverridesExample } from '../plan-examples.js';
import { loadOverridesSubject } from '../plan-subject.js';
import { planArguments } from '../plan-tool-text.js';
import { findPlanVersion } from '../plan-views.js';
import { groupOverridesByRep } from '../queries/list-plan-overrides.js';
import { storeOverrides } from '../store-overrides.js';
import { tableFailures } from '../table-checks.js';

const params = z.strictObject({ planVersionId: pathIds.planVersionId, repId: pathIds.repId });
const rules = z
  .array(overriddenRule)
  .max(50)
  .describe(
    'The rules with other terms for this rep; they replace all stored overrides of the rep. None returns the rep to the terms of the version',
  );
const body = z.strictObject({
  rules,
  alsoIn: z
    .array(
      z
        .strictObject({ planVersionId: uuid.describe('Another version of the plan (UUID)'), rules })
        .describe('The terms of the rep in one version'),
    )
    .max(100)
    .default([])
    .describe('Terms of the rep in other versions of the plan. All are stored, or none'),
});

export const setPlanOverride = operation({
  id: 'setPlanOverride',
  summary: "Set or replace one rep's own tiers on a plan version",
  method: 'put',
  path: '/v1/plans/:planVersionId/overrides/:repId',
  access: 'admin',
  params,
  body,
  maxKeys: 100_000,
  response: repOverrides,
  failures: { plan_not_found: 404, rep_not_found: 404, plan_rule_not_found: 404, ...tableFailures },
  tool: {
    name: 'set_plan_override',
    title: 'Set plan override',
    hints: effects.sets,
    description: {
      purpose:
        'Set rates or flat amounts for one rep on a plan version, replacing all overrides that the rep has there.',
      useWhen: 'one rep is paid differently within the same rules.',
      notFor:
        'terms that hold for everyone (update_plan), other thresholds or rules for one rep (create a separate plan), or removing the overrides (delete_plan_override).',
      formats:
        'ruleId and tierIndex as get_plan shows them for this version; each tier has either rate (0.1 is 10 %) or flatAmount.',
      changes:
        'commission of this rep is recalculated. A new version takes over the overrides of unchanged tiers; the answer of update_plan lists the others.',
    },
    arguments: {
      planVersionId: planArguments.planVersionId,
      repId: 'The rep (of list_reps)',
      rules: 'The tiers that differ, by rule; with from and to for some days only',
      alsoIn: { always: [] },
    },
    summary: ({ rules }) => `Set for rules: ${rules.length}. Commission is recalculated automatically.`,
  },
  subject: (tx, { params: { planVersionId, repId }, body: { alsoIn } }) =>
    loadOverridesSubject(tx, repId, [planVersionId, ...alsoIn.map((other) => other.planVersionId)]),
  example: {
    params: { planVersionId: sampleIds.planVersionId, repId: sampleIds.repId },
    body: { rules: [{ ruleId: sampleIds.ruleId, tiers: [{ tierIndex: 0, rate: 0.1 }] }] },
    response: repOverridesExample,
  },
  uses: { changes: CommissionChanges, clock: CLOCK },
  async execute({ params: { planVersionId, repId }, body: { rules, alsoIn } }, caller, { changes, clock }) {
    return changes.run(caller, 'exclusive', async (tx, recalculate) => {
      const today = await workspaceToday(tx, clock);
      const version = await findPlanVersion(tx, planVersionId, { onlyForRep: null, today });
      if (version === null || version.planVersionId !== planVersionId) throw planNotFound();
      const repName = await findRepName(tx, repId);
      if (repName === null) throw repNotFound();
      const target = { planId: version.planId, repId, today };
      const others = alsoIn.map((override, index) => ({ ...override, root: `alsoIn.${index}.` }));
      await storeOverrides(tx, target, [{ planVersionId, rules, root: '' }, ...others]);
      await recalculate.reps([repId], 'plan_change');
      const [saved] = await groupOverridesByRep(tx, planVersionId, repId);
      return saved ?? { planVersionId, repId, repName, rules: [] };
    });
  },
});
