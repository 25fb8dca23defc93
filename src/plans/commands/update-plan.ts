import { inject, injectable } from 'tsyringe';
import { z } from 'zod';
import { type Caller } from '../../kernel/caller.js';
import { type Clock } from '../../kernel/clock.js';
import { hull } from '../../kernel/day.js';
import { Failure, invalid } from '../../kernel/failure.js';
import { requestForPlan } from '../../ledger/calculation-requests.js';
import { CommissionChanges } from '../../ledger/commission-changes.js';
import { type Work } from '../../platform/database/unit-of-work.js';
import { effects, firstDay } from '../../platform/mcp/tool.js';
import { type Input, operation } from '../../platform/operation.js';
import { currency, day, pathId } from '../../platform/schemas.js';
import { CLOCK } from '../../platform/tokens.js';
import { collectRestatementWarnings, collectVersionWarnings, coveredDays } from '../collect-plan-warnings.js';
import {
  assertDateOrder,
  assertUpstreamKnown,
  type PlanVersion,
  planConfig,
  planNotFound,
  planStatuses,
  planTerms,
  type WrittenPlan,
  writtenPlan,
} from '../plan.js';
import { findVersion, insertVersion, isNameTaken, ruleNames, updateVersion, type VersionRow } from '../plan-store.js';
import { findPlanVersion } from '../plan-views.js';
import { type PlanWarning } from '../plan-warnings.js';
import { planWords, saysPlan, saysWarnings } from '../plan-words.js';
import { assertTierOwnersKnown } from '../tier-owners.js';

const params = z.strictObject({ planRef: pathId });
const body = z.strictObject({
  config: planConfig.optional(),
  effectiveStart: day.nullish(),
  effectiveEnd: day.nullish(),
  currency: currency.nullish(),
  status: z.enum(planStatuses).optional(),
});
type Change = z.infer<typeof body>;

@injectable()
export class UpdatePlan {
  constructor(
    @inject(CommissionChanges) private readonly changes: CommissionChanges,
    @inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** A change of config or dates makes a new version; status or currency alone change the version in place. */
  async execute(
    { params: { planRef }, body: change }: Input<z.infer<typeof params>, unknown, Change>,
    caller: Caller,
  ): Promise<WrittenPlan> {
    if (Object.values(change).every((value) => value === undefined)) {
      throw invalid({
        path: '',
        message: 'give at least one of config, effectiveStart, effectiveEnd, currency, status',
      });
    }
    return this.changes.run(caller, 'configuration', async (trx, wake) => {
      const current = await findVersion(trx, caller.workspaceId, planRef);
      if (current === undefined) throw planNotFound();
      await assertNameFree(trx, caller.workspaceId, current, change);
      const makesVersion =
        change.config !== undefined || change.effectiveStart !== undefined || change.effectiveEnd !== undefined;
      const planVersionId = makesVersion
        ? await nextVersion(trx, caller.workspaceId, current, change)
        : current.planVersionId;
      if (!makesVersion) await updateVersion(trx, caller.workspaceId, planVersionId, change);
      wake(await requestForPlan(trx, caller.workspaceId, current.planId, 'plan_change'));
      const updated = await findPlanVersion(trx, caller.workspaceId, planVersionId, null);
      if (updated === null) throw planNotFound();
      const warnings = await collectVersionWarnings(trx, caller.workspaceId, updated, this.clock);
      return { ...updated, warnings: [...warnings, ...(await restated(trx, caller.workspaceId, current, updated))] };
    });
  }
}

/** Days on which the plan had or has now the changed version pay by other terms than before. */
async function restated(
  trx: Work,
  workspaceId: string,
  before: VersionRow,
  after: PlanVersion,
): Promise<PlanWarning[]> {
  if (after.status !== 'active' || after.planVersionId === before.planVersionId) return [];
  const old = coveredDays(before.effectiveStart, before.effectiveEnd);
  const days = hull(old, coveredDays(after.effectiveStart, after.effectiveEnd));
  return collectRestatementWarnings(trx, workspaceId, after.planId, days);
}

/** A deleted plan gives its name free; it comes back only while nobody has taken it. */
async function assertNameFree(trx: Work, workspaceId: string, current: VersionRow, { status }: Change): Promise<void> {
  if (current.status !== 'deleted' || status === undefined || status === 'deleted') return;
  if (!(await isNameTaken(trx, workspaceId, current.name, current.planId))) return;
  throw new Failure('plan_name_taken', `Another plan is named ${current.name} by now; set that one to deleted first.`);
}

async function nextVersion(trx: Work, workspaceId: string, current: VersionRow, change: Change): Promise<string> {
  const config = change.config ?? current.config;
  const effectiveStart = change.effectiveStart === undefined ? current.effectiveStart : change.effectiveStart;
  const effectiveEnd = change.effectiveEnd === undefined ? current.effectiveEnd : change.effectiveEnd;
  const terms = planTerms(config);
  assertDateOrder(effectiveStart, effectiveEnd);
  assertUpstreamKnown(terms, await ruleNames(trx, workspaceId));
  await assertTierOwnersKnown(trx, workspaceId, terms);
  return insertVersion(
    trx,
    workspaceId,
    {
      planId: current.planId,
      status: change.status ?? current.status,
      effectiveStart,
      effectiveEnd,
      currency: change.currency === undefined ? current.currency : change.currency,
      fieldMapping: current.fieldMapping,
      config,
    },
    terms,
  );
}

export const updatePlan = operation({
  id: 'updatePlan',
  summary: 'Change a plan: a new version for config or dates, in place for status or currency',
  method: 'patch',
  path: '/v1/plans/:planRef',
  access: 'admin',
  params,
  body,
  response: writtenPlan,
  failures: { plan_not_found: 404, plan_name_taken: 409, rep_not_found: 404 },
  tool: {
    name: 'update_plan',
    title: 'Update plan',
    hints: effects.changes,
    description: {
      purpose:
        'Change the config or the dates of a plan, which makes a new version; or its currency or status, which changes the version in force.',
      useWhen:
        'rates, tiers, conditions or dates of a plan change. Read it with get_plan first and send the whole config: it replaces the old one. Simulate the new config before.',
      notFor:
        'the status alone (use set_plan_status), other tiers for one rep (set_plan_override), or who is on the plan (create_assignments).',
      formats:
        'config as in create_plan; dates YYYY-MM-DD. Rule ids change with the version; quotas follow the rule of the same name.',
      changes:
        'commission of the days that the plan covers is calculated anew; approved statements stay as they are. The old version stays in the history.',
    },
    arguments: {
      planRef: planWords.planRef,
      config: 'The whole new config, in the form that create_plan takes',
      effectiveStart: { ...firstDay('First day of the new terms'), required: true },
      effectiveEnd: planWords.effectiveEnd,
      currency: planWords.currency,
      status: 'Status of the new version, or of the one in force when nothing else is given',
    },
    detail: { unlessAsked: 'summary', summaryOmits: ['config'] },
    says: (plan) => `Changed. ${saysPlan(plan)}${saysWarnings(plan)} Commission follows by itself.`,
  },
  handler: UpdatePlan,
});
