import { createAssignments } from './assignments/commands/create-assignments.js';
import { deleteAssignment } from './assignments/commands/delete-assignment.js';
import { updateAssignment } from './assignments/commands/update-assignment.js';
import { listAssignments } from './assignments/queries/list-assignments.js';
import { listAuditLogs } from './audit/queries/list-audit-logs.js';
import { cleanupCommissions } from './commissions/commands/cleanup-commissions.js';
import { recalculateCommissions } from './commissions/commands/recalculate-commissions.js';
import { resetCommissions } from './commissions/commands/reset-commissions.js';
import { getCommissions, getCommissionsDashboard } from './commissions/queries/get-commissions.js';
import { getRecalculationJob } from './commissions/queries/get-recalculation-job.js';
import { listCommissionPeriods } from './commissions/queries/list-commission-periods.js';
import { listRecalculationJobs } from './commissions/queries/list-recalculation-jobs.js';
import { simulateCommissions } from './commissions/queries/simulate-commissions.js';
import { deleteDeal } from './deals/commands/delete-deal.js';
import { importDeals } from './deals/commands/import-deals.js';
import { putDeal } from './deals/commands/put-deal.js';
import { listDeals } from './deals/queries/list-deals.js';
import { saveFieldMapping } from './fields/commands/save-field-mapping.js';
import { getFieldMapping } from './fields/queries/get-field-mapping.js';
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
import { deleteQuota } from './quotas/commands/delete-quota.js';
import { setQuotas } from './quotas/commands/set-quotas.js';
import { listQuotas } from './quotas/queries/list-quotas.js';
import { updateRep } from './reps/commands/update-rep.js';
import { upsertReps } from './reps/commands/upsert-reps.js';
import { getRep } from './reps/queries/get-rep.js';
import { listReps } from './reps/queries/list-reps.js';
import { rotateWorkspaceKey } from './workspaces/commands/rotate-workspace-key.js';
import { updateWorkspace } from './workspaces/commands/update-workspace.js';
import { getWorkspace } from './workspaces/queries/get-workspace.js';
import { getWorkspaceKey } from './workspaces/queries/get-workspace-key.js';

/** Every operation of the API, in the order of the specification: the table of contents. */
export const operations: readonly AnyOperation[] = [
  getFieldMapping,
  saveFieldMapping,
  getCommissions,
  getCommissionsDashboard,
  listCommissionPeriods,
  recalculateCommissions,
  listRecalculationJobs,
  getRecalculationJob,
  simulateCommissions,
  cleanupCommissions,
  resetCommissions,
  listDeals,
  importDeals,
  putDeal,
  deleteDeal,
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
  listAssignments,
  createAssignments,
  updateAssignment,
  deleteAssignment,
  listQuotas,
  setQuotas,
  deleteQuota,
  listReps,
  upsertReps,
  getRep,
  updateRep,
  getWorkspace,
  updateWorkspace,
  getWorkspaceKey,
  rotateWorkspaceKey,
  listAuditLogs,
];
