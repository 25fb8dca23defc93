import { inject, injectable } from 'tsyringe';
import { z } from 'zod';
import { fields } from '../../api/resource-fields.js';
import {
  contentOf,
  type DealContent,
  type DealTerms,
  dealBody,
  dealBodyExample,
  dealId,
  projectDeal,
} from '../../deals/deal.js';
import { type Decision } from '../../engine/model.js';
import { decodeTrace, ratio } from '../../engine/trace.js';
import { type Caller, mayActAs, maySee, visibleReps } from '../../kernel/caller.js';
import { type Clock } from '../../kernel/clock.js';
import { type Day, dayInZone } from '../../kernel/day.js';
import { Decimal } from '../../kernel/decimal.js';
import { Failure, invalid } from '../../kernel/failure.js';
import { groupBy } from '../../kernel/group-by.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { loadWorkspaceTerms, type StoredVersion } from '../../ledger/rep-terms.js';
import { planConfig, planNotFound, requestedDates } from '../../plans/plan.js';
import { describeWarnings } from '../../plans/plan-tool-text.js';
import { maySeePlan } from '../../plans/plan-views.js';
import { planWarnings } from '../../plans/plan-warnings.js';
import { UnitOfWork, type Work } from '../../platform/database/unit-of-work.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { effects, firstDay } from '../../platform/mcp/tool.js';
import { type Input, operation } from '../../platform/operation.js';
import { day, period, uuid } from '../../platform/schemas.js';
import { attainmentExample } from '../attainment.js';
import { conditionTraces, trace } from '../commission-event.js';
import { assertOfRep, variedDeals } from '../rep-simulation.js';
import { type TriedPlan, triedVersions, unsaved } from '../simulated-versions.js';
import { type SimulatedRep, type Simulation, simulate, totalOf } from '../simulation.js';
import { simulationWarnings } from '../simulation-warnings.js';

const amount = z.number().min(0).max(1e12);
const body = z.strictObject({
  planId: uuid.optional().describe('The plan to simulate (UUID); with config, the plan that would change'),
  planVersionId: uuid.optional().describe('The plan version to simulate (UUID)'),
  config: planConfig
    .optional()
    .describe('Conditions and rules to simulate, in place of those of the plan. Managers and admins only'),
  effectiveStart: day
    .nullish()
    .describe(
      'With planId and config: first day of the new config, as in a change of the plan; null for no earliest day',
    ),
  period: period.describe('The period to simulate'),
  repId: uuid.optional().describe('Only this rep (UUID)'),
  repIds: z.array(uuid).min(1).max(500).optional().describe('Only these reps (UUID)'),
  deals: z
    .array(
      dealBody
        .extend({ dealId: dealId.describe('Id of the deal in the CRM') })
        .describe('A deal with its id in the CRM'),
    )
    .max(500)
    .optional()
    .describe(
      'Made-up deals in addition to the stored ones. A rep may give only the id of an own open deal, with another amount, stage or close date',
    ),
  quota: z
    .strictObject({
      target: amount.describe('What counts as 100 %, in the unit of the measure'),
      variableTarget: amount.optional().describe('Variable pay at 100 %, in the currency of the plan'),
    })
    .optional()
    .describe('Target to assume for every rep instead of the stored quotas'),
  asOf: day.optional().describe('Day to calculate as of, YYYY-MM-DD; today by default'),
});
type Body = z.infer<typeof body>;

const outcome = z
  .object({
    dealId: fields.dealId,
    ruleId: fields.ruleId.nullable(),
    ruleName: fields.ruleName.nullable(),
    paid: z.boolean().describe('Whether the rule would pay an amount other than 0'),
    amount: z.number().describe('Amount that the rule would pay, in `currency`'),
    reason: z.string().nullable().describe('Why nothing would be paid, as a code; null if the rule pays'),
    conditions: conditionTraces,
    missing: z.array(z.string()).describe('Slugs of fields that the rule needs and the deal does not have'),
  })
  .describe('What one rule decided about a deal');

const response = z.object({
  planId: fields.planId.optional(),
  planVersionId: fields.planVersionId.optional(),
  period: fields.period,
  currency: fields.currency,
  total: z.number().describe('Sum of all reps, in `currency`'),
  warnings: planWarnings,
  reps: z
    .array(
      z
        .object({
          repId: fields.repId,
          total: z.number().describe('Sum of the rep, in `currency`'),
          attainment: z
            .array(
              z
                .object({
                  measure: fields.measure,
                  period: z.string().describe('Attainment period, such as 2026-Q1'),
                  target: z.number().nullable().describe('Target of the quota; null if none is set'),
                  credit: fields.credit,
                  attainment: fields.attainment,
                })
                .describe('Attainment of one quota'),
            )
            .describe('Attainment of every quota that the rules use'),
          rules: z
            .array(
              z
                .object({
                  ruleId: fields.ruleId.optional(),
                  name: z.string().describe('Name of the rule'),
                  total: z.number().describe('Sum of the rule, in `currency`'),
                  deals: z
                    .array(
                      z
                        .object({
                          dealId: fields.dealId,
                          amount: z.number().describe('Amount in `currency`'),
                          base: z.number().describe('What the rate multiplies, in `currency`'),
                          tierName: fields.tierName.nullable(),
                          trace,
                        })
                        .describe('What the rule would pay for one deal'),
                    )
                    .describe('What the rule would pay for each deal'),
                })
                .describe('What one rule would pay'),
            )
            .describe('What every rule would pay'),
          outcomes: z.array(outcome).describe('What every rule decided about every deal'),
        })
        .describe('The result of one rep'),
    )
    .describe('The result of every rep'),
});

@injectable()
export class SimulateCommissions {
  constructor(
    @inject(UnitOfWork) private readonly unitOfWork: UnitOfWork,
    @inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ body: request }: Input<unknown, unknown, Body>, caller: Caller) {
    const repIds = requestedReps(request, caller);
    return this.unitOfWork.run(caller, { lock: 'none', access: 'read' }, async (trx) => {
      const workspace = await loadWorkspaceTerms(trx, caller.workspaceId);
      const today = dayInZone(this.clock.now(), workspace.timeZone);
      const plan = triedPlan(request, today);
      const tried = await triedVersions(trx, caller.workspaceId, plan);
      if (tried.planId !== unsaved && !(await maySeePlan(trx, caller, tried.planId))) throw planNotFound();
      const deals = await madeUpDeals(trx, caller, request, repIds, workspace.timeZone);
      const { period: during, quota } = request;
      const seen = visibleReps(caller);
      const visible = seen === null ? null : new Set(seen);
      const asOf = request.asOf ?? today;
      const simulated = { period: during, repIds, plan, deals, quota: quotaOf(quota), asOf, visible };
      const simulation = await simulate(trx, caller.workspaceId, simulated, tried);
      const reps = simulation.reps.length;
      const checked = { plan, tried, period: during, hasQuota: quota !== undefined, reps };
      const warnings = await simulationWarnings(trx, caller, checked);
      const shown = { ...simulation, reps: simulation.reps.filter(({ repId }) => maySee(caller, repId)) };
      return { ...answerOf(shown, request, workspace), warnings };
    });
  }
}

function quotaOf(quota: Body['quota']) {
  if (quota === undefined) return null;
  const { target, variableTarget } = quota;
  return {
    target: Decimal.of(target),
    variableTarget: variableTarget === undefined ? null : Decimal.of(variableTarget),
  };
}

function triedPlan({ planId, planVersionId, config, effectiveStart }: Body, today: Day): TriedPlan {
  if (planId !== undefined && config !== undefined && planVersionId === undefined)
    return { planId, config, dates: requestedDates({ config, effectiveStart }), today };
  if (effectiveStart !== undefined)
    throw invalid({ path: 'effectiveStart', message: 'needs planId and config: it is the start of a change' });
  const given = [planId, planVersionId, config].filter((one) => one !== undefined);
  if (given.length !== 1)
    throw invalid({ path: '', message: 'give planId, planVersionId or config, or planId with config' });
  if (planId !== undefined) return { planId };
  if (planVersionId !== undefined) return { planVersionId };
  return { config: config as NonNullable<typeof config> };
}

/** A rep can simulate only their own commission; null means everyone on the plan. */
function requestedReps(request: Body, caller: Caller): readonly string[] | null {
  const { repId, repIds } = request;
  if (repId !== undefined && repIds !== undefined)
    throw invalid({ path: 'repIds', message: 'give repId or repIds, not both' });
  const requested = repId === undefined ? (repIds ?? null) : [repId];
  if (mayActAs(caller, 'manager')) return requested === null ? null : [...new Set(requested)];
  if (caller.repId === null || requested?.some((one) => !maySee(caller, one)))
    throw new Failure('forbidden', 'A rep can simulate only their own commission.');
  assertOfRep(request, caller.repId);
  return [caller.repId];
}

async function madeUpDeals(
  trx: Work,
  caller: Caller,
  request: Body,
  repIds: readonly string[] | null,
  timeZone: string,
) {
  if (request.deals === undefined) return [];
  const { field_mapping: mapping } = await trx
    .selectFrom('workspaces')
    .select('field_mapping')
    .where('workspace_id', '=', caller.workspaceId)
    .executeTakeFirstOrThrow();
  const terms = { timeZone, standard: mapping.standard };
  const contents = await simulatedContents(trx, caller, request.deals, terms);
  const onlyRep = repIds?.length === 1 ? repIds[0] : undefined;
  return request.deals.map(({ dealId: id }, index) => {
    const content = contents[index] as DealContent;
    const projection = projectDeal(content, terms);
    const repId = mayActAs(caller, 'manager') ? (projection.givenRepId ?? onlyRep) : onlyRep;
    if (repId === undefined)
      throw invalid({
        path: `deals.${index}.repId`,
        message: 'is required when several reps are simulated: the owner of the deal',
      });
    if (projection.closeDate === null)
      throw invalid({
        path: `deals.${index}.closeDate`,
        message: 'is required: the close date decides the period of the deal',
      });
    const {
      amount: dealAmount,
      stage: dealStage,
      name: dealName,
      ownerId,
      currency,
      createdDate,
      closeDate,
    } = projection;
    return {
      repId,
      deal: {
        dealId: id,
        closeDate,
        fields: content.fields,
        standard: { dealAmount, dealStage, dealName, ownerId, currency, createdDate, closeDate },
      },
    };
  });
}

/** The content of each deal of the request. A rep varies stored deals, others make up deals. */
async function simulatedContents(
  trx: Work,
  caller: Caller,
  deals: NonNullable<Body['deals']>,
  terms: DealTerms,
): Promise<DealContent[]> {
  if (!mayActAs(caller, 'manager')) return variedDeals(trx, caller, deals, terms);
  return deals.map(({ dealId: _, ...given }) => contentOf(given));
}

function answerOf(
  simulation: Simulation,
  { period: simulatedPeriod }: Body,
  workspace: { currency: string; timeZone: string },
) {
  const first = simulation.versions[0] as StoredVersion;
  const { versions } = simulation;
  const isStored = versions.length === 1 && first.planVersionId !== unsaved;
  const known = {
    ...(first.planId === unsaved ? {} : { planId: first.planId }),
    ...(isStored ? { planVersionId: first.planVersionId } : {}),
  };
  return {
    ...known,
    period: simulatedPeriod,
    currency: first.currency,
    total: totalOf(simulation.reps.flatMap((rep) => rep.decisions)),
    reps: simulation.reps.map((rep) => ({
      repId: rep.repId,
      total: totalOf(rep.decisions),
      attainment: rep.attainment.map((one) => ({ ...one, attainment: ratio(one.credit, one.target) })),
      rules: rulesOf(rep, versions, workspace.timeZone),
      outcomes: rep.outcomes.map((one) => ({
        dealId: one.dealKey,
        ruleId: isUnsaved(one.ruleId) ? null : one.ruleId,
        ruleName: one.ruleName,
        paid: one.paid,
        amount: one.amount.toNumber(),
        reason: one.reason,
        conditions: [...one.conditions],
        missing: [...one.missing],
      })),
    })),
  };
}

function rulesOf(rep: SimulatedRep, versions: readonly StoredVersion[], timeZone: string) {
  return [...groupBy(rep.decisions, (decision) => decision.ruleName)].map(([name, decisions]) => ({
    ...(isUnsaved((decisions[0] as Decision).ruleId) ? {} : { ruleId: (decisions[0] as Decision).ruleId }),
    name,
    total: totalOf(decisions),
    deals: decisions.map((decision) => ({
      dealId: decision.dealKey,
      amount: decision.amount.toNumber(),
      base: decision.base.toNumber(),
      tierName: decision.tierName,
      trace: decodeTrace(decision.trace, {
        conditions: conditionsOf(decision, versions),
        day: decision.earnedOn,
        timeZone,
        tierName: decision.tierName,
        amount: decision.amount.toNumber(),
      }),
    })),
  }));
}

/** A rule of an unsaved config has no id that another request could use. */
function isUnsaved(ruleId: string | null): boolean {
  return ruleId?.startsWith(unsaved) === true;
}

function conditionsOf(decision: Decision, versions: readonly StoredVersion[]) {
  const version = versions.find((one) => one.planVersionId === decision.planVersionId);
  const rule = version?.rules.find((one) => one.id === decision.ruleId);
  return [...(version?.dealConditions ?? []), ...(rule?.conditions ?? [])];
}

export const simulateCommissions = operation({
  id: 'simulateCommissions',
  summary: 'What a plan would pay over a period, rule by rule with traces and reasons; writes nothing',
  method: 'post',
  path: '/v1/commissions/simulate',
  access: 'rep',
  scope: 'read',
  body,
  maxKeys: 100_000,
  response,
  failures: { plan_not_found: 404, rep_not_found: 404 },
  tool: {
    name: 'simulate_commissions',
    title: 'Simulate commissions',
    hints: effects.reads,
    description: {
      purpose:
        'Dry run of a plan, a version or a config that does not exist yet over a period: what each rep would earn, by rule and deal, with the trace and the reason for every 0.',
      useWhen:
        'before a plan is created, changed or activated, to compare two versions, or to answer "what if I close this deal".',
      notFor: 'what has been earned (use get_commissions); a simulation pays nothing.',
      formats:
        'planId, planVersionId or config; planId with config tries a change of the plan with its stored quotas, overrides and assignments, from effectiveStart on. period 2026-03, 2026-Q1, 2026-H1 or 2026. Without repId everyone assigned to the plan is simulated. deals are made-up deals in addition to the stored ones; quota replaces the quotas that are set.',
      changes: 'nothing.',
    },
    arguments: {
      planId: 'The plan, with the version in force on each day (UUID, planId of list_plans)',
      planVersionId: 'One version, drafts too (UUID, planVersionId of list_plans or get_plan_history)',
      config: 'A config to try, in the form that create_plan takes (managers and admins)',
      effectiveStart: firstDay('With planId and config: first day of the new config'),
      period: 'The period to calculate',
      repId: 'Only this rep (UUID of list_reps); needed with config unless repIds is given',
      repIds: 'Only these reps; give this or repId',
      deals:
        'Made-up deals: each with dealId, amount, stage, closeDate (YYYY-MM-DD) in the period and, for several reps, repId',
      quota: 'Target, and optionally variableTarget, to assume for every rep',
      asOf: 'Day to calculate as of, YYYY-MM-DD; today when left out',
    },
    listsWithin: ['reps'],
    detail: { unlessAsked: 'full', summaryOmits: ['reps.rules.deals', 'reps.outcomes'] },
    summary: ({ total, currency, period, reps, warnings }) =>
      reps.length === 0
        ? 'No rep is assigned to this plan in the period, so nothing was simulated. Give repId or repIds.'
        : `Simulated ${period}: ${total} ${currency} in total for ${reps.length} reps. Nothing was written.${describeWarnings({ warnings })}`,
  },
  example: {
    body: {
      planId: sampleIds.planId,
      period: '2026-Q1',
      repId: sampleIds.repId,
      deals: [{ dealId: 'what-if', ...dealBodyExample }],
    },
    answer: {
      planId: sampleIds.planId,
      planVersionId: sampleIds.planVersionId,
      period: '2026-Q1',
      currency: 'USD',
      total: 0,
      warnings: [],
      reps: [{ repId: sampleIds.repId, total: 0, attainment: [attainmentExample], rules: [], outcomes: [] }],
    },
  },
  handler: SimulateCommissions,
});
