import { z } from 'zod';
import { fields } from '../api/resource-fields.js';
import { storedJobResponse } from '../api/stored-job.js';
import { Failure } from '../kernel/failure.js';
import { sampleIds } from '../kernel/sample-ids.js';
import { wholeNumber } from '../platform/operations/schemas.js';
import { writtenPlan } from './plan.js';
import { type Page, type PreviewJob, type PreviewResult } from './plan-preview-views.js';
import { planWarnings } from './plan-warnings.js';

const movement = {
  currency: z.string().describe('Currency of the amounts, ISO 4217 code'),
  before: z.number().describe('Commission in open periods now'),
  after: z.number().describe('Commission in open periods after the change'),
  delta: z.number().describe('after minus before'),
};

const repMovement = z
  .object({ repId: fields.repId, name: z.string().describe('Name of the rep'), ...movement })
  .describe('What the change moves for one rep, in one currency');

const dealMovement = z
  .object({
    dealId: fields.dealId.nullable().describe('Id of the deal in the CRM; null for a rule that pays once per period'),
    refundId: z.string().optional().describe('The refund of the deal that takes the amount back'),
    period: z.string().optional().describe('The period of a rule that pays once per period'),
    name: z.string().nullable().describe('Name of the deal'),
    repId: fields.repId,
    ruleName: fields.ruleName,
    ...movement,
    reason: z.string().optional().describe('Why nothing is paid after the change, as a code'),
  })
  .describe('What the change moves for one deal and rule');

const lockedPeriod = z
  .object({
    repId: fields.repId,
    name: z.string().describe('Name of the rep'),
    period: z.string().describe('The approved period'),
    currency: movement.currency,
    delta: z.number().describe('What the approved period would owe in addition; negative if it paid too much'),
  })
  .describe('An approved period that the change would concern');

const payPeriodMovement = z
  .object({
    period: z.string().nullable().describe('The pay period; null for what waits for a day that is not known yet'),
    currency: movement.currency,
    before: z.number().describe('What its statements release now, of the amounts that move'),
    after: z.number().describe('What they release after the change'),
    delta: movement.delta,
  })
  .describe('What the change moves for one pay period, in one currency');

/** A preview. While the job runs, and if it failed, the figures are absent. */
export const planPreview = z
  .object({
    jobId: fields.jobId,
    status: fields.jobStatus,
    startedAt: fields.startedAt,
    finishedAt: fields.finishedAt.optional(),
    error: z.string().optional().describe('Why the job failed; absent if it did not'),
    currency: z.string().optional().describe('Currency of the plan after the change, ISO 4217 code'),
    before: z.number().optional().describe('Commission in open periods now, in `currency`'),
    after: z.number().optional().describe('Commission in open periods after the change, in `currency`'),
    delta: z.number().optional().describe('after minus before. Approved periods are not part of it'),
    otherCurrencies: z
      .array(z.object(movement).describe('The totals in one currency'))
      .optional()
      .describe('The totals in currencies other than `currency`; empty in most cases'),
    timeline: writtenPlan.shape.timeline.optional().describe('The days of each version after the change'),
    byRep: z.array(repMovement).optional().describe('Every rep with commission of the plan, largest change first'),
    refunds: z
      .array(repMovement)
      .optional()
      .describe(
        'The part of byRep that refunds take back, negative, by person; absent if they take nothing back now or after the change',
      ),
    byDeal: z.array(dealMovement).optional().describe('One page of the deals that move, largest change first'),
    count: z.int().optional().describe('Number of deals that move, on every page'),
    limit: fields.limit.optional(),
    offset: fields.offset.optional(),
    byPayPeriod: z
      .array(payPeriodMovement)
      .optional()
      .describe('What pay periods release, where it differs; the deltas add up to delta. Absent without payouts'),
    locked: z
      .array(lockedPeriod)
      .optional()
      .describe('What approved periods would owe. They do not change; a true-up would pay it'),
    warnings: planWarnings.optional(),
    overridesDropped: writtenPlan.shape.overridesDropped,
    testsPassed: z.boolean().optional().describe('Whether the tests of the version pass; absent if it has none'),
  })
  .describe('What a change of a plan would do to commission');
export type PlanPreview = z.input<typeof planPreview>;

/** The page of `byDeal`, in a query string. */
export const previewPage = {
  limit: wholeNumber(1, 500).default(100).describe('Max number of deals in byDeal, 1 to 500'),
  offset: wholeNumber(0, 1_000_000_000).default(0).describe('Number of deals to skip'),
};

export function toPreviewResponse(preview: PreviewJob, result: PreviewResult | null, page: Page): PlanPreview {
  const { period: _period, progress: _progress, ...job } = storedJobResponse(preview);
  if (result === null) return job;
  const { figures, repNames, dealNames } = result;
  const findName = (repId: string) => repNames.get(repId) ?? '';
  const { byRep, refunds, locked, otherCurrencies, byPayPeriod, ...same } = figures;
  return {
    ...job,
    ...same,
    otherCurrencies: [...otherCurrencies],
    byRep: byRep.map(({ repId, ...rest }) => ({ repId, name: findName(repId), ...rest })),
    ...(refunds === undefined
      ? {}
      : { refunds: refunds.map(({ repId, ...rest }) => ({ repId, name: findName(repId), ...rest })) }),
    byDeal: result.page.map(({ dealId, ...rest }) => ({
      dealId,
      name: dealId === null ? null : (dealNames.get(dealId) ?? null),
      ...rest,
    })),
    count: result.count,
    ...page,
    ...(byPayPeriod === undefined ? {} : { byPayPeriod: [...byPayPeriod] }),
    locked: locked.map(({ repId, ...rest }) => ({ repId, name: findName(repId), ...rest })),
  };
}

export function previewNotFound(): Failure {
  return new Failure('job_not_found', 'This preview does not exist, or it finished more than an hour ago.');
}

export const planPreviewExample = {
  jobId: sampleIds.jobId,
  status: 'completed',
  startedAt: '2026-03-01T08:10:00.000Z',
  finishedAt: '2026-03-01T08:10:01.000Z',
  currency: 'USD',
  before: 1000,
  after: 1200,
  delta: 200,
  otherCurrencies: [],
  timeline: [{ planVersionId: sampleIds.planVersionId, version: 2, from: '2026-01-01', to: null }],
  byRep: [{ repId: sampleIds.repId, name: 'Ben', currency: 'USD', before: 1000, after: 1200, delta: 200 }],
  byDeal: [
    {
      dealId: 'D-1001',
      name: 'Acme',
      repId: sampleIds.repId,
      ruleName: 'New business',
      currency: 'USD',
      before: 1000,
      after: 1200,
      delta: 200,
    },
  ],
  count: 1,
  limit: 100,
  offset: 0,
  locked: [],
  warnings: [],
  overridesDropped: [],
} as const;
