import { z } from 'zod';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { operation } from '../../../platform/operations/operation.js';
import { period } from '../../../platform/operations/schemas.js';
import { approvalJob, approvalJobExample, seesJobsOf, toJobResponse } from '../approval-job.js';
import { findApprovalJobs } from '../approval-job-views.js';

const query = z.strictObject({ period: period.optional().describe('Only approvals of this period') });

export const listApprovalJobs = operation({
  id: 'listApprovalJobs',
  summary: 'List the latest approvals of many statements, newest first. Managers see those that they have started',
  method: 'get',
  path: '/v1/statements/approve/jobs',
  access: 'manager',
  query,
  response: z.object({
    jobs: z.array(approvalJob).describe('The jobs, latest first, up to 20'),
    count: z.int().describe('Number of jobs in the list'),
  }),
  failures: {},
  example: { query: { period: '2026-02' }, response: { jobs: [approvalJobExample], count: 1 } },
  uses: { unitOfWork: UnitOfWork },
  async execute({ query: { period: ofPeriod } }, caller, { unitOfWork }) {
    const wanted = { period: ofPeriod, ...seesJobsOf(caller) };
    const found = await unitOfWork.read(caller, (tx) => findApprovalJobs(tx, wanted));
    const jobs = found.map((job) => toJobResponse(job, caller));
    return { jobs, count: jobs.length };
  },
});
