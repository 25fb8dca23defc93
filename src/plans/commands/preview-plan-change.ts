import { z } from 'zod';
import { pathIds } from '../../api/resource-fields.js';
import { planFx } from '../../engine/plan-fx.js';
import { type Caller } from '../../kernel/caller.js';
import { type Clock } from '../../kernel/clock.js';
import { type DayRange } from '../../kernel/day.js';
import { assertDayOrder } from '../../kernel/day-order.js';
import { Failure, invalid } from '../../kernel/failure.js';
import { type PeriodCalendar } from '../../kernel/period-calendar.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { toStoredCaller } from '../../kernel/stored-caller.js';
import { timeLimit } from '../../kernel/time-limit.js';
import { pollUntil } from '../../kernel/waiting.js';
import { loadCalendar } from '../../ledger/input/calendar.js';
import { repNotFound } from '../../people/reps/rep.js';
import { unknownReps, workspaceToday } from '../../people/reps/rep-views.js';
import { type Transaction, UnitOfWork } from '../../platform/database/unit-of-work.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { JobStatuses } from '../../platform/job-status/job-statuses.js';
import { JobQueue } from '../../platform/jobs/job-queue.js';
import { effects, firstDay, lastDay } from '../../platform/mcp/tool.js';
import { operation, Reply } from '../../platform/operations/operation.js';
import { currency, day, period, uuid } from '../../platform/operations/schemas.js';
import { wakeOf } from '../../platform/stored-jobs/stored-job.js';
import { insertStoredJob, lockStoredJobs } from '../../platform/stored-jobs/stored-job-store.js';
import { countUnfinished } from '../../platform/stored-jobs/stored-job-views.js';
import { assertFieldMapping, fieldMapping, planConfig, planNotFound, planStatuses, requestedDates } from '../plan.js';
import {
  type PlanPreview,
  planPreview,
  planPreviewExample,
  previewNotFound,
  toPreviewResponse,
} from '../plan-preview-response.js';
import { findPreviewResult, type PreviewJob, previewJobs } from '../plan-preview-views.js';
import { planTests } from '../plan-tests.js';
import { describeWarnings, planArguments } from '../plan-tool-text.js';
import { loadPlannedChange } from '../planned-change.js';
import { type PreviewSubject } from '../preview-result.js';
import { tableFailures } from '../table-checks.js';

const params = z.strictObject({ planRef: pathIds.planRef });
const body = z.strictObject({
  config: planConfig.optional(),
  effectiveStart: day.nullish().describe('First day of the new version, as in a change of the plan'),
  effectiveEnd: day.nullish().describe('Last day of the new version, as in a change of the plan'),
  currency: currency.nullish().describe('Currency of the new version, as in a change of the plan'),
  fx: planFx.nullish().describe('Conversion of the new version, as in a change of the plan'),
  fieldMapping: fieldMapping.nullish(),
  status: z.enum(planStatuses).optional().describe('New status, as in a change of the plan'),
  tests: planTests.optional().describe('The tests to run, in place of the stored ones'),
  period: period.optional().describe('Period whose commission is compared; give it, or from and to'),
  from: day.optional().describe('First day whose commission is compared, YYYY-MM-DD'),
  to: day.optional().describe('Last day whose commission is compared, YYYY-MM-DD'),
  repIds: z.array(uuid).min(1).max(500).optional().describe('Only these reps (UUID); everyone by default'),
  limit: z.int().min(1).max(500).default(100).describe('Max number of deals in byDeal, 1 to 500'),
});
type Body = z.output<typeof body>;

const maxWaitMs = timeLimit(25_000);
/** Max number of previews of a workspace that have not finished. */
const maxUnfinished = 5;

/** Stores the request after the checks of the change. */
async function storePreview(tx: Transaction, caller: Caller, planRef: string, request: Body, clock: Clock) {
  const { config, currency: paidIn, fx, fieldMapping: mapping, status, tests, repIds = null } = request;
  const change = { config, currency: paidIn, fx, fieldMapping: mapping, status, tests, ...requestedDates(request) };
  if (Object.values(change).every((value) => value === undefined))
    throw invalid({ path: '', message: 'give a change: config, dates, currency, fx, fieldMapping, tests or status' });
  assertFieldMapping(mapping ?? null);
  const range = comparedDays(request, await loadCalendar(tx));
  const today = await workspaceToday(tx, clock);
  const { plan } = await loadPlannedChange(tx, { planRef, change }, today);
  const unknown = repIds === null ? [] : await unknownReps(tx, repIds);
  if (unknown.length > 0) throw repNotFound(unknown);
  await assertMayPreview(tx, plan.planId);
  return insertStoredJob(tx, {
    kind: 'preview',
    period: `${range.from}/${range.to}`,
    subject: { planId: plan.planId, request: { planRef, change, ...range, repIds } } satisfies PreviewSubject,
    caller: toStoredCaller(caller),
    total: 1,
  });
}

/** Few previews of a workspace may wait. The plan is locked, so that it is not deleted meanwhile. */
async function assertMayPreview(tx: Transaction, planId: string): Promise<void> {
  await lockStoredJobs(tx, 'preview');
  if ((await countUnfinished(tx, 'preview')) >= maxUnfinished)
    throw new Failure('rate_limited', 'Other previews of this workspace are still calculated. Try again shortly.', {
      retryAfter: 10,
    });
  const plan = await tx.db
    .selectFrom('plans')
    .select('plan_id')
    .where('workspace_id', '=', tx.workspaceId)
    .where('plan_id', '=', planId)
    .forKeyShare()
    .executeTakeFirst();
  if (plan === undefined) throw planNotFound();
}

function comparedDays({ period: during, from, to }: Body, calendar: PeriodCalendar): DayRange {
  if (during !== undefined && from === undefined && to === undefined) return calendar.range(during);
  if (during !== undefined || from === undefined || to === undefined)
    throw invalid({ path: 'period', message: 'give period, or from and to' });
  assertDayOrder(['from', from], ['to', to]);
  return { from, to };
}

function assertSucceeded({ jobId, status, errorCode, error }: PreviewJob): void {
  if (status !== 'failed') return;
  if (errorCode === null) throw new Error(`preview ${jobId} failed: ${error}`);
  throw new Failure(errorCode, error ?? '');
}

/** What a change means that moves no amount. */
function describeNoMovement({ count, before, otherCurrencies = [] }: PlanPreview): string {
  if (count !== 0) return '';
  return before === 0 && otherCurrencies.length === 0
    ? ' Nothing was earned in the period: to see its effect on real deals, preview one with deals, such as the last quarter.'
    : ' It changes the pay of no rep in the period.';
}

/** What refunds would take back after the change, by person. */
function describeTakenBack(refunds: NonNullable<PlanPreview['refunds']>): string {
  const taken = refunds.filter(({ after }) => after !== 0);
  if (taken.length === 0) return '';
  const listed = taken.slice(0, 5).map(({ name, after, currency }) => `${-after} ${currency} from ${name}`);
  const more = taken.length > listed.length ? ` and from ${taken.length - listed.length} more people` : '';
  return ` Refunds would take back ${listed.join(', ')}${more}.`;
}

export const previewPlanChange = operation({
  id: 'previewPlanChange',
  summary: 'What a change of a plan would do to commission, compared with the ledger; writes no commission',
  method: 'post',
  path: '/v1/plans/:planRef/preview',
  access: 'admin',
  scope: 'read',
  params,
  body,
  maxKeys: 100_000,
  response: planPreview,
  otherStatus: 202,
  failures: {
    plan_too_complex: 400,
    group_terms_differ: 400,
    schedule_must_total_100: 400,
    ...tableFailures,
    plan_not_found: 404,
    rep_not_found: 404,
    job_not_found: 404,
  },
  tool: {
    name: 'preview_plan_change',
    title: 'Preview plan change',
    hints: effects.reads,
    description: {
      purpose: 'What update_plan would move: commission before and after, by rep and deal, compared with the ledger.',
      useWhen: 'before update_plan or set_plan_status.',
      notFor: 'made-up deals (simulate_commissions).',
      formats: 'as in update_plan. byDeal has the largest changes first.',
      changes: 'nothing. locked shows what approved periods would owe.',
    },
    arguments: {
      planRef: 'As in update_plan',
      config: 'The whole new config',
      effectiveStart: firstDay('First day'),
      effectiveEnd: lastDay('Last day'),
      currency: { always: undefined },
      fx: { ...planArguments.fx, description: 'As in update_plan' },
      fieldMapping: { always: undefined },
      status: 'The new status',
      tests: { always: undefined },
      period: { description: 'The period to compare', required: true },
      from: { always: undefined },
      to: { always: undefined },
      repIds: 'Only these reps',
    },
    listsWithin: ['byDeal', 'byRep'],
    summary: (preview) => {
      const { status, delta, currency: paidIn, count, locked, refunds = [], warnings = [] } = preview;
      return status === 'running'
        ? 'The preview takes longer. Call again with a shorter period.'
        : `The change moves ${delta} ${paidIn} on ${count} deals; ${locked?.length} approved periods would owe.${describeTakenBack(refunds)} Nothing was written.${describeNoMovement(preview)}${describeWarnings({ warnings })}`;
    },
  },
  example: {
    params: { planRef: sampleIds.planId },
    body: { effectiveEnd: '2026-06-30', period: '2026-Q1' },
    response: planPreviewExample,
  },
  uses: { unitOfWork: UnitOfWork, jobs: JobStatuses, queue: JobQueue, clock: CLOCK },
  /** A worker calculates the preview. After 25 seconds the caller gets the job, which continues. */
  async execute(
    { params: { planRef }, body: request },
    caller,
    { unitOfWork, jobs, queue, clock },
  ): Promise<PlanPreview | Reply<PlanPreview>> {
    const jobId = await unitOfWork.write(caller, (tx) => storePreview(tx, caller, planRef, request, clock));
    await queue.add(wakeOf('preview'), { workspaceId: caller.workspaceId });
    const page = { limit: request.limit, offset: 0 };
    const preview = await pollUntil(
      () => jobs.find(caller, previewJobs, jobId),
      (found) => found?.status !== 'running',
      { maxWaitMs, pauseMs: 20, maxPauseMs: 100 },
    );
    if (preview === undefined) throw previewNotFound();
    assertSucceeded(preview);
    const result = await unitOfWork.read(caller, (tx) => findPreviewResult(tx, preview, page));
    const response = toPreviewResponse(preview, result, page);
    return preview.status === 'running' ? new Reply(202, response) : response;
  },
});
