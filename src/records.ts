import { type z } from 'zod';
import { assignment } from './assignments/assignment.js';
import { auditRun } from './audit/audit-run.js';
import { comment } from './comments/comment.js';
import { dealBreakdown } from './commissions/deal-breakdown.js';
import { recalculationJob } from './commissions/recalculation.js';
import { repDashboard } from './dashboards/rep-dashboard.js';
import { teamOverview } from './dashboards/team-overview.js';
import { dealRecord } from './deals/deal.js';
import { commissionEvent } from './earnings/commission-event.js';
import { exportJob } from './exports/export-job.js';
import { planConfigRecord, planVersion, repOverrides } from './plans/plan.js';
import { planTemplate } from './plans/templates.js';
import { quota } from './quotas/quota.js';
import { rep } from './reps/rep.js';
import { lineItem, statement } from './statements/statement.js';
import { teamStatements } from './statements/team-statements.js';

/** Records that several operations return, by their names in the OpenAPI document. */
export const records: Readonly<Record<string, z.ZodType>> = {
  Assignment: assignment,
  AuditRun: auditRun,
  Comment: comment,
  CommissionEvent: commissionEvent,
  Deal: dealRecord,
  DealBreakdown: dealBreakdown,
  ExportJob: exportJob,
  PlanConfig: planConfigRecord,
  PlanTemplate: planTemplate,
  PlanVersion: planVersion,
  Quota: quota,
  RecalculationJob: recalculationJob,
  Rep: rep,
  RepDashboard: repDashboard,
  RepOverrides: repOverrides,
  Statement: statement,
  StatementLineItem: lineItem,
  TeamOverview: teamOverview,
  TeamStatements: teamStatements,
};
