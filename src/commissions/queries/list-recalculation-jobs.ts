import { z } from 'zod';
import { findJobs } from '../../ledger/requests/calculation-jobs.js';
import { listOf } from '../../platform/operations/list-of.js';
import { recalculationJob, recalculationJobExample, toJobResponse } from '../recalculation.js';

export const listRecalculationJobs = listOf(
  {
    id: 'listRecalculationJobs',
    summary: "The workspace's recalculations of the last six hours, newest first",
    path: '/v1/commissions/recalculate/jobs',
    access: 'admin',
    list: {
      name: 'jobs',
      items: z.array(recalculationJob).describe('The jobs, latest first'),
      counted: 'jobs in the list',
    },
    example: { items: [recalculationJobExample] },
  },
  async (tx) => (await findJobs(tx)).map(toJobResponse),
);
