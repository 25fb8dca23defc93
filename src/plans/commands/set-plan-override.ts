import { z } from 'zod';
import { pathIds } from '../../api/resource-fields.js';
import { payProblems, type Rule } from '../../engine/plan-config.js';
import { Failure, invalid } from '../../kernel/failure.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { CommissionChanges } from '../../ledger/commission-changes.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { effects } from '../../platform/mcp/tool.js';
import { operation } from '../../platform/operation.js';
import { uuid } from '../../platform/schemas.js';
import { repNotFound } from '../../reps/rep.js';
import { findRepName, workspaceToday } from '../../reps/rep-views.js';
import { type PlanVersion, planNotFound, repOverrides } from '../plan.js';
import { repOverridesExample } from '../plan-examples.js';
import { replaceOverrides } from '../plan-store.js';
import { termsSubject } from '../plan-subject.js';
import { planArguments } from '../plan-tool-text.js';
import { findPlanVersion } from '../plan-views.js';
import { overridesByRep } from '../queries/list-plan-overrides.js';

const params = z.strictObject({ planVersionId: pathIds.planVersionId, repId: pathIds.repId });
const tier = z
  .strictObject({
    tierIndex: z.int().min(0).describe('Position of the tier in the rule, from 0'),
    rate: z.number().min(0).max(10).optional().describe('Share of the base: 0.08 is 8 %. Give rate or flatAmount'),
    flatAmount: z
      .number()
      .min(0)
      .max(1e12)
      .optional()
      .describe('Fixed amount instead of a rate, in the currency of the plan'),
  })
  .describe('The terms of one tier');
const body = z.strictObject({
  rules: z
    .array(
      z
        .strictObject({
          ruleId: uuid.describe('Id of the rule (UUID)'),
          tiers: z.array(tier).min(1).max(50).describe('Tiers with other terms; the others stay as in the plan'),
        })
        .describe('A rule with its tiers'),
    )
    .min(1)
    .max(50)
    .describe('The rules with other terms for this rep; they replace all stored overrides of the rep'),
});
type Body = z.infer<typeof body>;

function assertNamedOnce(override: Body): void {
  const isRepeated = <T>(value: T, index: number, all: readonly T[]) => all.indexOf(value) < index;
  const rule = override.rules.map(({ ruleId }) => ruleId).findIndex(isRepeated);
  if (rule >= 0) throw invalid({ path: `rules.${rule}.ruleId`, message: 'is listed more than once' });
  override.rules.forEach(({ tiers }, index) => {
    const tier = tiers.map(({ tierIndex }) => tierIndex).findIndex(isRepeated);
    if (tier >= 0)
      throw invalid({ path: `rules.${index}.tiers.${tier}.tierIndex`, message: 'is listed more than once' });
  });
}

function assertTiersFit(version: PlanVersion, override: Body): void {
  override.rules.forEach(({ ruleId, tiers }, ruleIndex) => {
    const rule = version.rules.find((candidate) => candidate.id === ruleId) as
      | { payoutMode?: Rule['payoutMode']; tiers?: { tierIndex: number; repId?: string }[] }
      | undefined;
    if (rule === undefined)
      throw new Failure(
        'plan_rule_not_found',
        `The version has no rule ${ruleId}; rule ids change with every version.`,
      );
    const global = new Set((rule.tiers ?? []).filter((one) => one.repId === undefined).map((one) => one.tierIndex));
    tiers.forEach((one, tierPosition) => {
      const path = `rules.${ruleIndex}.tiers.${tierPosition}`;
      if (!global.has(one.tierIndex))
        throw invalid({ path: `${path}.tierIndex`, message: 'must be the tierIndex of a tier of the rule' });
      const [problem] = payProblems(one, rule);
      if (problem !== undefined) throw invalid({ path, message: problem });
    });
  });
}

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
  failures: { plan_not_found: 404, rep_not_found: 404, plan_rule_not_found: 404 },
  tool: {
    name: 'set_plan_override',
    title: 'Set plan override',
    hints: effects.sets,
    description: {
      purpose:
        'Set rates or flat amounts for one rep on a plan version, replacing all overrides that the rep has there.',
      useWhen: 'one rep is paid differently within the same rules.',
      notFor:
        'terms that hold for everyone (use update_plan), other thresholds or rules for one rep (create a separate plan), or removing the overrides (delete_plan_override).',
      formats:
        'ruleId and tierIndex as get_plan shows them for this version; each tier has either rate (0.1 is 10 %) or flatAmount.',
      changes:
        'commission of this rep is recalculated. A new version takes over the overrides of unchanged tiers; the answer of update_plan lists the others.',
    },
    arguments: {
      planVersionId: planArguments.planVersionId,
      repId: 'The rep (UUID of list_reps)',
      rules: 'The tiers that differ, by rule',
    },
    summary: ({ rules }) => `Set for rules: ${rules.length}. Commission is recalculated automatically.`,
  },
  subject: (trx, workspaceId, { params: { planVersionId, repId } }) =>
    termsSubject(trx, workspaceId, planVersionId, [repId]),
  example: {
    params: { planVersionId: sampleIds.planVersionId, repId: sampleIds.repId },
    body: { rules: [{ ruleId: sampleIds.ruleId, tiers: [{ tierIndex: 0, rate: 0.1 }] }] },
    answer: repOverridesExample,
  },
  uses: [CommissionChanges, CLOCK],
  async execute({ params: { planVersionId, repId }, body: override }, caller, changes, clock) {
    assertNamedOnce(override);
    return changes.run(caller, 'exclusive', async (trx, recalculate) => {
      const today = await workspaceToday(trx, caller.workspaceId, clock);
      const version = await findPlanVersion(trx, caller.workspaceId, planVersionId, { onlyForRep: null, today });
      if (version === null || version.planVersionId !== planVersionId) throw planNotFound();
      const repName = await findRepName(trx, caller.workspaceId, repId);
      if (repName === null) throw repNotFound();
      assertTiersFit(version, override);
      await replaceOverrides(trx, caller.workspaceId, planVersionId, repId, override.rules);
      await recalculate.reps([repId], 'plan_change');
      const [saved] = await overridesByRep(trx, caller.workspaceId, planVersionId, repId);
      return saved ?? { planVersionId, repId, repName, rules: [] };
    });
  },
});
