import { z } from 'zod';
import { pathIds } from '../../../api/resource-fields.js';
import { sampleIds } from '../../../kernel/sample-ids.js';
import { JobStatuses } from '../../../platform/job-status/job-statuses.js';
import { operation } from '../../../platform/operations/operation.js';
import { approvalJob, approvalJobExample, approvalJobNotFound, seesJob, toJobResponse } from '../approval-job.js';
import { approvalJobs } from '../approval-job-views.js';

const params = z.strictObject({ jobId: pathIds.jobId });

export const getApprovalJob = operation({
  id: 'getApprovalJob',
  summary: 'Status and progress of an approval of many statements, and the statements that were not approved',
  method: 'get',
  path: '/v1/statements/approve/jobs/:jobId',
  access: 'manager',
  params,
  response: approvalJob,
  failures: { job_not_found: 404 },
  example: { params: { jobId: sampleIds.jobId }, response: approvalJobExample },
  uses: { jobs: JobStatuses },
  async execute({ params: { jobId } }, caller, { jobs }) {
    const job = await jobs.find(caller, approvalJobs, jobId);
    if (job === undefined || !seesJob(caller, job.caller.repId)) throw approvalJobNotFound();
    return toJobResponse(job, caller);
  },
});
