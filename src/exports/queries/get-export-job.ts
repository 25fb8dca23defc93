import { z } from 'zod';
import { pathIds } from '../../api/resource-fields.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { operation } from '../../platform/operations/operation.js';
import { exportJob, exportJobExample, toJobResponse } from '../export-job.js';
import { ExportRequests } from '../export-requests.js';

const params = z.strictObject({ jobId: pathIds.jobId });

export const getExportJob = operation({
  id: 'getExportJob',
  summary: 'Get the status and progress of an export, and the path of its file',
  method: 'get',
  path: '/v1/statements/export/jobs/:jobId',
  access: 'rep',
  payroll: true,
  params,
  response: exportJob,
  failures: { job_not_found: 404 },
  example: { params: { jobId: sampleIds.jobId }, response: exportJobExample },
  uses: { requests: ExportRequests },
  async execute({ params: { jobId } }, caller, { requests }) {
    return toJobResponse(await requests.find(caller, jobId));
  },
});
