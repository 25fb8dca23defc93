import { z } from 'zod';
import { storedJobFields, storedJobResponse } from '../api/stored-job.js';
import { Failure } from '../kernel/failure.js';
import { sampleIds } from '../kernel/sample-ids.js';
import { type StoredJob } from '../platform/stored-jobs/stored-job.js';
import { type PayrollHandover, payrollHandover, payrollHandoverExample } from './payroll-handover.js';
import { type Layout, layouts, type Scope, scopes } from './payroll-layouts.js';

/** The request as it is stored beside its period. */
export interface HandoverSubject {
  readonly layout: Layout;
  readonly scope: Scope;
  readonly sha256?: string | undefined;
  readonly note?: string | undefined;
}

/** The hand-over without its lists of people, which can have several megabytes. */
const recorded = payrollHandover.pick({
  handoverId: true,
  filename: true,
  sha256: true,
  bytes: true,
  rowCount: true,
  totals: true,
});
export type Recorded = z.input<typeof recorded>;

export type HandoverJob = StoredJob<HandoverSubject, Recorded>;

export const handoverJob = z
  .object({
    ...storedJobFields,
    kind: z.literal('handover').describe('Always handover'),
    layout: z.enum(layouts).describe('Layout of the file'),
    scope: z.enum(scopes).describe('full: everyone in the period; new: only what is new'),
    handover: recorded
      .optional()
      .describe('The recorded hand-over, once the job is completed; GET /v1/payroll-handovers lists it in full'),
  })
  .describe('The record of a hand-over that a worker makes');

/** What the job stores of the hand-over. */
export function toRecorded({ handoverId, filename, sha256, bytes, rowCount, totals }: PayrollHandover): Recorded {
  return { handoverId, filename, sha256, bytes, rowCount, totals };
}

export function toHandoverJobResponse(job: HandoverJob): z.input<typeof handoverJob> {
  const { layout, scope } = job.subject;
  return {
    ...storedJobResponse(job),
    kind: 'handover',
    layout,
    scope,
    ...(job.result === null ? {} : { handover: job.result }),
  };
}

export function handoverJobNotFound(): Failure {
  return new Failure(
    'job_not_found',
    'There is no such hand-over in this workspace, or it ended more than seven days ago.',
  );
}

export const handoverJobExample = {
  jobId: sampleIds.jobId,
  kind: 'handover',
  status: 'completed',
  period: '2026-02',
  startedAt: '2026-03-02T08:59:54.000Z',
  finishedAt: '2026-03-02T09:00:00.000Z',
  progress: { done: 1, total: 1 },
  layout: 'generic',
  scope: 'full',
  handover: {
    handoverId: payrollHandoverExample.handoverId,
    filename: payrollHandoverExample.filename,
    sha256: payrollHandoverExample.sha256,
    bytes: payrollHandoverExample.bytes,
    rowCount: payrollHandoverExample.rowCount,
    totals: payrollHandoverExample.totals,
  },
} as const;
