import { z } from 'zod';
import { listOf } from '../../platform/operations/list-of.js';
import { exportJob, exportJobExample, mayDownload, toJobResponse } from '../export-job.js';
import { findExportJobs } from '../export-views.js';

export const listExportJobs = listOf(
  {
    id: 'listExportJobs',
    summary: 'List the file exports of the last hour, newest first. Reps see exports of their own statement',
    path: '/v1/statements/export/jobs',
    access: 'rep',
    payroll: true,
    list: { name: 'jobs', items: z.array(exportJob).describe('The jobs, latest first'), counted: 'jobs in the list' },
    example: { items: [exportJobExample] },
  },
  async (tx, _input, caller) => (await findExportJobs(tx)).filter((job) => mayDownload(caller, job)).map(toJobResponse),
);
