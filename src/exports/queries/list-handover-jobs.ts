import { z } from 'zod';
import { listOf } from '../../platform/operations/list-of.js';
import { period } from '../../platform/operations/schemas.js';
import { seesJobsOf } from '../../statements/approval-jobs/approval-job.js';
import { handoverJob, handoverJobExample, toHandoverJobResponse } from '../handover-job.js';
import { findHandoverJobs } from '../handover-job-views.js';

const query = z.strictObject({ period: period.optional().describe('Only hand-overs of this period') });

export const listHandoverJobs = listOf(
  {
    id: 'listHandoverJobs',
    summary: 'List the latest hand-overs that workers record, newest first. Managers see those that they have started',
    path: '/v1/payroll-handovers/jobs',
    access: 'manager',
    payroll: true,
    query,
    list: {
      name: 'jobs',
      items: z.array(handoverJob).describe('The jobs, latest first, up to 20'),
      counted: 'jobs in the list',
    },
    example: { query: { period: '2026-02' }, items: [handoverJobExample] },
  },
  async (tx, { query: { period: ofPeriod } }, caller) =>
    (await findHandoverJobs(tx, { period: ofPeriod, ...seesJobsOf(caller) })).map(toHandoverJobResponse),
);
