import { pathIds } from '../../api/resource-fields.js';
import { JobStatuses } from '../../platform/job-status/job-statuses.js';
import { operation } from '../../platform/operations/operation.js';
import {
  preparationJob,
  preparationJobExample,
  preparationJobNotFound,
  preparationJobs,
  toPreparationResponse,
} from '../preparation-job.js';
import { monthParams } from './get-accounting-month.js';

export const getPreparationJob = operation({
  id: 'getPreparationJob',
  summary: 'Status and progress of the preparation of a large month',
  method: 'get',
  path: '/v1/accounting/months/:month/prepare/jobs/:jobId',
  access: 'admin',
  payroll: true,
  scope: 'payroll',
  params: monthParams.extend({ jobId: pathIds.jobId }),
  response: preparationJob,
  failures: { job_not_found: 404 },
  example: {
    params: { month: preparationJobExample.period, jobId: preparationJobExample.jobId },
    response: preparationJobExample,
  },
  uses: { jobs: JobStatuses },
  async execute({ params: { month, jobId } }, caller, { jobs }) {
    const job = await jobs.find(caller, preparationJobs, jobId);
    if (job === undefined || job.period !== month) throw preparationJobNotFound();
    return toPreparationResponse(job);
  },
});
