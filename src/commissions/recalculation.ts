import { z } from 'zod';
import { type CalculationJob } from '../ledger/calculation-jobs.js';

/** What a recalculation covers; of several ids the narrowest counts. */
export const scopeNames = ['deal', 'rep', 'plan', 'workspace'] as const;

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
  result: z.record(z.string(), z.unknown()).optional(),
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
    ...(job.result === null ? {} : { result: job.result as Record<string, unknown> }),
    ...(job.error === null ? {} : { error: job.error }),
  };
}
