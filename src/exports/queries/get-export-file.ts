import { z } from 'zod';
import { pathIds } from '../../api/resource-fields.js';
import { seesTeam } from '../../kernel/caller.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { type Download, operation } from '../../platform/operations/operation.js';
import { exportFailures, workbookType } from '../export-job.js';
import { ExportRequests } from '../export-requests.js';

const params = z.strictObject({ jobId: pathIds.jobId });

export const getExportFile = operation({
  id: 'getExportFile',
  summary: 'Download the file of an export, for one hour after it is finished',
  method: 'get',
  path: '/v1/statements/export/jobs/:jobId/file',
  access: 'rep',
  payroll: true,
  stepUp: (_input, caller) => seesTeam(caller),
  params,
  response: z.string(),
  files: ['application/pdf', workbookType, 'application/zip', 'text/csv'],
  failures: { ...exportFailures, job_not_found: 404, export_not_ready: 409 },
  example: { params: { jobId: sampleIds.jobId } },
  uses: { requests: ExportRequests },
  async execute({ params: { jobId } }, caller, { requests }): Promise<Download> {
    return requests.openFile(caller, await requests.find(caller, jobId));
  },
});
