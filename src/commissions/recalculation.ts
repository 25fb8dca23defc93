import { z } from 'zod';
import { fields } from '../api/resource-fields.js';
import { sampleIds } from '../kernel/sample-ids.js';
import { blockedChanges } from '../ledger/requests/blocked-changes.js';
import { type CalculationJob } from '../ledger/requests/calculation-jobs.js';

export const scopeNames = ['deal', 'rep', 'plan', 'workspace'] as const;

/** The figures of all runs of a job; absent while the job runs. */
export const jobFigures = z.looseObject({
  count: z.int().optional().describe('Number of deals that were calculated'),
  eventsWritten: z.int().optional().describe('Number of commission events that were written'),
  eventsReversed: z.int().optional().describe('Number of commission events that were reversed'),
  statementLocked: z.boolean().optional().describe('Whether approved statements blocked changes'),
  skipped: z.int().optional().describe('Number of deals to which no rule applies'),
  blocked: blockedChanges.optional(),
});

export const recalculationJob = z
  .object({
    jobId: fields.jobId,
    kind: z.string().describe('What started the job: recalculation, import, mapping or sync'),
    status: fields.jobStatus,
    scope: z.enum(scopeNames).describe('What is calculated'),
    dealId: fields.dealId.optional(),
    repId: fields.repId.optional(),
    planId: fields.planId.optional(),
    startedAt: fields.startedAt,
    finishedAt: fields.finishedAt.optional(),
    progress: fields.progress,
    result: jobFigures.optional().describe('What the job changed; a sync adds its own counts'),
    error: z.string().optional().describe('Why the job failed; absent if it did not'),
  })
  .describe('A recalculation in the background');

export function toJobResponse(job: CalculationJob): z.infer<typeof recalculationJob> {
  return {
    jobId: job.jobId,
    kind: job.kind,
    status: job.status,
    ...job.scope,
    startedAt: job.startedAt.toISOString(),
    ...(job.finishedAt === null ? {} : { finishedAt: job.finishedAt.toISOString() }),
    progress: job.progress,
    ...(job.result === null ? {} : { result: job.result as z.infer<typeof jobFigures> }),
    ...(job.error === null ? {} : { error: job.error }),
  };
}

export const recalculationJobExample = {
  jobId: sampleIds.jobId,
  kind: 'recalculation',
  status: 'completed',
  scope: 'plan',
  planId: sampleIds.planId,
  startedAt: '2026-02-11T08:30:00.000Z',
  finishedAt: '2026-02-11T08:30:02.000Z',
  progress: { done: 12, total: 12 },
};
