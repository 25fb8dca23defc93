import { z } from 'zod';
import { fields } from '../../api/resource-fields.js';
import { storedJobFields, storedJobResponse } from '../../api/stored-job.js';
import { type Caller, maySee, readsAsAdmin } from '../../kernel/caller.js';
import { Failure } from '../../kernel/failure.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { type JobOutcomes } from '../../platform/stored-jobs/job-items.js';
import { type StoredJob } from '../../platform/stored-jobs/stored-job.js';

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

/** Statements of one approval. */
export const maxApproved = 10_000;

/** A statement as it was confirmed. */
export interface ConfirmedStatement {
  readonly repId: string;
  readonly version: number;
}

export interface ApprovalSubject {
  readonly force: boolean;
}

export type ApprovalJob = StoredJob<ApprovalSubject> & JobOutcomes;

/** The same shape as the other jobs, so that one client loop can wait for all of them. */
export const approvalJob = z
  .object({
    ...storedJobFields,
    kind: z.literal('approval').describe('Always approval'),
    approved: z.int().describe('Number of statements that were approved'),
    signed: z
      .int()
      .optional()
      .describe('Number of statements that were signed and wait for further steps; absent for none'),
    rejected: z
      .array(rejectedVersion)
      .describe('The statements that were not approved, each with the error that approveStatement returns for it'),
  })
  .describe('The approval of many statements in the background');

/** A manager whose team has changed does not see who was rejected outside of it. */
export function toJobResponse(job: ApprovalJob, caller: Caller): z.input<typeof approvalJob> {
  return {
    ...storedJobResponse(job),
    kind: 'approval',
    approved: job.done,
    // A statement of which further steps wait is skipped by the approval.
    ...(job.skipped === 0 ? {} : { signed: job.skipped }),
    rejected: job.failures.filter(({ repId }) => maySee(caller, repId)),
  };
}

/** The person whose jobs the caller may see; undefined for the jobs of everyone. */
export function seesJobsOf(caller: Caller): { readonly startedBy?: string } {
  return readsAsAdmin(caller) || caller.repId === null ? {} : { startedBy: caller.repId };
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
