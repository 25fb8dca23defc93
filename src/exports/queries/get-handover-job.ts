import { z } from 'zod';
import { pathIds } from '../../api/resource-fields.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { JobStatuses } from '../../platform/job-status/job-statuses.js';
import { operation } from '../../platform/operations/operation.js';
import { seesJob } from '../../statements/approval-jobs/approval-job.js';
import { handoverJob, handoverJobExample, handoverJobNotFound, toHandoverJobResponse } from '../handover-job.js';
import { handoverJobs } from '../handover-job-views.js';

const params = z.strictObject({ jobId: pathIds.jobId });

export const getHandoverJob = operation({
  id: 'getHandoverJob',
  summary: 'Status of the record of a hand-over, and the hand-over that it recorded',
  method: 'get',
  path: '/v1/payroll-handovers/jobs/:jobId',
  access: 'manager',
  payroll: true,
  params,
  response: handoverJob,
  failures: { job_not_found: 404 },
  example: { params: { jobId: sampleIds.jobId }, response: handoverJobExample },
  uses: { jobs: JobStatuses },
  async execute({ params: { jobId } }, caller, { jobs }) {
    const job = await jobs.find(caller, handoverJobs, jobId);
    if (job === undefined || !seesJob(caller, job.caller.repId)) throw handoverJobNotFound();
    return toHandoverJobResponse(job);
  },
});
