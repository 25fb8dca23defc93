import { z } from 'zod';
import { pathId } from '../platform/operations/schemas.js';

/** Fields of responses that several resources have, with the description that all of them share. */
export const fields = {
  workspaceId: z.string().describe('Id of the workspace (UUID)'),
  repId: z.string().describe('Id of the rep (UUID)'),
  repName: z.string().describe('Name of the rep'),
  email: z.string().describe('E-mail address of the rep, in lower case'),
  planId: z.string().describe('Id of the plan (UUID), the same for all of its versions'),
  planName: z.string().describe('Name of the plan'),
  planVersionId: z.string().describe('Id of the plan version (UUID)'),
  ruleId: z.string().describe('Id of the rule in its plan version (UUID)'),
  ruleName: z.string().describe('Name of the rule, which identifies it across versions of the plan'),
  rampId: z.string().describe('Id of the ramp (UUID)'),
  absenceId: z.string().describe('Id of the absence (UUID)'),
  assignmentId: z.string().describe('Id of the assignment (UUID)'),
  statementId: z.string().describe('Id of this version of the statement (UUID)'),
  jobId: z.string().describe('Id of the job (UUID)'),
  eventId: z.string().describe('Id of the commission event (UUID)'),
  dealId: z.string().describe('Id of the deal in the CRM'),
  dealName: z.string().describe('Name of the deal'),
  ownerId: z.string().describe("Id of the deal's owner in the CRM"),
  stage: z.string().describe('Stage of the deal, as the CRM names it'),
  closeDate: z.string().describe('Close date of the deal, YYYY-MM-DD'),
  tierName: z.string().describe('Name of the tier that paid'),
  period: z
    .string()
    .describe('Month 2026-03, quarter 2026-Q1, half-year 2026-H1, year 2026, or of a fiscal year, such as FY2026-Q1'),
  currency: z.string().describe('Currency of the amounts, ISO 4217 code such as USD'),
  effectiveStart: z.string().describe('First day, YYYY-MM-DD; null for no earliest day'),
  effectiveEnd: z.string().describe('Last day, YYYY-MM-DD; null for no end'),
  timezone: z.string().describe('IANA time zone, such as Europe/Berlin'),
  createdAt: z.string().describe('When it was created, instant in ISO 8601'),
  updatedAt: z.string().describe('When it was last changed, instant in ISO 8601'),
  startedAt: z.string().describe('When it started, instant in ISO 8601'),
  finishedAt: z.string().describe('When it finished, instant in ISO 8601; absent while it runs'),
  generatedAt: z.string().describe('When this version was generated, instant in ISO 8601; null if there is none'),
  rate: z.number().describe('Share of the base: 0.08 is 8 %'),
  flatAmount: z.number().describe('Fixed amount instead of a rate, in the currency of the plan'),
  tierIndex: z.int().describe('Position of the tier in its rule, from 0'),
  minThreshold: z.number().describe('Where the tier begins: a ratio of the quota (1 is 100 %), a value or a rank'),
  attainment: z.number().describe('Credit divided by the target: 1 is 100 %'),
  credit: z.number().describe('What counts towards the quota, in the unit of the measure'),
  measure: z.string().describe("Attainment key: the rule's quotaGroup, otherwise its name"),
  version: z.int().describe('Version number, from 1'),
  /** Fields of a page. */
  count: z.int().describe('Number of all items that match, on every page'),
  limit: z.int().describe('Max number of items on this page'),
  offset: z.int().describe('Number of items before this page'),
  /** Fields of a background job. */
  progress: z
    .object({ done: z.int().describe('Units of work that are done'), total: z.int().describe('All units of work') })
    .describe('Progress of the job'),
  jobStatus: z.enum(['running', 'completed', 'failed']).describe('Status of the job'),
};

/** What a page says besides its items. */
export const pageFields = { count: fields.count, limit: fields.limit, offset: fields.offset };

/** Ids in paths. */
export const pathIds = {
  repId: pathId.describe('Id of the rep (UUID)'),
  planId: pathId.describe('Id of the plan (UUID)'),
  planRef: pathId.describe('Id of a plan, for its version in force, or of a plan version (UUID)'),
  planVersionId: pathId.describe('Id of the plan version (UUID)'),
  rampId: pathId.describe('Id of the ramp (UUID)'),
  absenceId: pathId.describe('Id of the absence (UUID)'),
  batchId: pathId.describe('Id of the payout batch (UUID)'),
  holdId: pathId.describe('Id of the hold (UUID)'),
  drawId: pathId.describe('Id of the draw (UUID)'),
  assignmentId: pathId.describe('Id of the assignment (UUID)'),
  creditRuleId: pathId.describe('Id of the credit rule (UUID)'),
  quotaId: pathId.describe('Id of the quota (UUID)'),
  jobId: pathId.describe('Id of the job (UUID)'),
  importId: pathId.describe('Id of the import (UUID)'),
  adjustmentId: pathId.describe('Id of the adjustment (UUID): the eventId of its commission event'),
  commentId: pathId.describe('Id of the comment (UUID)'),
  discrepancyId: pathId.describe('Id of the discrepancy (UUID)'),
  disputeId: pathId.describe('Id of the dispute (UUID)'),
  eventId: pathId.describe('Id of the commission event (UUID)'),
};
