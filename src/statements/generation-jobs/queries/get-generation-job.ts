import { z } from 'zod';
import { pathIds } from '../../../api/resource-fields.js';
import { sampleIds } from '../../../kernel/sample-ids.js';
import { JobStatuses } from '../../../platform/job-status/job-statuses.js';
import { operation } from '../../../platform/operations/operation.js';
import { seesJob } from '../../approval-jobs/approval-job.js';
import { generationJob, generationJobExample, generationJobNotFound, toGenerationResponse } from '../generation-job.js';
import { generationJobs } from '../generation-job-views.js';

const params = z.strictObject({ jobId: pathIds.jobId });

export const getGenerationJob = operation({
  id: 'getGenerationJob',
  summary: 'Status and progress of the generation of many statements, and the reps whose statement failed',
  method: 'get',
  path: '/v1/statements/generate/jobs/:jobId',
  access: 'manager',
  params,
  response: generationJob,
  failures: { job_not_found: 404 },
  example: { params: { jobId: sampleIds.jobId }, response: generationJobExample },
  uses: { jobs: JobStatuses },
  async execute({ params: { jobId } }, caller, { jobs }) {
    const job = await jobs.find(caller, generationJobs, jobId);
    if (job === undefined || !seesJob(caller, job.caller.repId)) throw generationJobNotFound();
    return toGenerationResponse(job, caller);
  },
});
