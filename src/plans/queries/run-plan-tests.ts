import { z } from 'zod';
import { pathIds } from '../../api/resource-fields.js';
import { planFx } from '../../engine/plan-fx.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { workspaceToday } from '../../people/reps/rep-views.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { effects } from '../../platform/mcp/tool.js';
import { operation } from '../../platform/operations/operation.js';
import { currency } from '../../platform/operations/schemas.js';
import { assertFieldMapping, fieldMapping, planConfig, planNotFound } from '../plan.js';
import { planTests, type TestResult, testResult } from '../plan-tests.js';
import { planTestsArgument } from '../plan-tool-text.js';
import { findPlanVersion } from '../plan-views.js';
import { sentTableFailures } from '../table-checks.js';
import { runVersionTests } from '../test-gate.js';

const params = z.strictObject({ planRef: pathIds.planRef });
const body = z.strictObject({
  config: planConfig.optional().describe('The config to test, in place of the stored one'),
  tests: planTests.optional().describe('The tests to run, in place of the stored ones'),
  currency: currency.nullish().describe('The currency of the plan, in place of the stored one'),
  fx: planFx.nullish().describe('The conversion of the plan, in place of the stored one'),
  fieldMapping: fieldMapping.nullish(),
});

export const runPlanTests = operation({
  id: 'runPlanTests',
  summary: 'Run the tests of a plan version, or of a config that is not stored; writes nothing',
  method: 'post',
  path: '/v1/plans/:planRef/tests/run',
  access: 'manager',
  scope: 'read',
  params,
  body,
  maxKeys: 100_000,
  response: testResult,
  failures: {
    plan_too_complex: 400,
    group_terms_differ: 400,
    schedule_must_total_100: 400,
    ...sentTableFailures,
    plan_not_found: 404,
  },
  tool: {
    name: 'run_plan_tests',
    title: 'Run plan tests',
    hints: effects.reads,
    description: {
      purpose: 'Run tests of a plan, stored or given, and list what does not hold with its trace.',
      useWhen: 'before update_plan or set_plan_status, which reject failing tests.',
      notFor: 'real deals (preview_plan_change).',
      changes: 'nothing.',
    },
    arguments: {
      planRef: 'As in update_plan',
      config: 'In place of the stored config',
      tests: planTestsArgument,
      currency: { always: undefined },
      fx: { always: undefined },
      fieldMapping: { always: undefined },
    },
    summary: ({ passed, tests, failed }) =>
      tests === 0
        ? 'The plan has no tests.'
        : passed
          ? `All ${tests} tests pass.`
          : `${failed.length} expectations fail.`,
  },
  example: {
    params: { planRef: sampleIds.planId },
    body: {},
    response: { passed: true, tests: 1, failed: [] },
  },
  uses: { unitOfWork: UnitOfWork, clock: CLOCK },
  async execute({ params: { planRef }, body: requested }, caller, { unitOfWork, clock }): Promise<TestResult> {
    assertFieldMapping(requested.fieldMapping ?? null);
    return unitOfWork.read(caller, async (tx) => {
      const today = await workspaceToday(tx, clock);
      const plan = await findPlanVersion(tx, planRef, { onlyForRep: null, today });
      if (plan === null) throw planNotFound();
      const { config = plan.config, tests = plan.tests, currency: paidIn = plan.currency } = requested;
      const fx = requested.fx === undefined ? (plan.fx ?? null) : requested.fx;
      const mapping = requested.fieldMapping === undefined ? plan.fieldMapping : requested.fieldMapping;
      return runVersionTests(tx, {
        config,
        currency: paidIn,
        fx,
        fieldMapping: mapping ?? null,
        tests: planTests.parse(tests),
      });
    });
  },
});
