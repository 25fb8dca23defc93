import { z } from 'zod';
import { pathIds } from '../../api/resource-fields.js';
import { planFx } from '../../engine/plan-fx.js';
import { stopsDays } from '../../engine/version-timeline.js';
import { type Caller } from '../../kernel/caller.js';
import { type Clock } from '../../kernel/clock.js';
import { Failure, invalid } from '../../kernel/failure.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { loadRepsOfPlan } from '../../ledger/requests/calculation-requests.js';
import { CommissionChanges } from '../../ledger/requests/commission-changes.js';
import { workspaceToday } from '../../people/reps/rep-views.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { effects } from '../../platform/mcp/tool.js';
import { type Input, operation } from '../../platform/operations/operation.js';
import { currency, day, text } from '../../platform/operations/schemas.js';
import { type CarriedOverrides, carryOverrides } from '../carried-overrides.js';
import { collectVersionWarnings } from '../collect-plan-warnings.js';
import {
  assertFieldMapping,
  fieldMapping,
  planConfig,
  planNotFound,
  planStatuses,
  planTerms,
  requestedDates,
  type WrittenPlan,
  writtenPlan,
} from '../plan.js';
import { type ChangedState, findRollBack, makesVersion, type PlanChange } from '../plan-change.js';
import { endedStretchExample, planExample } from '../plan-examples.js';
import {
  hasCascade,
  insertVersion,
  isNameTaken,
  type StoredPlan,
  updatePlanRow,
  updateVersionStatus,
  updateVersionTests,
  type VersionRow,
} from '../plan-store.js';
import { loadPlanSubject } from '../plan-subject.js';
import { forceTests, planTests } from '../plan-tests.js';
import { briefTestsArgument, describePlan, describeWarnings, planArguments } from '../plan-tool-text.js';
import { findPlanVersion } from '../plan-views.js';
import {
  collectChangeWarnings,
  collectRestatements,
  datedPlan,
  loadPlannedChange,
  type PlannedChange,
  sourceAfter,
} from '../planned-change.js';
import { previewedChange } from '../previewed-change.js';
import { tableFailures } from '../table-checks.js';
import { assertTestsPass } from '../test-gate.js';

const params = z.strictObject({ planRef: pathIds.planRef });
const body = z.strictObject({
  name: text(200).optional().describe('New name of the plan, unique in the workspace'),
  config: planConfig.optional(),
  effectiveStart: day
    .nullish()
    .describe(
      'First day on which the new version applies, YYYY-MM-DD; null for no earliest day. Absent: as before the change',
    ),
  effectiveEnd: day
    .nullish()
    .describe(
      'Last day on which the new version applies, YYYY-MM-DD; null for no last day. Absent: as before the change',
    ),
  fieldMapping: fieldMapping.nullish(),
  currency: currency
    .nullish()
    .describe('Currency that the plan pays in, ISO 4217 code; null for the currency of the workspace'),
  fx: planFx.nullish().describe(`${planFx.description}; null: the plan converts nothing`),
  status: z.enum(planStatuses).optional().describe('New status of the plan'),
  tests: planTests.optional().describe('The new tests, all of them; an empty list deletes them'),
  latestVersion: z
    .int()
    .min(1)
    .optional()
    .describe('Number of the latest version that the caller has seen. If there is a later one, nothing changes'),
  force: forceTests,
});

/** Changes a plan, or one version of it. */
export async function changePlan(
  {
    params: { planRef },
    body: { force = false, latestVersion, ...requested },
  }: Input<z.infer<typeof params>, unknown, z.infer<typeof body>>,
  caller: Caller,
  { changes, clock }: { changes: CommissionChanges; clock: Clock },
): Promise<WrittenPlan> {
  if (Object.values(requested).every((value) => value === undefined)) {
    const fields = Object.keys(body.omit({ force: true, latestVersion: true }).shape).join(', ');
    throw invalid({ path: '', message: `give at least one of ${fields}` });
  }
  const change: PlanChange = { ...requested, ...requestedDates(requested) };
  const terms = requested.config === undefined ? undefined : planTerms(requested.config);
  assertFieldMapping(requested.fieldMapping ?? null);
  return changes.run(caller, 'exclusive', async (tx, recalculate, calculateFirst) => {
    const today = await workspaceToday(tx, clock);
    const planned = await loadPlannedChange(tx, { planRef, change, terms }, today);
    const { plan, source, changed } = planned;
    assertNotChanged(plan, latestVersion);
    await assertNameFree(tx, plan, changed, change.name);
    await assertTestsPass(tx, caller, plan, changed, { force, changed: testedVersion(planned) });
    const reps = await loadRepsOfPlan(tx, plan.planId);
    // Events on days that the change deactivates do not change any more, so all earlier requests must be
    // calculated first.
    if (stopsDays(datedPlan(plan), datedPlan(changed)))
      await calculateFirst((await hasCascade(tx, plan.planId)) ? null : reps);
    const restates = await collectRestatements(tx, planned);
    const warnings = await collectChangeWarnings(tx, planned);
    const overrides = await saveChange(tx, planned);
    for (const { planVersionId } of activatedVersions(planned)) await tx.changeTerms({ planRef: planVersionId });
    if (change.status !== undefined || makesVersion(change)) await recalculate.reps(reps, 'plan_change');
    const viewedRef = changed.newVersion?.planVersionId ?? planRef;
    const view = await findPlanVersion(tx, viewedRef, { onlyForRep: null, today });
    if (view === null) throw planNotFound();
    const rolledBackTo = findRollBack(plan, changed, source, today);
    return {
      ...view,
      warnings: [...(await collectVersionWarnings(tx, view, clock)), ...warnings, ...restates],
      ...overrides,
      ...(rolledBackTo === undefined ? {} : { rolledBackTo }),
    };
  });
}

/** The versions that are in force only since the change, such as a new one. */
function activatedVersions({ plan, changed }: PlannedChange): VersionRow[] {
  const before = plan.status === 'active' ? plan.versions.filter(({ status }) => status === 'active') : [];
  const ids = before.map(({ planVersionId }) => planVersionId);
  return changed.versions.filter(({ planVersionId, status }) => status === 'active' && !ids.includes(planVersionId));
}

/** Someone else may have saved a version since the caller read the plan. */
function assertNotChanged({ versions }: StoredPlan, seen: number | undefined): void {
  const latest = versions.at(-1)?.version ?? 0;
  if (seen === undefined || latest <= seen) return;
  throw new Failure(
    'plan_changed',
    `Version ${latest} of the plan was saved after version ${seen}. Read it, then repeat the change.`,
    { latestVersion: latest },
  );
}

/** The version whose config or tests the change writes; null if it writes neither. */
function testedVersion(planned: PlannedChange): VersionRow | null {
  const { newVersion } = planned.changed;
  return newVersion !== null || planned.change.tests === undefined ? newVersion : sourceAfter(planned);
}

/** Writes the change. Returns what became of the overrides of the source if it creates a version. */
async function saveChange(
  tx: Transaction,
  { plan, source, change, changed, terms }: PlannedChange,
): Promise<Partial<CarriedOverrides>> {
  await updatePlanRow(tx, plan.planId, {
    ...(change.name === undefined ? {} : { name: change.name }),
    ...(changed.status === plan.status ? {} : { status: changed.status }),
  });
  for (const version of changed.versions) {
    const { planVersionId, status, tests } = version;
    const before = plan.versions.find((stored) => stored.planVersionId === planVersionId);
    if (before === undefined) continue;
    if (before.status !== status) await updateVersionStatus(tx, planVersionId, status);
    if (before.tests !== tests) await updateVersionTests(tx, version);
  }
  const { newVersion } = changed;
  if (newVersion === null || terms === null) return {};
  const ruleIds = await insertVersion(tx, newVersion, terms);
  const target = { planVersionId: newVersion.planVersionId, rules: terms.rules, ruleIds };
  return carryOverrides(tx, source.planVersionId, target);
}

/** A plan that is renamed or restored after deletion must have a name that no other plan has. */
async function assertNameFree(
  tx: Transaction,
  plan: StoredPlan,
  changed: ChangedState,
  newName: string | undefined,
): Promise<void> {
  const comesBack = isDeleted(plan) && !isDeleted(changed);
  const name = newName ?? plan.name;
  if (!comesBack && newName === undefined) return;
  if (!(await isNameTaken(tx, name, plan.planId))) return;
  throw new Failure(
    'plan_name_taken',
    newName === undefined
      ? `Another plan is named ${name}. Rename this plan, or delete the other one first.`
      : `Another plan is named ${name}. Use another name.`,
  );
}

function isDeleted({ status, versions }: Pick<StoredPlan, 'status' | 'versions'>): boolean {
  return status === 'deleted' || versions.every((version) => version.status === 'deleted');
}

export const updatePlan = operation({
  id: 'updatePlan',
  summary:
    'Change a plan: a new version for config, dates, currency, conversion or field mapping, in place for name and status',
  method: 'patch',
  path: '/v1/plans/:planRef',
  access: 'admin',
  params,
  body,
  maxKeys: 100_000,
  response: writtenPlan,
  failures: {
    plan_too_complex: 400,
    group_terms_differ: 400,
    schedule_must_total_100: 400,
    ...tableFailures,
    plan_tests_failed: 400,
    plan_not_found: 404,
    plan_name_taken: 409,
    plan_changed: 409,
    rep_not_found: 404,
    calculation_pending: 409,
  },
  tool: {
    name: 'update_plan',
    title: 'Update plan',
    hints: effects.changes,
    description: {
      purpose:
        'Change the config, dates, currency, field mapping, name or status of a plan, which creates a new version.',
      useWhen:
        'rates, tiers, conditions or dates of a plan change. Read it with get_plan first and send the whole config: it replaces the old one. Call preview_plan_change before.',
      notFor:
        'the status alone (set_plan_status), other tiers for one rep (set_plan_override), or who is on the plan (create_assignments).',
      formats:
        'config as in create_plan. What is left out is copied from the version that planRef means. A config with a later effectiveStart follows the old version; otherwise the new version replaces it, as dates alone do. Rule ids change with the version; quotas and overrides follow the rule of the same name.',
      changes:
        'commission of the days that the plan covers is recalculated; approved statements do not change. The old version stays in the history.',
    },
    arguments: {
      planRef: planArguments.planRef,
      name: 'New name',
      config: 'The whole new config',
      effectiveStart: {
        description: 'First day of the new terms, YYYY-MM-DD, "always" or, to rename only, "unchanged"',
        keywords: { always: null, unchanged: undefined },
        required: true,
      },
      effectiveEnd: planArguments.effectiveEnd,
      fieldMapping: 'As in create_plan; {} clears it',
      currency: { ...planArguments.currency, description: 'As in create_plan' },
      fx: { ...planArguments.fx, description: 'As in create_plan' },
      status: 'Status of the new version',
      tests: briefTestsArgument,
      latestVersion: { always: undefined },
      force: { always: false },
    },
    previewedBy: previewedChange,
    detail: { defaultForm: 'summary', summaryOmits: ['config'] },
    summary: (plan) =>
      `Changed. ${describePlan(plan)}${describeWarnings(plan)} Commission is recalculated automatically.`,
  },
  subject: (tx, { params: { planRef } }) => loadPlanSubject(tx, planRef),
  example: {
    params: { planRef: sampleIds.planId },
    body: { effectiveStart: '2026-01-01', effectiveEnd: '2026-12-31' },
    response: {
      ...planExample,
      version: 2,
      timeline: [endedStretchExample],
      inForce: endedStretchExample,
      effectiveEnd: '2026-12-31',
      warnings: [],
      overridesCarried: [
        { repId: sampleIds.repId, repName: 'Ben', ruleName: 'New business', tierIndex: 0, minThreshold: 0, rate: 0.1 },
      ],
      overridesDropped: [],
    },
  },
  uses: { changes: CommissionChanges, clock: CLOCK },
  execute: changePlan,
});
