import { z } from 'zod';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { operation } from '../../platform/operations/operation.js';
import { exportJob, exportJobExample, mayDownload, toJobResponse } from '../export-job.js';
import { findExportJobs } from '../export-views.js';

export const listExportJobs = operation({
  id: 'listExportJobs',
  summary: 'List the file exports of the last hour, newest first. Reps see exports of their own statement',
  method: 'get',
  path: '/v1/statements/export/jobs',
  access: 'rep',
  payroll: true,
  response: z.object({
    jobs: z.array(exportJob).describe('The jobs, latest first'),
    count: z.int().describe('Number of jobs in the list'),
  }),
  failures: {},
  example: { response: { jobs: [exportJobExample], count: 1 } },
  uses: { unitOfWork: UnitOfWork },
  async execute(_input, caller, { unitOfWork }) {
    const found = await unitOfWork.read(caller, (tx) => findExportJobs(tx));
    const jobs = found.filter((job) => mayDownload(caller, job)).map(toJobResponse);
    return { jobs, count: jobs.length };
  },
});
