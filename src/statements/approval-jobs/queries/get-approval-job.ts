import { z } from 'zod';
import { pathIds } from '../../../api/resource-fields.js';
import { isUuid } from '../../../kernel/ids.js';
import { sampleIds } from '../../../kernel/sample-ids.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { operation } from '../../../platform/operations/operation.js';
import { approvalJob, approvalJobExample, approvalJobNotFound, seesJobsOf, toJobResponse } from '../approval-job.js';
import { findApprovalJobs } from '../approval-job-views.js';

const params = z.strictObject({ jobId: pathIds.jobId });

export const getApprovalJob = operation({
  id: 'getApprovalJob',
  summary: 'Status and progress of an approval of many statements, and the statements that were not approved',
  method: 'get',
  path: '/v1/statements/approve/jobs/:jobId',
  access: 'manager',
  params,
  response: approvalJob,
  failures: { job_not_found: 404 },
  example: { params: { jobId: sampleIds.jobId }, response: approvalJobExample },
  uses: { unitOfWork: UnitOfWork },
  async execute({ params: { jobId } }, caller, { unitOfWork }) {
    if (!isUuid(jobId)) throw approvalJobNotFound();
    const wanted = { jobId, ...seesJobsOf(caller) };
    const [job] = await unitOfWork.read(caller, (tx) => findApprovalJobs(tx, wanted));
    if (job === undefined) throw approvalJobNotFound();
    return toJobResponse(job, caller);
  },
});
