import { z } from 'zod';
import { listOf } from '../../../platform/operations/list-of.js';
import { period } from '../../../platform/operations/schemas.js';
import { approvalJob, approvalJobExample, seesJobsOf, toJobResponse } from '../approval-job.js';
import { findApprovalJobs } from '../approval-job-views.js';

const query = z.strictObject({ period: period.optional().describe('Only approvals of this period') });

export const listApprovalJobs = listOf(
  {
    id: 'listApprovalJobs',
    summary: 'List the latest approvals of many statements, newest first. Managers see those that they have started',
    path: '/v1/statements/approve/jobs',
    access: 'manager',
    query,
    list: {
      name: 'jobs',
      items: z.array(approvalJob).describe('The jobs, latest first, up to 20'),
      counted: 'jobs in the list',
    },
    example: { query: { period: '2026-02' }, items: [approvalJobExample] },
  },
  async (tx, { query: { period: ofPeriod } }, caller) => {
    const found = await findApprovalJobs(tx, { period: ofPeriod, ...seesJobsOf(caller) });
    return found.map((job) => toJobResponse(job, caller));
  },
);
