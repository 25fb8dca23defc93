import { inject, injectable } from 'tsyringe';
import { z } from 'zod';
import { type Caller } from '../../kernel/caller.js';
import { Decimal } from '../../kernel/decimal.js';
import { Failure, invalid } from '../../kernel/failure.js';
import { periodFormats, periodKind, periodRange } from '../../kernel/period.js';
import { requestCalculation } from '../../ledger/calculation-requests.js';
import { CommissionChanges } from '../../ledger/commission-changes.js';
import { planNotFound } from '../../plans/plan.js';
import { findPlanId } from '../../plans/plan-views.js';
import { type Work } from '../../platform/database/unit-of-work.js';
import { effects } from '../../platform/mcp/tool.js';
import { type Input, operation } from '../../platform/operation.js';
import { period, text, uuid } from '../../platform/schemas.js';
import { repNotFound } from '../../reps/rep.js';
import { unknownReps } from '../../reps/rep-views.js';
import { type Quota, quota, targetAmount } from '../quota.js';
import { assignedPlanIds, findRuleById, findRuleByMeasure, type QuotaRule } from '../quota-rule.js';
import { lockLanes, type QuotaSetting, upsertQuotas } from '../quota-store.js';
import { listQuotas } from '../quota-views.js';

const body = z.strictObject({
  repIds: z.array(uuid).min(1).max(10_000),
  planRuleId: uuid.optional(),
  measure: text(500).optional(),
  planId: uuid.optional(),
  period,
  target: targetAmount,
  variableTarget: targetAmount.nullish(),
});
type Wanted = z.infer<typeof body>;

@injectable()
export class SetQuotas {
  constructor(@inject(CommissionChanges) private readonly changes: CommissionChanges) {}

  async execute({ body: wanted }: Input<unknown, unknown, Wanted>, caller: Caller): Promise<Quota[]> {
    if ((wanted.planRuleId === undefined) === (wanted.measure === undefined)) {
      throw invalid({ path: 'planRuleId', message: 'give either planRuleId or measure' });
    }
    const { workspaceId } = caller;
    const repIds = [...new Set(wanted.repIds)];
    return this.changes.run(caller, 'configuration', async (trx, wake) => {
      const unknown = await unknownReps(trx, workspaceId, repIds);
      if (unknown.length > 0) throw repNotFound(unknown);
      const setting = await settingOf(trx, workspaceId, repIds, wanted);
      const { rule, period: during } = setting;
      const counter = { repIds, planId: rule.planId, attainmentKey: rule.attainmentKey, period: during };
      await lockLanes(trx, workspaceId, repIds);
      const before = new Map((await listQuotas(trx, workspaceId, counter)).map((one) => [one.repId, one]));
      await upsertQuotas(
        trx,
        workspaceId,
        repIds.filter((repId) => !says(before.get(repId), setting, true)),
        setting,
      );
      const changed = repIds.filter((repId) => !says(before.get(repId), setting, false));
      await requestCalculation(
        trx,
        workspaceId,
        changed.map((repId) => ({ repId, days: periodRange(during), trigger: 'quota_change' as const })),
      );
      wake(changed);
      const after = new Map((await listQuotas(trx, workspaceId, counter)).map((one) => [one.repId, one]));
      return repIds.map((repId) => after.get(repId) as Quota);
    });
  }
}

async function settingOf(
  trx: Work,
  workspaceId: string,
  repIds: readonly string[],
  wanted: Wanted,
): Promise<QuotaSetting> {
  const rule = await ruleOf(trx, workspaceId, repIds, wanted);
  if (periodKind(wanted.period) !== rule.attainmentPeriod) {
    const format = periodFormats[rule.attainmentPeriod];
    throw new Failure(
      'period_mismatch',
      `The rule ${rule.name} counts ${rule.attainmentPeriod}: its periods are written ${format}, not ${wanted.period}.`,
    );
  }
  const { variableTarget } = wanted;
  return {
    rule,
    period: wanted.period,
    target: Decimal.of(wanted.target),
    variableTarget:
      variableTarget === undefined || variableTarget === null ? variableTarget : Decimal.of(variableTarget),
  };
}

async function ruleOf(trx: Work, workspaceId: string, repIds: readonly string[], wanted: Wanted): Promise<QuotaRule> {
  const planId = wanted.planId === undefined ? undefined : await findPlanId(trx, workspaceId, wanted.planId);
  if (wanted.planId !== undefined && planId === undefined) throw planNotFound();
  if (wanted.planRuleId !== undefined) return findRuleById(trx, workspaceId, wanted.planRuleId, planId);
  const planIds = planId === undefined ? await assignedPlanIds(trx, workspaceId, repIds) : [planId];
  return findRuleByMeasure(trx, workspaceId, wanted.measure as string, planIds);
}

/** Whether the quota is as it is to be; the rule's id may differ where only the amounts matter. */
function says(quota: Quota | undefined, { rule, target, variableTarget }: QuotaSetting, sameRule: boolean): boolean {
  if (quota === undefined || quota.target !== target.toNumber()) return false;
  if (variableTarget !== undefined && quota.variableTarget !== (variableTarget?.toNumber() ?? null)) return false;
  return !sameRule || quota.planRuleId === rule.ruleId;
}

export const setQuotas = operation({
  id: 'setQuotas',
  summary: 'Set the target of reps for a rule, or its group, in a period',
  method: 'post',
  path: '/v1/quotas',
  access: 'admin',
  body,
  response: z.array(quota),
  status: 201,
  failures: {
    period_mismatch: 400,
    quota_ambiguous_measure: 400,
    rep_not_found: 404,
    plan_not_found: 404,
    plan_rule_not_found: 404,
  },
  tool: {
    name: 'set_quota',
    title: 'Set quota',
    hints: effects.sets,
    description: {
      purpose: 'Set the target of one rep or several for one rule and one period; a quota that exists is replaced.',
      useWhen:
        'a rule has tiers by attainment: without a quota for the period its attainment is 0 and the higher tiers are never reached.',
      notFor: 'rules with one tier from 0 or tierBy value, which need no quota.',
      formats:
        'period in the form of the attainmentPeriod of the rule: monthly 2026-03, quarterly 2026-Q1, annual 2026; another gives period_mismatch. Name the rule by planRuleId (rules[].id of create_plan and get_plan), which also works for drafts; or by measure, the name of the rule, once its plan is active and the reps are assigned: add planId when the name stands on several plans. One call sets one period.',
      changes: 'commission of these reps in the period is calculated anew; approved statements stay.',
    },
    arguments: {
      repIds: 'The reps (UUIDs of list_reps)',
      planRuleId: 'Id of the rule (rules[].id of get_plan); give this or measure',
      measure: 'Name of a rule of an active plan, such as New business; give this or planRuleId',
      planId: 'The plan (UUID, planId of list_plans), to tell apart rules of the same name',
      period: 'The period, such as 2026-Q1',
      target: 'What counts as 100 %, in the unit of the measure',
      variableTarget: 'Variable pay at 100 %, for rules with payoutBase variable_target or capMultiplier',
    },
    list: 'quotas',
    says: (quotas) => `Quotas set: ${quotas.length}. Commission follows by itself.`,
  },
  handler: SetQuotas,
});
