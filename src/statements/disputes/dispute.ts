import { z } from 'zod';
import { fields } from '../../api/resource-fields.js';
import { dealOutcome } from '../../commissions/deal-outcomes.js';
import { creditLine } from '../../deals/deal-credits.js';
import { commissionEvent } from '../../earnings/commission-event.js';
import { Failure } from '../../kernel/failure.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { personBehindKey } from '../../people/reps/author.js';
import { comment, commentExample } from '../comments/comment.js';
import { correction } from '../correction.js';
import { dealDifference } from '../discrepancies/deal-differences.js';
import { disputeTypes } from '../dispute-types.js';
import { statementStatuses } from '../statement.js';

export const disputeStatuses = ['open', 'in_review', 'accepted', 'rejected', 'withdrawn'] as const;
export type DisputeStatus = (typeof disputeStatuses)[number];

/** What a change of status may lead to. Accepted, rejected and withdrawn disputes do not change. */
const nextStatuses: Readonly<Record<DisputeStatus, readonly DisputeStatus[]>> = {
  open: ['in_review', 'accepted', 'rejected', 'withdrawn'],
  in_review: ['accepted', 'rejected', 'withdrawn'],
  accepted: [],
  rejected: [],
  withdrawn: [],
};

/** Rejects a status that does not follow the present one. */
export function assertMayFollow(present: DisputeStatus, next: DisputeStatus): void {
  const allowed = nextStatuses[present];
  if (allowed.includes(next)) return;
  const message =
    allowed.length === 0
      ? `The dispute is ${present} and cannot change. Open a new dispute.`
      : `A dispute that is ${present} can become ${allowed.join(', ')}, not ${next}.`;
  throw new Failure('invalid_transition', message, { status: present, allowed });
}

export function disputeNotFound(): Failure {
  return new Failure('dispute_not_found', 'There is no dispute with this id in this workspace.');
}

const person = personBehindKey.describe('The person who made the request, also with an API key that they created');

/** A statement may have more comments; a dispute shows the newest. */
export const maxThreadComments = 200;

/** The names of people and deals are left out: they are read where they are stored. */
const evidence = z
  .object({
    statement: z
      .object({
        status: z.enum(statementStatuses).describe('Status of the statement; none if no version was generated'),
        version: z.int().describe('Version number; 0 if no version was generated'),
        netPayout: z.number().describe('Net payout of that version, or of the ledger if none was generated'),
        currency: fields.currency,
      })
      .describe('The statement of the period'),
    deal: z
      .enum(['owned', 'team', 'not_owned', 'unknown'])
      .nullable()
      .describe(
        'owned: a deal that the rep owns or has a credit line on; team: the rep has rules for a deal of the people below; not_owned: another deal of the workspace, or of an earlier owner; unknown: no deal has the id, which reps see as not_owned; null without a deal',
      ),
    events: z
      .array(commissionEvent.omit({ repId: true, repName: true, dealName: true }).describe('A commission event'))
      .describe("The rep's commission events of the deal, or the disputed event, each with its trace"),
    outcomes: z
      .array(dealOutcome.omit({ repId: true }).describe('What one rule decided'))
      .describe("What each of the rep's rules decided about the deal, with the reasons why nothing was paid"),
    corrections: z
      .array(correction.omit({ repId: true, repName: true }).describe('A correction'))
      .describe('What true-ups and carried-forward differences had paid the rep for the deal'),
    openDifferences: z
      .array(dealDifference.omit({ repId: true, repName: true }).describe('A difference'))
      .describe("What the rep's approved periods owed for the deal"),
    credits: z
      .array(creditLine)
      .optional()
      .describe('Who was credited on the deal; absent if the whole deal was its owner’s, or is not visible to the rep'),
  })
  .describe('What the service had calculated when the dispute was opened. It does not change');
export type Evidence = z.input<typeof evidence>;

export const dispute = z
  .object({
    disputeId: z.string().describe('Id of the dispute (UUID)'),
    repId: fields.repId,
    repName: fields.repName,
    period: fields.period,
    dealId: fields.dealId.nullable(),
    dealName: fields.dealName.nullable(),
    eventId: fields.eventId.nullable(),
    type: z.enum(disputeTypes).describe('What is wrong'),
    status: z
      .enum(disputeStatuses)
      .describe('open and in_review wait for a decision; accepted, rejected and withdrawn are final'),
    expectedAmount: z.number().nullable().describe('Amount that the rep expects, in `currency`; null if not given'),
    currency: fields.currency,
    description: z.string().describe('What is wrong, in the words of who opened the dispute'),
    openedBy: person,
    openedAt: z.string().describe('When it was opened, instant in ISO 8601'),
    updatedAt: fields.updatedAt,
    adjustmentId: z
      .string()
      .nullable()
      .describe('Id of the adjustment that was created on acceptance (UUID); null for none'),
  })
  .describe('An objection to what a statement says');
export type Dispute = z.input<typeof dispute>;

export interface StoredDispute extends Dispute {
  /** Who approved the request of the agent that opened it (UUID); null for none. */
  readonly approvedById: string | null;
}

const step = z
  .object({
    status: z.enum(disputeStatuses).describe('The status after the step'),
    by: person,
    note: z.string().nullable().describe('Reason or message; null for none'),
    at: z.string().describe('When the step was taken, instant in ISO 8601'),
  })
  .describe('A step of a dispute');
export type DisputeStep = z.input<typeof step>;

export const disputeDetail = z
  .object({
    ...dispute.shape,
    evidence,
    history: z.array(step).describe('The steps, earliest first'),
    comments: z
      .array(comment)
      .describe(
        `The thread: the newest ${maxThreadComments} comments on the statement about the same deal, or about none, oldest first`,
      ),
  })
  .describe('A dispute with its evidence, history and thread');
export type DisputeDetail = z.input<typeof disputeDetail>;

export const disputeExample = {
  disputeId: sampleIds.disputeId,
  repId: sampleIds.repId,
  repName: 'Ben',
  period: '2026-02',
  dealId: sampleIds.dealId,
  dealName: 'Acme renewal',
  eventId: null,
  type: 'wrong_amount',
  status: 'open',
  expectedAmount: 1200,
  currency: 'USD',
  description: 'It was signed at 15,000.',
  openedBy: { repId: sampleIds.repId, name: 'Ben' },
  openedAt: '2026-03-02T09:30:00.000Z',
  updatedAt: '2026-03-02T09:30:00.000Z',
  adjustmentId: null,
} as const;

export const disputeDetailExample = {
  ...disputeExample,
  evidence: {
    statement: { status: 'draft', version: 1, netPayout: 10650, currency: 'USD' },
    deal: 'owned',
    events: [],
    outcomes: [],
    corrections: [],
    openDifferences: [],
  },
  history: [{ status: 'open', by: disputeExample.openedBy, note: null, at: disputeExample.openedAt }],
  comments: [commentExample],
} as const;
