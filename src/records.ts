import { type z } from 'zod';
import { auditRun } from './audit/audit-run.js';
import { repDashboard } from './commissions/dashboards/rep-dashboard.js';
import { teamOverview } from './commissions/dashboards/team-overview.js';
import { dealBreakdown } from './commissions/deal-breakdown.js';
import { recalculationJob } from './commissions/recalculation.js';
import { dealRecord } from './deals/deal.js';
import { commissionEvent } from './earnings/commission-event.js';
import { exportJob } from './exports/export-job.js';
import { describeEventBody } from './outgoing/events/event-data.js';
import { eventTypes } from './outgoing/events/event-types.js';
import { assignment } from './people/assignments/assignment.js';
import { rep } from './people/reps/rep.js';
import { planConfigRecord, planVersion, repOverrides } from './plans/plan.js';
import { quota } from './plans/quotas/quota.js';
import { planTemplate } from './plans/templates.js';
import { comment } from './statements/comments/comment.js';
import { lineItem, statement } from './statements/statement.js';
import { teamStatements } from './statements/team-statements.js';

const typesOfEvents = Object.keys(eventTypes) as (keyof typeof eventTypes)[];

/** Such as CommissionChangedEvent. */
function nameOfEvent(type: string): string {
  return `${type.replace(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase())}Event`;
}

/** The events that are sent to other systems, with the names of their schemas. */
export const describedEvents = Object.fromEntries(
  typesOfEvents.map((type) => [type, { summary: eventTypes[type], schema: nameOfEvent(type) }]),
);

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
  ...Object.fromEntries(typesOfEvents.map((type) => [nameOfEvent(type), describeEventBody(type)])),
};
