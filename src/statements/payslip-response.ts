import { z } from 'zod';
import { fields } from '../api/resource-fields.js';
import { payableEntry } from '../pay/payables/payable-entry.js';
import { rateOf } from '../pay/payables/statement-payable.js';
import { type StoredPayable } from '../pay/payables/stored-payable.js';
import { type PayHeadline, type PayslipPart, type PayslipRow, payslipLineKinds, paysOf } from './payslip.js';

const amounts = z.array(
  z.object({ currency: fields.currency, amount: z.number().describe('Sum in this currency') }).describe('A sum'),
);

/** What a list says about what a statement pays. */
export const payHeadline = z
  .object({
    currency: z
      .string()
      .describe(
        'Currency of the person, ISO 4217 code: that of payment, otherwise the only one they earn in, otherwise that of the workspace',
      ),
    pays: z
      .array(
        z
          .object({
            currency: fields.currency,
            amount: z.number().nullable().describe('What is paid; null while an exchange rate is missing'),
          })
          .describe('What is paid in one currency'),
      )
      .describe('What the statement pays, by the currency in which it is paid, that of the person first'),
    earned: amounts.describe('What is earned in the period, by earned currency, without those in which nothing is'),
    owed: amounts.describe('What the person owes after the statement, by earned currency; empty for nothing'),
    status: z
      .enum(['payable', 'approved', 'in_batch', 'partly_paid', 'paid'])
      .describe(
        'payable: not approved; approved: in no batch; in_batch: in a batch that is not paid; partly_paid: paid, and a correction added more; paid: paid in full',
      ),
    paidOn: z.string().nullable().describe('Day of the last payment, YYYY-MM-DD; null if nothing is paid'),
    amounts: z
      .array(
        z
          .object({
            currency: fields.currency,
            payable: z.number().describe('In a statement that is not approved'),
            approved: z.number().describe('Approved, and in no batch'),
            inBatch: z.number().describe('In a batch that is not paid'),
            paid: z.number().describe('Paid, which nothing changes'),
            paidOn: z.string().nullable().describe('Day of the last payment, YYYY-MM-DD; null if nothing is paid'),
          })
          .describe('What is paid in one currency, by status'),
      )
      .describe('What the statement pays, by status and by the currency of the bank'),
  })
  .describe('What a statement pays. Absent in workspaces without payouts and outside of pay periods');

const row = z
  .object({
    kind: z
      .enum(['deal', 'draw', 'owed_before', 'owed_after'])
      .describe(
        'deal: of a deal, a periodic rule or an adjustment; draw: of a draw; owed_before: what the person owed before, positive if true-ups have kept more than that; owed_after: what they owe afterwards',
      ),
    amount: z.number().describe('What it adds to the line; negative if it reduces what is paid'),
    dealId: z.string().nullable().optional().describe('Id of the deal in the CRM; with kind deal'),
    dealName: z.string().nullable().optional().describe('Name of the deal when the version was generated'),
    planId: fields.planId.nullable().optional(),
    ruleName: fields.ruleName.nullable().optional(),
    category: z.enum(['commission', 'bonus', 'adjustment']).optional().describe('Kind of the amount; with kind deal'),
    earned: z.number().optional().describe('What is earned until the end of the period; with kind deal'),
    released: z.number().optional().describe('What of it is released until the end of the period; with kind deal'),
    late: z.literal(true).optional().describe('An approved period would have paid it if its facts had been known'),
    refundIds: z.array(z.string()).optional().describe('The refunds of the period that change what is earned'),
    sourcePeriod: z.string().optional().describe('The approved period that a correction is about'),
    drawId: z.string().optional().describe('Id of the draw (UUID); with kind draw'),
    drawLine: z.enum(['draw', 'draw_recovery', 'draw_offset']).optional().describe('What it does; with kind draw'),
    drawKind: z.enum(['guarantee', 'advance']).optional().describe('Kind of the draw; with kind draw'),
    formula: z.string().optional().describe('How the amount was calculated, in words; with kind draw'),
  })
  .describe('A part of a line');

const part = z
  .object({
    currency: fields.currency.describe('Currency in which it was earned, ISO 4217 code'),
    lines: z
      .array(
        z
          .object({
            kind: z
              .enum(payslipLineKinds)
              .describe(
                'earned: earned in the period, whatever is paid of it; released: released of it; released_earlier: released of earlier periods; correction: corrections of approved periods; taken_back: paid too early; draw: draws pay in addition, or are repaid; balance: what the person owed before, less what they owe afterwards; payable: what the statement pays',
              ),
            amount: z.number().describe('Signed sum, in `currency`'),
            converted: z.number().optional().describe('The sum in the currency of payment, if that is another one'),
            rows: z.array(row).describe('What it consists of; none for earned, which the line items are, and payable'),
          })
          .describe('A line'),
      )
      .describe(
        'Lines in their order: those between earned and payable add up to payable. Lines without rows are left out',
      ),
    rate: z.number().nullable().optional().describe('Rate of conversion; null if none is stored; absent for none'),
  })
  .describe('What is paid of what was earned in one currency');

export const payslip = z
  .object({
    ...payHeadline.shape,
    parts: z
      .array(part)
      .describe('By earned currency, that of the person first. Currencies without an amount are left out'),
    notPaid: z
      .array(payableEntry)
      .describe('What of the earned amounts of the period is waiting or held today, and why'),
  })
  .describe(
    'What the statement pays, line by line. Absent in workspaces without payouts, outside of pay periods and in answers of changes',
  );

/** What a version pays, as events say it; in the currency if it pays nothing. */
export function listPays({ totals, pay }: StoredPayable, currency: string): z.input<typeof payHeadline>['pays'] {
  const pays = paysOf(totals, pay ?? null);
  if (pays.length === 0) return [{ currency: pay?.currency ?? currency, amount: 0 }];
  return pays.map((each) => ({ currency: each.currency, amount: each.amount?.toNumber() ?? null }));
}

export function toHeadlineResponse(headline: PayHeadline): z.input<typeof payHeadline> {
  const toSum = ({ currency, amount }: { readonly currency: string; readonly amount: { toNumber(): number } }) => ({
    currency,
    amount: amount.toNumber(),
  });
  return {
    ...headline,
    pays: headline.pays.map(({ currency, amount }) => ({ currency, amount: amount?.toNumber() ?? null })),
    earned: headline.earned.map(toSum),
    owed: headline.owed.map(toSum),
    amounts: headline.amounts.map(({ currency, payable, approved, inBatch, paid, paidOn }) => ({
      currency,
      payable: payable.toNumber(),
      approved: approved.toNumber(),
      inBatch: inBatch.toNumber(),
      paid: paid.toNumber(),
      paidOn,
    })),
  };
}

export function toPartResponse({ currency, lines, conversion }: PayslipPart): z.input<typeof part> {
  return {
    currency,
    lines: lines.map(({ kind, amount, converted, rows }) => ({
      kind,
      amount: amount.toNumber(),
      ...(converted === null ? {} : { converted: converted.toNumber() }),
      rows: rows.map(toRowResponse),
    })),
    ...(conversion === null ? {} : { rate: conversion.rate === null ? null : rateOf(conversion.rate) }),
  };
}

function toRowResponse(each: PayslipRow): z.input<typeof row> {
  const amount = each.amount.toNumber();
  if (each.kind === 'draw') {
    const { drawId, kind, drawKind, formula, sourcePeriod } = each.draw;
    return { kind: each.kind, amount, drawId, drawLine: kind, drawKind, formula, ...withPeriod(sourcePeriod) };
  }
  if (each.kind !== 'deal') return { kind: each.kind, amount };
  const { dealId, dealName = null, planId, ruleName, category, earned, released, late, sourcePeriod } = each.line;
  return {
    ...{ kind: each.kind, amount, dealId, dealName, planId, ruleName, category },
    ...{ earned: Number(earned), released: Number(released) },
    ...(late === undefined ? {} : { late }),
    ...(each.refundIds.length === 0 ? {} : { refundIds: [...each.refundIds] }),
    ...withPeriod(sourcePeriod),
  };
}

function withPeriod(sourcePeriod: string | undefined) {
  return sourcePeriod === undefined ? {} : { sourcePeriod };
}
