import { z } from 'zod';
import { fields } from '../../api/resource-fields.js';
import { Decimal } from '../../kernel/decimal.js';
import { type StoredPay, type StoredPayable, type StoredPayRate, type StoredTotals } from './stored-payable.js';

export const payTotals = z
  .object({
    currency: fields.currency,
    released: z.number().describe('Sum of the positive lines'),
    carriedIn: z.number().describe('What corrections of earlier periods pay in this statement, never less than 0'),
    opening: z
      .number()
      .describe(
        'What the person owed before the statement; negative if true-ups have kept more than that, which the statement pays back',
      ),
    added: z
      .number()
      .describe(
        'What the statement and corrections of earlier periods take back, which is added to what the person owes',
      ),
    recovered: z.number().describe('What the statement keeps to reduce what the person owes; negative if it pays back'),
    closing: z.number().describe('What the person owes after the statement'),
    payable: z.number().describe('What the statement pays, never less than 0'),
    drawn: z.number().optional().describe('What draws pay in addition. Absent without draws'),
    repaid: z.number().optional().describe('What the statement keeps to repay draws. Absent without draws'),
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

export const statementPay = z
  .object({
    currency: z.string().describe('Currency in which the person is paid, ISO 4217 code'),
    amount: z
      .number()
      .nullable()
      .describe('What is paid in `currency`: the sum of the parts; null while an exchange rate is missing'),
    parts: z
      .array(
        z
          .object({
            currency: fields.currency,
            payable: z.number().describe('What is payable in this currency'),
            rate: z
              .number()
              .nullable()
              .describe('Units of the currency of payment for one of this currency; null if no rate is stored'),
            amount: z.number().nullable().describe('What is paid for it, rounded; null without a rate'),
            legs: z
              .array(
                z
                  .object({
                    from: z.string().describe('Currency that is converted, ISO 4217 code'),
                    to: z.string().describe('Currency that it is converted to, ISO 4217 code'),
                    day: z.string().describe('Day of the stored rate, YYYY-MM-DD'),
                    rate: z.number().describe('Units of `to` for one of `from`'),
                  })
                  .describe('A stored rate'),
              )
              .describe('The stored rates of which the rate is made; none for the same currency'),
          })
          .describe('What is paid for one earned currency'),
      )
      .describe('By earned currency'),
  })
  .describe('What is paid in the currency of the person. Absent for people who are paid in the currency they earn in');

const drawLine = z
  .object({
    drawId: z.string().describe('Id of the draw (UUID)'),
    kind: z
      .enum(['draw', 'draw_recovery', 'draw_offset'])
      .describe(
        'draw: the draw pays; draw_recovery: it is repaid; draw_offset: an approved period with a guarantee was corrected',
      ),
    drawKind: z.enum(['guarantee', 'advance']).describe('Kind of the draw'),
    currency: fields.currency,
    amount: z.number().describe('What the statement pays; negative if it keeps'),
    change: z.number().describe('How the line changes what the person owes of the draw'),
    formula: z.string().describe('How the amount was calculated, in words'),
    sourcePeriod: z.string().optional().describe('The approved period that was corrected'),
  })
  .describe('What a statement grants, recovers or offsets of a draw');

/** What a statement pays of what is earned. */
export const statementPayable = z
  .object({
    totals: z.array(payTotals).describe('Totals by currency; amounts in different currencies are never added'),
    lines: z.array(payLine).describe('What is paid and taken back, by deal'),
    pay: statementPay.optional(),
    draws: z.array(drawLine).optional().describe('What draws pay and what is repaid. Absent without draws'),
  })
  .describe('What the statement pays. Absent in workspaces without payouts and outside of pay periods');

export function toPayableResponse({ totals, lines, pay, draws }: StoredPayable): z.input<typeof statementPayable> {
  return {
    totals: totals.map(toTotalsResponse),
    lines: lines.map(({ key: _, dealName = null, amount, earned, released, ...line }) => ({
      ...line,
      dealName,
      amount: Number(amount),
      earned: Number(earned),
      released: Number(released),
    })),
    ...(pay === undefined ? {} : { pay: toPayResponse(pay) }),
    ...(draws === undefined
      ? {}
      : { draws: draws.map((line) => ({ ...line, amount: Number(line.amount), change: Number(line.change) })) }),
  };
}

export function toPayResponse({ currency, amount, parts }: StoredPay): z.input<typeof statementPay> {
  const toNumber = (text: string | null) => (text === null ? null : Number(text));
  return {
    currency,
    amount: toNumber(amount),
    parts: parts.map((part) => ({
      currency: part.currency,
      payable: Number(part.payable),
      rate: part.rate === null ? null : rateOf(part.rate),
      amount: toNumber(part.amount),
      legs: (part.rate?.legs ?? []).map((leg) => ({ ...leg, rate: Number(leg.rate) })),
    })),
  };
}

/** For display: ten decimals, as rates are stored. */
export function rateOf({ numerator, denominator }: StoredPayRate): number {
  return Decimal.of(numerator).dividedBy(Decimal.of(denominator)).rounded(10).toNumber();
}

export function toTotalsResponse(totals: StoredTotals): z.input<typeof payTotals> {
  const { currency, released, carriedIn, opening, added, recovered, closing, payable, drawn, repaid } = totals;
  return {
    currency,
    released: Number(released),
    carriedIn: Number(carriedIn),
    opening: Number(opening),
    added: Number(added),
    recovered: Number(recovered),
    closing: Number(closing),
    payable: Number(payable),
    ...(drawn === undefined ? {} : { drawn: Number(drawn) }),
    ...(repaid === undefined ? {} : { repaid: Number(repaid) }),
  };
}
