import { inject, injectable } from 'tsyringe';
import { z } from 'zod';
import { pathIds } from '../../api/resource-fields.js';
import { type Caller } from '../../kernel/caller.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { type Input, operation } from '../../platform/operation.js';
import { exportJob, exportJobExample, jobAnswer } from '../export-job.js';
import { ExportRequests } from '../export-requests.js';

const params = z.strictObject({ jobId: pathIds.jobId });

@injectable()
export class GetExportJob {
  constructor(@inject(ExportRequests) private readonly requests: ExportRequests) {}

  async execute({ params: { jobId } }: Input<z.infer<typeof params>>, caller: Caller) {
    return jobAnswer(await this.requests.find(caller, jobId));
  }
}

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
  example: { params: { jobId: sampleIds.jobId }, answer: exportJobExample },
  handler: GetExportJob,
});
