import { z } from 'zod';
import { fields } from '../../api/resource-fields.js';
import { type Caller, maySee } from '../../kernel/caller.js';
import { Failure } from '../../kernel/failure.js';
import { type Period } from '../../kernel/period.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { type JobDeclaration } from '../../platform/jobs/job-queue.js';

/** A statement that was not approved. */
export const rejectedStatement = z
  .object({
    repId: fields.repId,
    code: z.string().describe('Error code'),
    message: z.string().describe('What is wrong and what to do'),
  })
  .describe('A statement that was not approved');
export type RejectedStatement = z.input<typeof rejectedStatement>;

const rejectedVersion = z
  .object({ ...rejectedStatement.shape, version: fields.version.describe('The version that was to be approved') })
  .describe('A statement that was not approved');
type RejectedVersion = z.input<typeof rejectedVersion>;

export interface ApprovalJob {
  readonly jobId: string;
  /** The rep who started it; null for a key of the workspace. */
  readonly startedBy: string | null;
  readonly period: Period;
  readonly status: 'running' | 'completed' | 'failed';
  readonly startedAt: Date;
  readonly finishedAt: Date | null;
  readonly progress: { readonly done: number; readonly total: number };
  readonly approved: number;
  readonly rejected: readonly RejectedVersion[];
  readonly error: string | null;
}

/** The same shape as the other jobs, so that one client loop can wait for all of them. */
export const approvalJob = z
  .object({
    jobId: fields.jobId,
    kind: z.literal('approval').describe('Always approval'),
    status: fields.jobStatus,
    period: fields.period,
    startedAt: fields.startedAt,
    finishedAt: fields.finishedAt.optional(),
    progress: fields.progress,
    approved: z.int().describe('Number of statements that were approved'),
    rejected: z
      .array(rejectedVersion)
      .describe('The statements that were not approved, each with the error that approveStatement returns for it'),
    error: z.string().optional().describe('Why the job failed; absent if it did not'),
  })
  .describe('The approval of many statements in the background');

/** A manager whose team has changed does not see who was rejected outside of it. */
export function toJobResponse(job: ApprovalJob, caller: Caller): z.input<typeof approvalJob> {
  const { jobId, status, period, startedAt, finishedAt, progress, approved, rejected, error } = job;
  return {
    jobId,
    kind: 'approval',
    status,
    period,
    startedAt: startedAt.toISOString(),
    ...(finishedAt === null ? {} : { finishedAt: finishedAt.toISOString() }),
    progress,
    approved,
    rejected: rejected.filter(({ repId }) => maySee(caller, repId)),
    ...(error === null ? {} : { error }),
  };
}

/** The person whose jobs the caller may see; undefined for the jobs of everyone. */
export function seesJobsOf({ accessLevel, repId }: Caller): { readonly startedBy?: string } {
  return accessLevel === 'admin' || repId === null ? {} : { startedBy: repId };
}

export function seesJob(caller: Caller, startedBy: string | null): boolean {
  const { startedBy: wanted } = seesJobsOf(caller);
  return wanted === undefined || wanted === startedBy;
}

export function approvalJobNotFound(): Failure {
  return new Failure(
    'job_not_found',
    'There is no such approval in this workspace, or it ended more than seven days ago.',
  );
}

/** Wakes a worker. The worker reads the approvals from the database. */
export const runApprovalsJob: JobDeclaration<{ workspaceId: string }> = {
  name: 'run-approvals.v1',
  payload: z.object({ workspaceId: z.uuid() }),
  attempts: 1,
  key: ({ workspaceId }) => `approvals.${workspaceId}`,
};

export const approvalJobExample = {
  jobId: sampleIds.jobId,
  kind: 'approval',
  status: 'completed',
  period: '2026-02',
  startedAt: '2026-03-03T09:00:00.000Z',
  finishedAt: '2026-03-03T09:00:04.000Z',
  progress: { done: 2, total: 2 },
  approved: 1,
  rejected: [
    {
      repId: sampleIds.managerId,
      code: 'statement_changed',
      message: 'Version 2 is not the latest version. Check version 3 and approve it.',
      version: 2,
    },
  ],
} as const;
