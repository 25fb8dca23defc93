import { z } from 'zod';
import { Failure, invalid, rejectAny } from '../../../kernel/failure.js';
import { sampleIds } from '../../../kernel/sample-ids.js';
import { loadCalendar } from '../../../ledger/input/calendar.js';
import { CommissionChanges } from '../../../ledger/requests/commission-changes.js';
import { email, repNotFound } from '../../../people/reps/rep.js';
import { findRepIdsByEmail, unknownReps } from '../../../people/reps/rep-views.js';
import { type Transaction } from '../../../platform/database/unit-of-work.js';
import { effects } from '../../../platform/mcp/tool.js';
import { operation } from '../../../platform/operations/operation.js';
import { period, text, uuid } from '../../../platform/operations/schemas.js';
import { planNotFound } from '../../plan.js';
import { findPlanId } from '../../plan-views.js';
import { applyQuotas, type RequestedQuota, repeatedSettings, toQuotaSetting } from '../apply-quotas.js';
import { type Quota, quota, quotaExample, targetAmount, termsOf } from '../quota.js';
import {
  assignedPlanIds,
  findRuleById,
  findRuleByMeasure,
  type QuotaRule,
  withoutContradiction,
} from '../quota-rule.js';
import { type QuotaSetting } from '../quota-store.js';
import { listQuotas } from '../quota-views.js';

const target = z
  .strictObject({
    repId: uuid.optional().meta({ description: 'The rep; send this or email' }),
    email: email.optional().meta({ description: "The rep's e-mail address, in any case; give this or repId" }),
    period: period.meta({ description: "The period, in the format of the rule's attainmentPeriod: 2026-Q1" }),
    target: targetAmount.meta({ description: 'What counts as 100 %, in the unit of the measure' }),
    variableTarget: targetAmount
      .nullish()
      .meta({ description: 'Variable pay at 100 %. Omit to keep the stored value; null clears it' }),
    prorate: z.boolean().optional().meta({ description: 'As prorate of the body' }),
  })
  .describe('Target of one rep and period');

const body = z.strictObject({
  repIds: z.array(uuid).min(1).max(10_000).optional().describe('Reps (UUID) who get the target'),
  planRuleId: uuid.optional().describe('Id of the rule (UUID), which is preferred; send this or measure'),
  measure: text(500).optional().describe('Name of a rule of an active plan; beside planRuleId, its name or its field'),
  planId: uuid.optional().describe('Plan (UUID) of the measure, if several plans have a rule of this name'),
  period: period
    .optional()
    .describe('Attainment period in the format of the rule: 2026-03, 2026-Q1, 2026 or FY2026-Q1'),
  target: targetAmount.optional().describe('What counts as 100 %, in the unit of the measure'),
  variableTarget: targetAmount
    .nullish()
    .describe('Variable pay at 100 %, in the currency of the plan. Absent: the stored value stays; null clears it'),
  prorate: z
    .boolean()
    .optional()
    .describe(
      'false fixes the targets: ramps, absences and dates do not change them. Absent: the stored value stays, true for a new quota',
    ),
  targets: z.array(target).min(1).max(10_000).optional().meta({
    description:
      'One target for each rep and period, all or none. Replaces repIds, period, target and variableTarget, which set one target for all reps.',
  }),
});
type Request = z.infer<typeof body>;

/** One target with its path in the body. */
interface RequestedTarget extends RequestedQuota {
  readonly path: string;
}

function assertOneForm(request: Request): void {
  if (request.planRuleId === undefined && request.measure === undefined) {
    throw invalid({ path: 'planRuleId', message: 'send planRuleId or measure' });
  }
  const shared = ['repIds', 'period', 'target'] as const;
  const toIssues = (names: readonly (keyof Request)[], message: string) => names.map((path) => ({ path, message }));
  if (request.targets === undefined) {
    const missing = shared.filter((name) => request[name] === undefined);
    return rejectAny(toIssues(missing, 'is required unless targets is present'));
  }
  const conflicting = [...shared, 'variableTarget' as const].filter((name) => request[name] !== undefined);
  rejectAny(toIssues(conflicting, 'must be in each item of targets when targets is present'));
  const unnamed = request.targets.findIndex(
    ({ repId, email: address }) => (repId === undefined) === (address === undefined),
  );
  if (unnamed >= 0) throw invalid({ path: `targets.${unnamed}`, message: 'send either repId or email' });
}

async function readTargets(tx: Transaction, request: Request): Promise<RequestedTarget[]> {
  const { targets, repIds = [], period: during = '', target: amount = 0, variableTarget, prorate } = request;
  if (targets === undefined)
    return [...new Set(repIds)].map((repId) => ({
      path: 'repIds',
      repId,
      period: during,
      target: amount,
      variableTarget,
      prorate,
    }));
  const addresses = targets.flatMap((requestedTarget) => requestedTarget.email ?? []);
  const ids = await findRepIdsByEmail(tx, addresses);
  const unknown = [...new Set(addresses.filter((address) => !ids.has(address)))];
  if (unknown.length > 0)
    throw new Failure('rep_not_found', `No rep of this workspace has the e-mail address ${unknown[0]}.`, {
      emails: unknown,
    });
  return targets.map(({ repId, email: address, ...rest }, index) => ({
    ...rest,
    variableTarget: rest.variableTarget,
    prorate: rest.prorate ?? prorate,
    path: `targets.${index}`,
    repId: repId ?? (ids.get(address as string) as string),
  }));
}

function rejectRepeated(targets: readonly RequestedTarget[], settings: readonly QuotaSetting[]): void {
  const [repeated] = repeatedSettings(settings);
  if (repeated === undefined) return;
  const { path, period: during } = targets[repeated.at] as RequestedTarget;
  throw invalid({ path, message: `sets the same rep and period (${during}) as ${targets[repeated.first]?.path}` });
}

async function findRule(tx: Transaction, repIds: readonly string[], request: Request): Promise<QuotaRule> {
  const planId = request.planId === undefined ? undefined : await findPlanId(tx, request.planId);
  if (request.planId !== undefined && planId === undefined) throw planNotFound();
  if (request.planRuleId !== undefined)
    return withoutContradiction(await findRuleById(tx, request.planRuleId, planId), request.measure);
  const planIds = planId === undefined ? await assignedPlanIds(tx, repIds) : [planId];
  return findRuleByMeasure(tx, request.measure as string, planIds);
}

/** The stored quotas of the people for the rule in the periods; none if the request does not name one rule. */
async function replacedQuotas(
  tx: Transaction,
  request: Request,
  { repIds, periods }: { readonly repIds: readonly string[]; readonly periods: readonly string[] },
): Promise<object[]> {
  const rule = await findRule(tx, repIds, request).catch((error: unknown) => {
    if (error instanceof Failure) return null;
    throw error;
  });
  const stored = rule === null ? [] : await listQuotas(tx, { repIds, planId: rule.planId, periods });
  return stored.filter(({ measure }) => measure === rule?.attainmentKey).map(termsOf);
}

export const setQuotas = operation({
  id: 'setQuotas',
  summary:
    'Set the targets of reps for a rule, or its quota group: one target for all of them, or one for each rep and period',
  method: 'post',
  path: '/v1/quotas',
  access: 'admin',
  body,
  maxKeys: 100_000,
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
      purpose: 'Set the targets of reps for one rule, in one period or several; a quota that exists is replaced.',
      useWhen:
        'a rule has tiers by attainment: without a quota for the period attainment is 0, no tier is reached and nothing is paid.',
      notFor: 'rules with one tier from 0 or tierBy value, which need no quota.',
      formats:
        'period in the form of the attainmentPeriod of the rule: 2026-03, 2026-Q1 or 2026; FY2026-Q1 with calendar fiscal. Name the rule by planRuleId, which also works for drafts; or by measure once its plan is active and the reps are assigned, with planId when several plans have the name.',
      changes: 'commission of these reps in the period is recalculated; approved statements stay.',
    },
    arguments: {
      repIds: 'The reps (of list_reps)',
      planRuleId: 'The rule (rules[].id of get_plan)',
      measure: 'Name of the rule, instead of planRuleId',
      planId: 'The plan (planId of list_plans)',
      period: 'The period, such as 2026-Q1',
      target: 'What counts as 100 %, in the unit of the measure',
      variableTarget:
        'Variable pay at 100 %, for payoutBase variable_target or capMultiplier; omit to keep the stored value',
      targets: {
        description:
          'Instead of repIds, period and target: [{repId or email, period, target, variableTarget}], all or none',
        schema: () => ({ type: 'array', items: { type: 'object' } }),
      },
      prorate: { always: undefined },
    },
    list: 'quotas',
    summary: (quotas) => `Quotas set: ${quotas.length}. Commission is recalculated automatically.`,
  },
  async subject(tx, { body: request }) {
    const { repIds = [], targets = [], period: during } = request;
    const emails = targets.flatMap((requestedTarget) => requestedTarget.email ?? []);
    const byEmail = await findRepIdsByEmail(tx, emails);
    const named = targets.flatMap((requestedTarget) => requestedTarget.repId ?? []);
    const paid = [...repIds, ...named, ...byEmail.values()];
    const periods = [
      ...(during === undefined ? [] : [during]),
      ...targets.map((requestedTarget) => requestedTarget.period),
    ];
    return { paid, state: await replacedQuotas(tx, request, { repIds: paid, periods }) };
  },
  example: {
    body: { repIds: [sampleIds.repId], measure: 'New business', period: '2026-Q1', target: 100000 },
    response: [quotaExample],
  },
  uses: { changes: CommissionChanges },
  async execute({ body: request }, caller, { changes }): Promise<Quota[]> {
    assertOneForm(request);
    return changes.run(caller, 'exclusive', async (tx, recalculate) => {
      const targets = await readTargets(tx, request);
      const repIds = [...new Set(targets.map(({ repId }) => repId))];
      const unknown = await unknownReps(tx, repIds);
      if (unknown.length > 0) throw repNotFound(unknown);
      const rule = await findRule(tx, repIds, request);
      const calendar = await loadCalendar(tx);
      const settings = targets.map((requestedTarget) => toQuotaSetting(rule, requestedTarget, calendar));
      rejectRepeated(targets, settings);
      const quotas = await applyQuotas(tx, recalculate, settings);
      return quotas;
    });
  },
});
