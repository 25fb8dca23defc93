import { z } from 'zod';
import { planFx } from '../../engine/plan-fx.js';
import { assertEffectiveDayOrder } from '../../kernel/day-order.js';
import { Failure } from '../../kernel/failure.js';
import { newId } from '../../kernel/ids.js';
import { workspaceToday } from '../../people/reps/rep-views.js';
import { type Transaction, UnitOfWork } from '../../platform/database/unit-of-work.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { effects } from '../../platform/mcp/tool.js';
import { operation, payingNoOne } from '../../platform/operations/operation.js';
import { currency, day, text } from '../../platform/operations/schemas.js';
import { collectVersionWarnings } from '../collect-plan-warnings.js';
import {
  assertFieldMapping,
  fieldMapping,
  planConfig,
  planNotFound,
  planTerms,
  requestedDates,
  storedConfig,
  type WrittenPlan,
  writtenPlan,
} from '../plan.js';
import { planConfigExample, planExample, unassignedExample } from '../plan-examples.js';
import { insertPlan, insertVersion, isNameTaken, type VersionRow } from '../plan-store.js';
import { forceTests, planTests } from '../plan-tests.js';
import {
  briefTestsArgument,
  describePlan,
  describeWarnings,
  planArguments,
  planConfigArgument,
} from '../plan-tool-text.js';
import { findPlanVersion } from '../plan-views.js';
import { tableFailures } from '../table-checks.js';
import { assertTestsPass } from '../test-gate.js';
import { assertTermsFit } from '../workspace-terms-checks.js';

const body = z.strictObject({
  name: text(200).meta({ description: 'Name of the plan, unique in the workspace', example: 'AE 2026' }),
  config: planConfig,
  effectiveStart: day.nullish().meta({
    description: 'First day on which the version applies, YYYY-MM-DD; null or absent for no earliest day',
    example: '2026-07-01',
  }),
  effectiveEnd: day.nullish().meta({
    description: 'Last day on which the version applies, YYYY-MM-DD; null or absent for no last day',
    example: '2026-12-31',
  }),
  fieldMapping: fieldMapping.nullish(),
  currency: currency.nullish().meta({
    description:
      'Currency that the plan pays in, ISO 4217 code; by default the currency of the workspace. Without fx, a rule does not fire on a deal whose measure or payout base is in another currency',
    example: 'EUR',
  }),
  fx: planFx.nullish().meta({
    description: `${planFx.description}; null or absent: the plan converts nothing`,
    example: { date: 'close_date' },
  }),
  status: z
    .enum(['draft', 'active', 'archived'])
    .default('active')
    .meta({ description: 'draft pays nothing; active pays', example: 'draft' }),
  tests: planTests.default([]),
  force: forceTests,
});

async function assertNameFree(tx: Transaction, name: string): Promise<void> {
  if (!(await isNameTaken(tx, name))) return;
  throw new Failure('plan_name_taken', `A plan named ${name} exists. Change that plan, or use another name.`);
}

export const createPlan = operation({
  id: 'createPlan',
  summary: 'Create a plan; it is active at once by default',
  method: 'post',
  path: '/v1/plans',
  access: 'admin',
  body,
  maxKeys: 100_000,
  response: writtenPlan,
  status: 201,
  failures: {
    plan_too_complex: 400,
    group_terms_differ: 400,
    schedule_must_total_100: 400,
    ...tableFailures,
    plan_tests_failed: 400,
    plan_name_taken: 409,
    rep_not_found: 404,
  },
  tool: {
    name: 'create_plan',
    title: 'Create plan',
    hints: effects.adds,
    description: {
      purpose: 'Create a plan from a config of rules and tiers.',
      useWhen:
        'no plan pays people in this way yet. Give status draft, simulate, let a person look, then set_plan_status active.',
      notFor:
        'changing a plan that exists (update_plan), terms of one rep (set_plan_override) or trying terms out (simulate_commissions).',
      formats: 'a rate of 0.08 is 8 %; a threshold of 1 is 100 % of the quota',
      changes:
        'adds a plan. It is active at once by default, but pays nothing until create_assignments assigns reps to it; tiers by attainment also need set_quota.',
    },
    arguments: {
      name: 'Unique name of the plan',
      config: {
        description: 'Rules, tiers and conditions; list_plan_templates has examples',
        schema: planConfigArgument,
      },
      effectiveStart: planArguments.effectiveStart,
      effectiveEnd: planArguments.effectiveEnd,
      fieldMapping: 'Slugs of this plan alone, such as {"amount": "acv"}',
      currency: planArguments.currency,
      fx: planArguments.fx,
      status: 'draft has no effect yet',
      tests: briefTestsArgument,
      force: { always: false },
    },
    detail: { defaultForm: 'summary', summaryOmits: ['config'] },
    summary: (plan) =>
      `Created. ${describePlan(plan)}${describeWarnings(plan)} Next: simulate_commissions, create_assignments and, for tiers by attainment, set_quota.`,
  },
  subject: payingNoOne,
  assertPossible: (tx, { body: { name } }) => assertNameFree(tx, name),
  example: {
    body: { name: 'AE', config: planConfigExample, effectiveStart: '2026-01-01' },
    response: { ...planExample, assignedReps: [], warnings: [unassignedExample] },
  },
  uses: { unitOfWork: UnitOfWork, clock: CLOCK },
  async execute({ body: plan }, caller, { unitOfWork, clock }): Promise<WrittenPlan> {
    const terms = planTerms(plan.config);
    const { effectiveStart = null, effectiveEnd = null } = requestedDates(plan);
    assertEffectiveDayOrder(effectiveStart, effectiveEnd);
    assertFieldMapping(plan.fieldMapping ?? null);
    return unitOfWork.run(caller, { lock: 'exclusive', access: 'write' }, async (tx) => {
      await assertNameFree(tx, plan.name);
      await assertTermsFit(tx, terms, plan.currency ?? null);
      const dates = { version: 1, effectiveStart, effectiveEnd };
      const version: VersionRow = {
        ...dates,
        planId: await insertPlan(tx, plan),
        planVersionId: newId(),
        status: plan.status,
        supersedes: null,
        hasBeenActive: false,
        currency: plan.currency ?? null,
        fx: plan.fx ?? null,
        fieldMapping: plan.fieldMapping ?? null,
        tests: plan.tests,
        config: storedConfig(plan.config, dates),
      };
      const state = { status: plan.status, versions: [version] };
      await assertTestsPass(tx, caller, null, state, { force: plan.force === true, changed: version });
      await insertVersion(tx, version, terms);
      const today = await workspaceToday(tx, clock);
      const created = await findPlanVersion(tx, version.planVersionId, { onlyForRep: null, today });
      if (created === null) throw planNotFound();
      return { ...created, warnings: await collectVersionWarnings(tx, created, clock) };
    });
  },
});
