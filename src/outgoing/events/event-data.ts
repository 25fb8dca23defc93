import { z } from 'zod';
import { fields } from '../../api/resource-fields.js';
import { eventTypes } from './event-types.js';

const nullableId = (what: string) => z.string().nullable().describe(`Id of the ${what} (UUID); null for none`);
const disputeId = z.string().describe('Id of the dispute (UUID)');
const discrepancyId = z.string().describe('Id of the discrepancy (UUID)');
const dealId = z.string().nullable().describe('Id of the deal in the CRM; null if it is about none');
const provider = z.string().describe('The CRM: crma (Attio), crmb (HubSpot) or crmc (Salesforce)');
const planStatus = z.string().describe('draft, active, archived or deleted');
const day = (what: string) => z.string().nullable().describe(`${what}, YYYY-MM-DD; null for none`);

const changedEvent = z
  .strictObject({
    eventId: fields.eventId.describe('Id of the commission event (UUID)'),
    kind: z.string().describe('Kind of the event: commission_earned, adjustment, clawback or true_up'),
    dealId,
    planId: nullableId('plan'),
    ruleName: z.string().nullable().describe('Name of the rule; null for entries of people'),
    status: z.enum(['earned', 'reversed', 'deleted']).describe('reversed and deleted events have the amount 0'),
    amount: z.number().describe('What the event pays now'),
    currency: fields.currency,
    period: fields.period,
    earnedOn: z.string().describe('Day of the event, YYYY-MM-DD'),
    previousAmount: z.number().describe('What it paid before the run'),
    previousCurrency: z.string().optional().describe('Currency before the run; absent for a new event'),
    previousPeriod: z.string().optional().describe('Period before the run; absent for a new event'),
  })
  .describe('An event whose amount, currency, period or day changed');

const statement = z.strictObject({
  repId: fields.repId,
  period: fields.period,
  version: z.int().describe('Version of the statement'),
  status: z.enum(['draft', 'approved']).describe('Status of the statement'),
  netPayout: z.number().describe('What the version earns in `currency`; without payouts what it pays'),
  pays: z
    .array(
      z
        .strictObject({
          currency: fields.currency,
          amount: z.number().nullable().describe('What is paid; null while an exchange rate is missing'),
        })
        .describe('What is paid in one currency'),
    )
    .optional()
    .describe('What the version pays, by the currency in which it is paid; absent without payouts'),
  earned: z
    .array(
      z
        .strictObject({ currency: fields.currency, amount: z.number().describe('What is earned') })
        .describe('What is earned in one currency'),
    )
    .optional()
    .describe('What the version earns in every currency with an amount; absent without payouts'),
  currency: fields.currency,
});

const policyVersion = z.strictObject({
  policy: z.string().describe('Name of the policy'),
  version: z.int().describe('Number of the version'),
});

const writeOff = z.strictObject({
  writeOffId: z.string().describe('Id of the write-off (UUID)'),
  repId: z.string().describe('Id of the person who owes (UUID)'),
});

const bookMonth = z.strictObject({
  month: z.string().describe('The month, YYYY-MM'),
  hash: z.string().describe('SHA-256 of its journal lines'),
  version: z.int().describe('Version of the closing'),
});

const endedJob = z.strictObject({
  jobId: fields.jobId,
  scope: z
    .looseObject({ scope: z.string().describe('deal, rep, plan or workspace') })
    .describe('What was calculated, with its id'),
  result: z.looseObject({}).nullable().describe('Counts of all runs, as GET /v1/commissions/recalculate/jobs has them'),
  error: z.string().nullable().describe('Why it failed; null if it did not'),
});

const adjustment = z.strictObject({
  adjustmentId: z.string().describe('Id of the proposed adjustment (UUID)'),
  repId: fields.repId,
  period: fields.period,
  status: z.string().describe('proposed, approved or rejected'),
  amount: z.number().describe('Amount in `currency`'),
  currency: fields.currency,
});

const planDecision = z.strictObject({
  planId: fields.planId,
  planVersionId: z.string().describe('Id of the version (UUID)'),
  repId: fields.repId,
  sha256: z.string().describe('SHA-256 of the document, in hexadecimal'),
});

/** The data of each type of outgoing event. */
export const eventData = {
  'commission.changed': z.strictObject({
    repId: fields.repId,
    runId: z.string().describe('Id of the run (UUID)'),
    events: z.array(changedEvent).describe('At most 1,000 events'),
    moreEvents: z.boolean().describe('Whether more events changed; GET /v1/commissions has them'),
  }),
  'statement.generated': statement,
  'statement.approved': statement,
  'statement.reopened': statement,
  'statement.signed': z.strictObject({
    repId: fields.repId,
    period: fields.period,
    version: z.int().describe('Version of the statement'),
    step: z.string().describe('Name of the step'),
    done: z.int().describe('Number of steps that are signed'),
    of: z.int().describe('Number of steps that the statement needs'),
    netPayout: z.number().describe('What the version earns in `currency`'),
    currency: fields.currency,
  }),
  'approval.due': z.strictObject({
    repId: fields.repId,
    period: fields.period,
    version: z.int().describe('Version of the statement'),
    step: z.string().describe('Name of the step'),
    due: day('Last day on which the step was not overdue'),
    signerIds: z.array(z.string()).describe('Ids of the people who may sign (UUID)'),
  }),
  'statement.trued_up': statement,
  'adjustment.proposed': adjustment,
  'adjustment.decided': adjustment,
  'dispute.opened': z.strictObject({
    disputeId,
    repId: fields.repId,
    period: fields.period,
    type: z.string().describe('What is wrong, such as wrong_amount'),
    dealId,
  }),
  'dispute.resolved': z.strictObject({
    disputeId,
    repId: fields.repId,
    period: fields.period,
    status: z.string().describe('accepted, rejected or withdrawn'),
  }),
  'discrepancy.opened': z.strictObject({
    discrepancyId,
    repId: fields.repId,
    period: fields.period,
    currency: fields.currency,
    delta: z.number().describe('What the approved period owes; negative if it paid too much'),
  }),
  'discrepancy.resolved': z.strictObject({
    discrepancyId,
    repId: fields.repId,
    period: fields.period,
    action: z.string().describe('true_up, carry_forward, dismiss, cleared (the delta became 0) or unlocked'),
  }),
  'plan.version_created': z.strictObject({
    planId: fields.planId,
    planVersionId: z.string().describe('Id of the version (UUID)'),
    version: z.int().describe('Number of the version'),
    status: planStatus,
    effectiveStart: day('First day of the version'),
    effectiveEnd: day('Last day of the version'),
  }),
  'plan.acceptance_requested': planDecision,
  'plan.accepted': planDecision,
  'plan.declined': planDecision,
  'plan.status_changed': z.strictObject({
    planId: fields.planId,
    planVersionId: nullableId('version whose status changed, and not that of the plan'),
    status: planStatus,
  }),
  'rate_table.changed': z.strictObject({
    name: z.string().describe('Name of the table'),
    revision: z.int().describe('Number of the change'),
    deleted: z.boolean().describe('Whether the change deleted the table'),
  }),
  'recalculation.completed': endedJob,
  'recalculation.failed': endedJob,
  'crm.sync_completed': endedJob.pick({ jobId: true, result: true }),
  'crm.connection_broken': z.strictObject({ provider, reason: z.string().describe('What the CRM responded') }),
  'crm.connection_recovered': z.strictObject({ provider }),
  'payable.released': z.strictObject({
    repId: fields.repId,
    dealId: z.string().describe('Id of the deal in the CRM'),
    currency: fields.currency,
    released: z.number().describe('What is released of the commission on the deal now'),
    change: z.number().describe('By how much that changed'),
  }),
  'payable.held': z.strictObject({
    holdId: z.string().describe('Id of the hold (UUID)'),
    repId: fields.repId,
    dealId,
    ruleName: z.string().nullable().describe('Name of the rule; null for all'),
    from: z.string().describe('First day of the hold, YYYY-MM-DD'),
    to: day('Last day of the hold'),
  }),
  'payout.paid': z.strictObject({
    batchId: z.string().describe('Id of the payout batch (UUID)'),
    repId: fields.repId,
    period: fields.period,
    currency: fields.currency,
    amount: z.number().describe('What the batch paid to the rep'),
    paidOn: z.string().describe('Day of the payment, YYYY-MM-DD'),
  }),
  'accounting.month_prepared': bookMonth.pick({ month: true, hash: true }),
  'accounting.month_closed': bookMonth,
  'accounting.month_reopened': bookMonth,
  'accounting.reopening_requested': bookMonth,
  'accounting.correction_found': z.strictObject({
    month: z.string().describe('The first open month, YYYY-MM'),
    corrections: z
      .array(
        z
          .strictObject({
            entity: z.string().describe('Code of the company'),
            currency: fields.currency,
            amount: z.number().describe('By how much what is owed has changed; negative if less is owed'),
          })
          .describe('The changes of closed months of a company in one currency'),
      )
      .describe('Sums that are not 0'),
  }),
  'accounting.entity_changed': z.strictObject({ entity: z.string().describe('Code of the company') }),
  'accounting.rep_entities_changed': z.strictObject({ repId: fields.repId }),
  'accounting.estimates_changed': z.strictObject({
    month: z.string().describe('The month, YYYY-MM'),
    count: z.int().describe('Number of its estimates'),
  }),
  'accounting.policy_proposed': policyVersion,
  'accounting.policy_approved': policyVersion,
  'accounting.write_off_proposed': writeOff,
  'accounting.write_off_approved': writeOff,
} satisfies Record<keyof typeof eventTypes, z.ZodType>;

/** An event as a receiver gets it. */
export type WebhookEvent = {
  [Type in keyof typeof eventData]: {
    readonly type: Type;
    readonly timestamp: string;
    readonly data: z.output<(typeof eventData)[Type]>;
  };
}[keyof typeof eventData];

/** The body of a delivery. */
export function describeEventBody(type: keyof typeof eventData): z.ZodType<unknown> {
  return z
    .strictObject({
      type: z.literal(type).describe('Type of the event'),
      timestamp: z.string().describe('When it happened, instant in ISO 8601'),
      data: eventData[type].describe('What happened, as ids, amounts and states'),
    })
    .describe(eventTypes[type]);
}
