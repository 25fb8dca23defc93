import { z } from 'zod';
import { pathIds } from '../../api/resource-fields.js';
import { allDays } from '../../kernel/day.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { CommissionChanges } from '../../ledger/requests/commission-changes.js';
import { assertRepExists } from '../../people/reps/rep-views.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { operation } from '../../platform/operations/operation.js';
import { uuid } from '../../platform/operations/schemas.js';
import { previewWrite } from '../../simulation/preview-write.js';
import { commissionEffect, toCommissionEffect } from '../../simulation/write-effect.js';
import { overriddenRule } from '../override-terms.js';
import { planNotFound } from '../plan.js';
import { findPlanVersion } from '../plan-views.js';
import { storeOverrides } from '../store-overrides.js';
import { tableFailures } from '../table-checks.js';

const params = z.strictObject({ planRef: pathIds.planRef, repId: pathIds.repId });
const body = z.strictObject({
  overrides: z
    .array(
      z
        .strictObject({
          planVersionId: uuid.describe('The version (UUID)'),
          rules: z
            .array(overriddenRule)
            .max(50)
            .describe('The rules with other terms for this rep; none returns the rep to those of the version'),
        })
        .describe('The terms of the rep on one version'),
    )
    .min(1)
    .max(100)
    .describe('The terms that would be stored, by version of the plan'),
});

const response = z.object({
  effect: commissionEffect.nullable().describe('null: the rep has more deals than can be calculated at once'),
});

export const previewPlanOverride = operation({
  id: 'previewPlanOverride',
  summary: 'What other terms for one rep on versions of a plan would do to commission; writes nothing',
  method: 'post',
  path: '/v1/plans/:planRef/overrides/:repId/preview',
  access: 'admin',
  scope: 'read',
  params,
  body,
  maxKeys: 100_000,
  response,
  failures: {
    plan_too_complex: 400,
    plan_not_found: 404,
    rep_not_found: 404,
    plan_rule_not_found: 404,
    ...tableFailures,
  },
  example: {
    params: { planRef: sampleIds.planId, repId: sampleIds.repId },
    body: {
      overrides: [
        {
          planVersionId: sampleIds.planVersionId,
          rules: [{ ruleId: sampleIds.ruleId, tiers: [{ tierIndex: 0, rate: 0.1 }] }],
        },
      ],
    },
    response: { effect: { lines: 0, reps: 0, totals: [], locked: [] } },
  },
  uses: { changes: CommissionChanges, clock: CLOCK },
  async execute({ params: { planRef, repId }, body: { overrides } }, caller, uses): Promise<z.input<typeof response>> {
    return previewWrite(uses, caller, toCommissionEffect, async (tx, today) => {
      const plan = await findPlanVersion(tx, planRef, { onlyForRep: null, today });
      if (plan === null) throw planNotFound();
      await assertRepExists(tx, repId);
      const sent = overrides.map((override, index) => ({ ...override, root: `overrides.${index}.` }));
      await storeOverrides(tx, { planId: plan.planId, repId, today }, sent);
      return { result: {}, affected: new Map([[repId, allDays]]) };
    });
  },
});
