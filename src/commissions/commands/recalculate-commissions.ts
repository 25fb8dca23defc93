import { z } from 'zod';
import { fields } from '../../api/resource-fields.js';
import { recordAuditEntry } from '../../audit/audit-entry.js';
import { allLines } from '../../deals/deal-credits.js';
import { type Caller } from '../../kernel/caller.js';
import { type Clock } from '../../kernel/clock.js';
import { allDays, currentDay, type DayRange, hull } from '../../kernel/day.js';
import { Failure } from '../../kernel/failure.js';
import { groupBy } from '../../kernel/group-by.js';
import { newId } from '../../kernel/ids.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { timeLimit } from '../../kernel/time-limit.js';
import { pollUntil } from '../../kernel/waiting.js';
import { loadWorkspaceTerms } from '../../ledger/input/rep-terms.js';
import { type RequestedLane, selectLanesToCalculate } from '../../ledger/lanes/lane-freshness.js';
import { blockedChanges } from '../../ledger/requests/blocked-changes.js';
import { type CalculationJob, completeJobIfDone, createJob, findJobs } from '../../ledger/requests/calculation-jobs.js';
import { CommissionChanges } from '../../ledger/requests/commission-changes.js';
import { type Recalculate } from '../../ledger/requests/recalculate.js';
import { type JobScope } from '../../ledger/tables.js';
import { findRepName } from '../../people/reps/rep-views.js';
import { findPlanId } from '../../plans/plan-views.js';
import { type Transaction, UnitOfWork } from '../../platform/database/unit-of-work.js';
import { failpoint } from '../../platform/failpoint.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { effects } from '../../platform/mcp/tool.js';
import { operation, payingNoOne, Reply } from '../../platform/operations/operation.js';
import { uuid } from '../../platform/operations/schemas.js';
import { dealNotFound } from '../deal-breakdown.js';
import { getRecalculationJob } from '../queries/get-recalculation-job.js';
import { jobFigures, type recalculationJob, scopeNames } from '../recalculation.js';

const body = z.strictObject({
  dealId: z.string().min(1).max(200).optional().describe('Only this deal, by its id in the CRM'),
  repId: uuid.optional().describe('Only this rep'),
  planId: uuid.optional().describe('Only the reps on this plan (UUID)'),
  async: z.boolean().default(false).describe('true: respond with the job at once; false: wait until it is complete'),
});
type Body = z.infer<typeof body>;

const response = z.object({
  triggered: z.boolean().describe('Whether a calculation was started'),
  count: z.int().optional().describe('Number of deals that were calculated'),
  eventsWritten: z.int().optional().describe('Number of commission events that were written'),
  eventsReversed: z.int().optional().describe('Number of commission events that were reversed'),
  statementLocked: z.boolean().optional().describe('Whether approved statements blocked changes'),
  blocked: blockedChanges.optional().describe('Present when approved statements blocked changes'),
  skipped: z.int().optional().describe('Number of deals to which no rule applies'),
  reason: z
    .string()
    .optional()
    .describe('Why the result is incomplete, such as statement_locked, or why the job failed'),
  async: z.boolean().optional().describe('Present when the job runs in the background'),
  jobId: fields.jobId.optional(),
  status: z.string().optional().describe('Status of the job'),
  startedAt: fields.startedAt.optional(),
  scope: z.enum(scopeNames).describe('What is calculated'),
});
type RecalculationResponse = z.infer<typeof response>;

/** The lanes to calculate, each with its days. */
interface Target {
  readonly scope: JobScope;
  readonly requests: readonly {
    readonly repId: string;
    readonly days: DayRange;
    readonly dealId?: string;
  }[];
  readonly deals: number;
  /**
   * Lanes with a current freshness mark, which are not calculated: the number of their deals, and of those that no
   * rule pays.
   */
  readonly fresh: { readonly lanes: number; readonly deals: number; readonly skipped: number };
}

const noFreshLanes = { lanes: 0, deals: 0, skipped: 0 };
const maxWaitMs = timeLimit(25_000);

async function waitFor(caller: Caller, jobId: string, unitOfWork: UnitOfWork): Promise<CalculationJob | null> {
  const [job] = await pollUntil(
    () => unitOfWork.read(caller, (tx) => findJobs(tx, jobId)),
    ([found]) => found !== undefined && found.status !== 'running',
    { maxWaitMs, pauseMs: 4, maxPauseMs: 100 },
  );
  return job === undefined || job.status === 'running' ? null : job;
}

async function startJob(tx: Transaction, recalculate: Recalculate, caller: Caller, target: Target) {
  const { actor } = caller;
  const scopeKey = `recalculation:${Object.entries(target.scope)
    .map(([key, value]) => `${key}=${value}`)
    .join('&')}`;
  const job = await createJob(tx, {
    kind: 'recalculation',
    scope: target.scope,
    scopeKey,
    actor,
    total: target.requests.length + target.fresh.lanes,
    deals: target.deals,
  });
  if (job.joined) return job;
  if (target.fresh.lanes > 0) await recordFreshLanes(tx, caller, target, job.jobId);
  await recalculate(target.requests.map((request) => ({ ...request, trigger: 'recalculation', jobId: job.jobId })));
  await failpoint('job.afterRequests');
  if (target.requests.length === 0) await completeJobIfDone(tx, job.jobId);
  return job;
}

/**
 * Writes one audit entry for the lanes that are not calculated, with the counts that their calculation would report.
 */
async function recordFreshLanes(
  tx: Transaction,
  caller: Caller,
  { scope, fresh }: Target,
  jobId: string,
): Promise<void> {
  const runId = newId();
  await recordAuditEntry(tx, caller, {
    runId,
    trigger: 'recalculation',
    scope: scope.scope,
    outcome: 'no_change',
    deals: fresh.deals,
    skipped: fresh.skipped,
    details: { freshReps: fresh.lanes },
  });
  await tx.db
    .insertInto('audit_run_jobs')
    .values({ workspace_id: tx.workspaceId, job_id: jobId, run_id: runId })
    .execute();
}

/** The narrowest of several ids applies: deal, then rep, then plan. Without an id it is the whole workspace. */
async function findTarget(tx: Transaction, { dealId, repId, planId }: Body, clock: Clock): Promise<Target> {
  if (dealId !== undefined) return dealTarget(tx, dealId);
  if (repId !== undefined) {
    if ((await findRepName(tx, repId)) === null)
      throw new Failure('rep_not_found', 'There is no such rep in this workspace.');
    return { scope: { scope: 'rep', repId }, requests: [{ repId, days: allDays }], deals: 0, fresh: noFreshLanes };
  }
  const today = currentDay(await loadWorkspaceTerms(tx), clock.now());
  const ofPlan = planId === undefined ? null : await findPlanId(tx, planId);
  if (ofPlan === undefined) throw new Failure('plan_not_found', 'There is no such plan in this workspace.');
  return {
    scope: ofPlan === null ? { scope: 'workspace' } : { scope: 'plan', planId: ofPlan },
    ...withoutFreshLanes(await selectLanesToCalculate(tx, ofPlan, today)),
  };
}

/**
 * Leaves out lanes with a current freshness mark. Used for plans and workspaces; a rep or a deal is always
 * calculated.
 */
function withoutFreshLanes(lanes: readonly RequestedLane[]): Omit<Target, 'scope'> {
  const fresh = lanes.flatMap(({ freshCounts }) => freshCounts ?? []);
  return {
    requests: lanes.filter(({ freshCounts }) => freshCounts === null).map(({ repId }) => ({ repId, days: allDays })),
    deals: 0,
    fresh: {
      lanes: fresh.length,
      deals: fresh.reduce((sum, { deals }) => sum + deals, 0),
      skipped: fresh.reduce((sum, { skipped }) => sum + skipped, 0),
    },
  };
}

/** A deal affects its owner, the people with a line on it, and every rep who has an event on it. */
async function dealTarget(tx: Transaction, dealId: string): Promise<Target> {
  const deal = await tx.db
    .selectFrom('deals')
    .select(['rep_id', 'close_date', 'credits'])
    .where('workspace_id', '=', tx.workspaceId)
    .where('deal_id', '=', dealId)
    .executeTakeFirst();
  if (deal === undefined) throw dealNotFound();
  const events = await tx.db
    .selectFrom('commission_events')
    .select(['rep_id', 'earned_on'])
    .where('workspace_id', '=', tx.workspaceId)
    .where('deal_key', '=', dealId)
    .execute();
  const affected = events.map((event) => ({ repId: event.rep_id, day: event.earned_on }));
  const people = allLines(deal.credits, deal.rep_id).flatMap(({ repId }) => repId ?? []);
  const day = deal.close_date;
  const own = day === null ? [] : people.map((repId) => ({ repId, day }));
  const byRep = groupBy([...own, ...affected], (request) => request.repId);
  const requests = [...byRep].map(([repId, ofRep]) => {
    const days = ofRep.map(({ day }) => ({ from: day, to: day })).reduce(hull);
    return { repId, dealId, days };
  });
  return { scope: { scope: 'deal', dealId }, requests, deals: own.length === 0 ? 0 : 1, fresh: noFreshLanes };
}

function toFinishedResponse(job: CalculationJob): RecalculationResponse {
  const {
    count = 0,
    eventsWritten = 0,
    eventsReversed = 0,
    statementLocked = false,
    skipped = 0,
    blocked,
  } = jobFigures.parse(job.result ?? {});
  return {
    triggered: true,
    jobId: job.jobId,
    status: job.status,
    count,
    eventsWritten,
    eventsReversed,
    statementLocked,
    ...(blocked === undefined ? {} : { blocked }),
    skipped,
    ...(job.error !== null ? { reason: job.error } : statementLocked ? { reason: 'statement_locked' } : {}),
    scope: job.scope.scope,
  };
}

export const recalculateCommissions = operation({
  id: 'recalculateCommissions',
  summary: 'Recompute commission of a deal, a rep, a plan or the workspace, now or as a job',
  method: 'post',
  path: '/v1/commissions/recalculate',
  access: 'admin',
  body,
  response,
  otherStatus: 202,
  failures: { rep_not_found: 404, plan_not_found: 404, deal_not_found: 404 },
  tool: {
    name: 'recalculate_commissions',
    title: 'Recalculate commissions',
    hints: effects.sets,
    description: {
      purpose: 'Recalculate the commission of a deal, a rep, everyone on a plan or the whole workspace. Always a job.',
      useWhen:
        'figures look out of date, or you must be sure that a change is included before you read them. Changes start their own calculation.',
      notFor: 'trying terms out (simulate_commissions).',
      formats:
        'give one of dealId, repId and planId, or none for the workspace; of several the narrowest applies. The answer has jobId: call get_recalculation_job after pollAfterSeconds until its status is completed.',
      changes:
        'incorrect commission is corrected; a second run changes nothing more. Approved statements block it for their rep and period.',
    },
    arguments: {
      dealId: "One deal, by the CRM's id (deal_id of list_deals)",
      repId: 'All deals of one rep (of list_reps)',
      planId: 'Everyone on a plan (planId of list_plans)',
      async: { always: true },
    },
    needsNoApproval: true,
    follow: {
      operation: getRecalculationJob,
      params: (started) => ({ jobId: String((started as RecalculationResponse).jobId) }),
      progress: (result) => {
        const { progress, status } = result as z.infer<typeof recalculationJob>;
        return { ...progress, isOver: status !== 'running' };
      },
    },
    summary: ({ jobId, scope, status }) =>
      status === 'running'
        ? `Job ${jobId} recalculates the ${scope}. get_recalculation_job returns its progress.`
        : `Job ${jobId} for the ${scope} is ${status}.`,
  },
  subject: payingNoOne,
  example: {
    body: { planId: sampleIds.planId, async: true },
    response: {
      triggered: true,
      async: true,
      jobId: sampleIds.jobId,
      status: 'running',
      scope: 'plan',
      startedAt: '2026-02-11T08:30:00.000Z',
    },
  },
  uses: { changes: CommissionChanges, unitOfWork: UnitOfWork, clock: CLOCK },
  /**
   * The calculation always runs through the queue. The synchronous form waits for the job; after 25 seconds it
   * returns 202 and the job continues.
   */
  async execute(
    { body: request },
    caller,
    { changes, unitOfWork, clock },
  ): Promise<RecalculationResponse | Reply<RecalculationResponse>> {
    const started = await changes.run(caller, 'none', async (tx, recalculate) => {
      const target = await findTarget(tx, request, clock);
      const job = await startJob(tx, recalculate, caller, target);
      return { ...job, scope: target.scope };
    });
    const running: RecalculationResponse = {
      triggered: true,
      async: true,
      jobId: started.jobId,
      status: 'running',
      scope: started.scope.scope,
      startedAt: started.startedAt.toISOString(),
    };
    if (request.async) return running;
    const job = await waitFor(caller, started.jobId, unitOfWork);
    return job === null ? new Reply(202, running) : toFinishedResponse(job);
  },
});
