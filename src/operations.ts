import { recalculateCommissions } from './commissions/commands/recalculate-commissions.js';
import { getRecalculationJob } from './commissions/queries/get-recalculation-job.js';
import { listRecalculationJobs } from './commissions/queries/list-recalculation-jobs.js';
import { createPlan } from './plans/commands/create-plan.js';
import { deletePlan } from './plans/commands/delete-plan.js';
import { deletePlanOverride } from './plans/commands/delete-plan-override.js';
import { setPlanOverride } from './plans/commands/set-plan-override.js';
import { setPlanStatus } from './plans/commands/set-plan-status.js';
import { updatePlan } from './plans/commands/update-plan.js';
import { getPlan } from './plans/queries/get-plan.js';
import { getPlanHistory } from './plans/queries/get-plan-history.js';
import { listPlanOverrides } from './plans/queries/list-plan-overrides.js';
import { listPlans } from './plans/queries/list-plans.js';
import { type AnyOperation } from './platform/operation.js';

/** Every operation of the API, in the order of the specification: the table of contents. */
export const operations: readonly AnyOperation[] = [
  recalculateCommissions,
  listRecalculationJobs,
  getRecalculationJob,
  listPlans,
  createPlan,
  getPlan,
  deletePlan,
  getPlanHistory,
  updatePlan,
  setPlanStatus,
  listPlanOverrides,
  setPlanOverride,
  deletePlanOverride,
];
