import { z } from 'zod';
import { fields } from '../../api/resource-fields.js';
import { Failure } from '../../kernel/failure.js';
import { sampleIds } from '../../kernel/sample-ids.js';

const person = z.object({ repId: fields.repId, name: z.string().describe('Name of the person') }).describe('A person');

/** An adjustment that does not count before another person has approved it. */
export const proposal = z
  .object({
    adjustmentId: z.string().describe('Id of the proposed adjustment (UUID)'),
    repId: fields.repId,
    repName: fields.repName,
    period: fields.period,
    kind: z.enum(['adjustment', 'clawback']).describe('clawback: takes money back'),
    amount: z.number().describe('Amount in `currency`, which counts once it is approved'),
    currency: fields.currency,
    dealId: fields.dealId.nullable(),
    reason: z.string().describe('Why, for the rep to read'),
    status: z.enum(['proposed', 'approved', 'rejected']).describe('Only an approved one counts'),
    proposedAt: z.string().describe('When it was proposed, instant in ISO 8601'),
    proposedBy: person.optional().describe('Who proposed it; absent for reps, and for a key of the command line'),
    deciders: z.array(person).optional().describe('Who may decide now; absent for reps and once it is decided'),
    mayDecide: z.literal(true).optional().describe('The caller may decide'),
    decidedAt: z.string().optional().describe('When it was decided, instant in ISO 8601; absent before'),
    decidedBy: person.optional().describe('Who decided; absent for reps'),
    decisionReason: z.string().optional().describe('Why it was decided so; absent without a reason'),
    eventId: z.string().optional().describe('The event that pays an approved one (UUID)'),
  })
  .describe('An adjustment above a limit');
export type Proposal = z.input<typeof proposal>;

export function proposalNotFound(): Failure {
  return new Failure('adjustment_not_found', 'There is no such proposed adjustment in this workspace.');
}

export const proposalExample: Proposal = {
  adjustmentId: 'b54b7a0e-4a1c-4a43-9c9a-3f0f5a1c2d3e',
  repId: sampleIds.repId,
  repName: 'Ben',
  period: '2026-02',
  kind: 'adjustment',
  amount: 1200,
  currency: 'USD',
  dealId: null,
  reason: 'Contest in February',
  status: 'proposed',
  proposedAt: '2026-03-01T08:00:00.000Z',
  deciders: [{ repId: sampleIds.managerId, name: 'Mia Manager' }],
};
