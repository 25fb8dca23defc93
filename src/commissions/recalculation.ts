import { z } from 'zod';
import { sampleIds } from '../kernel/sample-ids.js';
import { blockedChanges } from '../ledger/blocked-changes.js';
import { type CalculationJob } from '../ledger/calculation-jobs.js';

/** What a recalculation covers. */
export const scopeNames = ['deal', 'rep', 'plan', 'workspace'] as const;

/** The figures of all runs of a job; absent while the job runs. */
export const jobFigures = z.looseObject({
  count: z.int().optional(),
  eventsWritten: z.int().optional(),
  eventsReversed: z.int().optional(),
  statementLocked: z.boolean().optional(),
  skipped: z.int().optional(),
  blocked: blockedChanges.optional(),
});

export const recalculationJob = z.object({
  jobId: z.string(),
  kind: z.string(),
  status: z.enum(['running', 'completed', 'failed']),
  scope: z.enum(scopeNames),
  dealId: z.string().optional(),
  repId: z.string().optional(),
  planId: z.string().optional(),
  startedAt: z.string(),
  finishedAt: z.string().optional(),
  progress: z.object({ done: z.int(), total: z.int() }),
  result: jobFigures.optional().describe('Figures of the job; a sync adds its own counts'),
  error: z.string().optional(),
});

export function jobAnswer(job: CalculationJob): z.infer<typeof recalculationJob> {
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
