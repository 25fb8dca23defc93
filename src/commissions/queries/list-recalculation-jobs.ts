import { z } from 'zod';
import { findJobs } from '../../ledger/requests/calculation-jobs.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { operation } from '../../platform/operations/operation.js';
import { recalculationJob, recalculationJobExample, toJobResponse } from '../recalculation.js';

export const listRecalculationJobs = operation({
  id: 'listRecalculationJobs',
  summary: "The workspace's recalculations of the last six hours, newest first",
  method: 'get',
  path: '/v1/commissions/recalculate/jobs',
  access: 'admin',
  response: z.object({
    jobs: z.array(recalculationJob).describe('The jobs, latest first'),
    count: z.int().describe('Number of jobs in the list'),
  }),
  failures: {},
  example: { response: { jobs: [recalculationJobExample], count: 1 } },
  uses: { unitOfWork: UnitOfWork },
  async execute(_input, caller, { unitOfWork }) {
    const jobs = await unitOfWork.read(caller, (tx) => findJobs(tx));
    return { jobs: jobs.map(toJobResponse), count: jobs.length };
  },
});
