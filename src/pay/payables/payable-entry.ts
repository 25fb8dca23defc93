import { z } from 'zod';
import { fields } from '../../api/resource-fields.js';
import { sampleIds } from '../../kernel/sample-ids.js';

export const payableStatuses = ['waiting', 'held', 'payable', 'approved', 'paid'] as const;
export type PayableStatus = (typeof payableStatuses)[number];

export const wait = z
  .object({
    because: z.enum(['customer_not_paid', 'date_not_reached']).describe('Why it is not paid yet'),
    on: z.string().describe('paid, paid_in_full, close, or the slug of the date of the deal that it waits for'),
    expectedOn: z.string().nullable().describe('Day on which it is released, YYYY-MM-DD; null if not known'),
  })
  .describe('What a part of the amount waits for');

const heldBy = z
  .object({
    holdId: z.string().describe('Id of the hold (UUID)'),
    reason: z.string().describe('Why it is held'),
    from: z.string().describe('First day of the hold, YYYY-MM-DD'),
    to: z.string().nullable().describe('Last day of the hold, YYYY-MM-DD; null for none'),
  })
  .describe('A hold that applies at the end of the present pay period');

export const payableEntry = z
  .object({
    repId: fields.repId,
    repName: fields.repName,
    dealId: z.string().nullable().describe('Id of the deal in the CRM; null for a periodic rule and an adjustment'),
    dealName: z.string().nullable().describe('Name of the deal; null if there is none or the rep may not see it'),
    planId: fields.planId.nullable(),
    ruleName: fields.ruleName.nullable(),
    category: z.enum(['commission', 'bonus', 'adjustment']).describe('Kind of the amount'),
    status: z
      .enum(payableStatuses)
      .describe(
        'waiting: earned and not released; held: released and held; payable: in a statement that is not approved; approved: in an approved statement; paid: in a batch that is marked as paid, which no correction changes',
      ),
    currency: fields.currency,
    amount: z.number().describe('The part of what is earned that has this status; negative if it takes back'),
    earned: z.number().describe('All that is earned, whatever its status'),
    share: z.number().describe('Share of what is earned that is released, from 0 to 1'),
    period: z.string().nullable().describe('Pay period whose statement pays it; null while it waits or is held'),
    waitsFor: z.array(wait).optional().describe('What it waits for, the earliest day first; present with waiting'),
    heldBy: z.array(heldBy).optional().describe('The holds; present with held'),
    late: z.literal(true).optional().describe('An approved period would have paid it if its facts had been known'),
    sourcePeriod: z.string().optional().describe('The approved period that a correction is about'),
    batchId: z.string().optional().describe('Id of the payout batch (UUID); present with paid'),
    paidOn: z.string().optional().describe('Day on which it was paid, YYYY-MM-DD; present with paid'),
  })
  .describe('A part of what a rep has earned for one deal and rule, with its status');
export type PayableEntry = z.input<typeof payableEntry>;

export const payableTotals = z
  .object({
    currency: fields.currency,
    earned: z.number().describe('Sum of all amounts'),
    waiting: z.number().describe('Earned and not released'),
    held: z.number().describe('Released and held'),
    payable: z.number().describe('In statements that are not approved'),
    approved: z.number().describe('In approved statements, and not paid'),
    paid: z.number().describe('Paid'),
    balance: z.number().describe('What the people owe, which statements keep of what they release'),
  })
  .describe('Sums of one currency');

export const payableExample = {
  repId: sampleIds.repId,
  repName: 'Ben',
  dealId: sampleIds.dealId,
  dealName: 'Acme renewal',
  planId: sampleIds.planId,
  ruleName: 'New business',
  category: 'commission',
  status: 'waiting',
  currency: 'USD',
  amount: 3200,
  earned: 4800,
  share: 0.333333,
  period: null,
  waitsFor: [{ because: 'customer_not_paid', on: 'paid', expectedOn: null }],
} as const;
