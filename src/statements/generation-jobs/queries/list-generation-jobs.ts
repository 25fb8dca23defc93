import { z } from 'zod';
import { listOf } from '../../../platform/operations/list-of.js';
import { period } from '../../../platform/operations/schemas.js';
import { seesJobsOf } from '../../approval-jobs/approval-job.js';
import { generationJob, generationJobExample, toGenerationResponse } from '../generation-job.js';
import { findGenerationJobs } from '../generation-job-views.js';

const query = z.strictObject({ period: period.optional().describe('Only generations of this period') });

export const listGenerationJobs = listOf(
  {
    id: 'listGenerationJobs',
    summary: 'List the latest generations of many statements, newest first. Managers see those that they have started',
    path: '/v1/statements/generate/jobs',
    access: 'manager',
    query,
    list: {
      name: 'jobs',
      items: z.array(generationJob).describe('The jobs, latest first, up to 20'),
      counted: 'jobs in the list',
    },
    example: { query: { period: '2026-02' }, items: [generationJobExample] },
  },
  async (tx, { query: { period: ofPeriod } }, caller) => {
    const selected = { ...(ofPeriod === undefined ? {} : { period: ofPeriod }), ...seesJobsOf(caller) };
    return (await findGenerationJobs(tx, selected)).map((job) => toGenerationResponse(job, caller));
  },
);
