import { inject, injectable } from 'tsyringe';
import { z } from 'zod';
import { pathIds } from '../../api/resource-fields.js';
import { type Caller } from '../../kernel/caller.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { type Download, type Input, operation } from '../../platform/operation.js';
import { exportFailures, workbookType } from '../export-job.js';
import { ExportRequests } from '../export-requests.js';

const params = z.strictObject({ jobId: pathIds.jobId });

@injectable()
export class GetExportFile {
  constructor(@inject(ExportRequests) private readonly requests: ExportRequests) {}

  async execute({ params: { jobId } }: Input<z.infer<typeof params>>, caller: Caller): Promise<Download> {
    return this.requests.fileOf(caller, await this.requests.find(caller, jobId));
  }
}

export const getExportFile = operation({
  id: 'getExportFile',
  summary: 'Download the file of an export, for one hour after it is finished',
  method: 'get',
  path: '/v1/statements/export/jobs/:jobId/file',
  access: 'rep',
  payroll: true,
  params,
  response: z.string(),
  files: ['application/pdf', workbookType, 'application/zip'],
  failures: { ...exportFailures, job_not_found: 404, export_not_ready: 409 },
  example: { params: { jobId: sampleIds.jobId } },
  handler: GetExportFile,
});
