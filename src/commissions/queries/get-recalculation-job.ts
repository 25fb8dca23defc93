import { z } from 'zod';
import { pathIds } from '../../api/resource-fields.js';
import { Failure } from '../../kernel/failure.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { calculationJobs } from '../../ledger/requests/calculation-jobs.js';
import { JobStatuses } from '../../platform/job-status/job-statuses.js';
import { effects } from '../../platform/mcp/tool.js';
import { operation } from '../../platform/operations/operation.js';
import { recalculationJob, recalculationJobExample, toJobResponse } from '../recalculation.js';

const params = z.strictObject({ jobId: pathIds.jobId });

export const getRecalculationJob = operation({
  id: 'getRecalculationJob',
  summary: 'Status, progress and result of a recalculation',
  method: 'get',
  path: '/v1/commissions/recalculate/jobs/:jobId',
  access: 'admin',
  params,
  response: recalculationJob,
  failures: { job_not_found: 404 },
  tool: {
    name: 'get_recalculation_job',
    title: 'Get recalculation job',
    hints: effects.reads,
    description: {
      purpose: 'Status, progress and result of a recalculation.',
      useWhen: 'recalculate_commissions returned a jobId, until it ends.',
      notFor: 'what people earn now (get_commissions).',
      formats: 'A job is available for six hours after its end.',
      changes: 'nothing.',
    },
    arguments: { jobId: 'Of recalculate_commissions' },
    summary: ({ jobId, status, progress }) => `Job ${jobId} is ${status}: ${progress.done} of ${progress.total} reps.`,
  },
  example: { params: { jobId: sampleIds.jobId }, response: recalculationJobExample },
  uses: { jobs: JobStatuses },
  async execute({ params: { jobId } }, caller, { jobs }) {
    const job = await jobs.find(caller, calculationJobs, jobId);
    if (job === undefined)
      throw new Failure(
        'job_not_found',
        'There is no such recalculation job in this workspace, or it ended more than six hours ago.',
      );
    return toJobResponse(job);
  },
});
