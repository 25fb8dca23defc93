import { z } from 'zod';
import { fields } from '../api/resource-fields.js';
import { type StoredPayable, type StoredTotals } from './stored-payable.js';

export const payTotals = z
  .object({
    currency: fields.currency,
    released: z.number().describe('Sum of the positive lines'),
    carriedIn: z.number().describe('Sum of the corrections of earlier periods in this statement; may be negative'),
    opening: z.number().describe('What the person owed before the statement'),
    added: z.number().describe('What the statement takes back, which is added to what the person owes'),
    recovered: z.number().describe('What the statement keeps to reduce what the person owes'),
    closing: z.number().describe('What the person owes after the statement'),
    payable: z.number().describe('What the statement pays, never less than 0'),
  })
  .describe('Totals of one currency');

const payLine = z
  .object({
    kind: z
      .enum(['release', 'correction'])
      .describe('release: more, or less, of the amount is released; correction: an approved period was corrected'),
    dealId: z.string().nullable().describe('Id of the deal in the CRM; null for a periodic rule and an adjustment'),
    dealName: z.string().nullable().describe('Name of the deal when the version was generated; null if unknown'),
    planId: fields.planId.nullable(),
    ruleName: fields.ruleName.nullable(),
    category: z.enum(['commission', 'bonus', 'adjustment']).describe('Kind of the amount'),
    currency: fields.currency,
    amount: z.number().describe('What this statement pays; negative if it takes back'),
    earned: z.number().describe('What is earned until the end of the period'),
    released: z.number().describe('What of it is released until the end of the period'),
    late: z
      .literal(true)
      .optional()
      .describe('An approved period would have paid it if the payment or date had been known then'),
    sourcePeriod: z.string().optional().describe('The approved period that the correction is about'),
  })
  .describe('What a statement pays of one event');

/** What a statement pays of what is earned. */
export const statementPayable = z
  .object({
    totals: z.array(payTotals).describe('Totals by currency; amounts in different currencies are never added'),
    lines: z.array(payLine).describe('What is paid and taken back, by deal'),
  })
  .describe('What the statement pays. Absent in workspaces without payouts and outside of pay periods');

export function toPayableResponse({ totals, lines }: StoredPayable): z.input<typeof statementPayable> {
  return {
    totals: totals.map(toTotalsResponse),
    lines: lines.map(({ key: _, dealName = null, amount, earned, released, ...line }) => ({
      ...line,
      dealName,
      amount: Number(amount),
      earned: Number(earned),
      released: Number(released),
    })),
  };
}

export function toTotalsResponse(totals: StoredTotals): z.input<typeof payTotals> {
  const { currency, released, carriedIn, opening, added, recovered, closing, payable } = totals;
  return {
    currency,
    released: Number(released),
    carriedIn: Number(carriedIn),
    opening: Number(opening),
    added: Number(added),
    recovered: Number(recovered),
    closing: Number(closing),
    payable: Number(payable),
  };
}
