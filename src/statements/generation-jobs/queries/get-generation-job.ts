import { z } from 'zod';
import { pathIds } from '../../../api/resource-fields.js';
import { isUuid } from '../../../kernel/ids.js';
import { sampleIds } from '../../../kernel/sample-ids.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { operation } from '../../../platform/operations/operation.js';
import { seesJobsOf } from '../../approval-jobs/approval-job.js';
import { generationJob, generationJobExample, generationJobNotFound, toGenerationResponse } from '../generation-job.js';
import { findGenerationJobs } from '../generation-job-views.js';

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
  uses: { unitOfWork: UnitOfWork },
  async execute({ params: { jobId } }, caller, { unitOfWork }) {
    if (!isUuid(jobId)) throw generationJobNotFound();
    const wanted = { jobId, ...seesJobsOf(caller) };
    const [job] = await unitOfWork.read(caller, (tx) => findGenerationJobs(tx, wanted));
    if (job === undefined) throw generationJobNotFound();
    return toGenerationResponse(job, caller);
  },
});
