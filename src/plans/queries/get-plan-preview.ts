import { z } from 'zod';
import { pathIds } from '../../api/resource-fields.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { JobStatuses } from '../../platform/job-status/job-statuses.js';
import { operation } from '../../platform/operations/operation.js';
import { planNotFound } from '../plan.js';
import {
  type PlanPreview,
  planPreview,
  planPreviewExample,
  previewNotFound,
  previewPage,
  toPreviewResponse,
} from '../plan-preview-response.js';
import { findPreviewResult, previewJobs } from '../plan-preview-views.js';
import { findPlanId } from '../plan-views.js';

const params = z.strictObject({ planRef: pathIds.planRef, jobId: pathIds.jobId });
const query = z.strictObject(previewPage);

export const getPlanPreview = operation({
  id: 'getPlanPreview',
  summary: 'Status and result of a preview, with one page of its deals',
  method: 'get',
  path: '/v1/plans/:planRef/preview/jobs/:jobId',
  access: 'admin',
  params,
  query,
  response: planPreview,
  failures: { plan_not_found: 404, job_not_found: 404 },
  example: {
    params: { planRef: sampleIds.planId, jobId: sampleIds.jobId },
    query: { limit: '100', offset: '0' },
    response: planPreviewExample,
  },
  uses: { unitOfWork: UnitOfWork, jobs: JobStatuses },
  async execute({ params: { planRef, jobId }, query: page }, caller, { unitOfWork, jobs }): Promise<PlanPreview> {
    const job = await jobs.find(caller, previewJobs, jobId);
    if (job?.planId === planRef && job.status === 'running') return toPreviewResponse(job, null, page);
    return unitOfWork.read(caller, async (tx) => {
      const planId = await findPlanId(tx, planRef);
      if (planId === undefined) throw planNotFound();
      if (job === undefined || job.planId !== planId) throw previewNotFound();
      return toPreviewResponse(job, await findPreviewResult(tx, job, page), page);
    });
  },
});
