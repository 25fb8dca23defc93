import { z } from 'zod';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { operation } from '../../../platform/operations/operation.js';
import { period } from '../../../platform/operations/schemas.js';
import { seesJobsOf } from '../../approval-jobs/approval-job.js';
import { generationJob, generationJobExample, toGenerationResponse } from '../generation-job.js';
import { findGenerationJobs } from '../generation-job-views.js';

const query = z.strictObject({ period: period.optional().describe('Only generations of this period') });

export const listGenerationJobs = operation({
  id: 'listGenerationJobs',
  summary: 'List the latest generations of many statements, newest first. Managers see those that they have started',
  method: 'get',
  path: '/v1/statements/generate/jobs',
  access: 'manager',
  query,
  response: z.object({
    jobs: z.array(generationJob).describe('The jobs, latest first, up to 20'),
    count: z.int().describe('Number of jobs in the list'),
  }),
  failures: {},
  example: { query: { period: '2026-02' }, response: { jobs: [generationJobExample], count: 1 } },
  uses: { unitOfWork: UnitOfWork },
  async execute({ query: { period: ofPeriod } }, caller, { unitOfWork }) {
    const wanted = { ...(ofPeriod === undefined ? {} : { period: ofPeriod }), ...seesJobsOf(caller) };
    const found = await unitOfWork.read(caller, (tx) => findGenerationJobs(tx, wanted));
    const jobs = found.map((job) => toGenerationResponse(job, caller));
    return { jobs, count: jobs.length };
  },
});
