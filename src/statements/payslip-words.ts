import { drawNames } from '../pay/payables/draw-words.js';
import { type PayHeadline, type PayslipLineKind, type PayslipRow } from './payslip.js';

/** How documents and messages name the lines of a payslip. */
export const lineTitles: Readonly<Record<PayslipLineKind, string>> = {
  earned: 'Earned in the period',
  released: 'Released of it',
  released_earlier: 'Released of earlier periods',
  correction: 'Corrections',
  taken_back: 'Taken back',
  draw: 'Draws, topped up and repaid',
  balance: 'Carried in and out',
  payable: 'Payable',
};

/** What a row is about: a deal and rule, a draw, or what the person owes. */
export function rowTitle(row: PayslipRow): string {
  if (row.kind === 'draw') return `${drawNames[row.draw.kind]} (${row.draw.drawKind})`;
  if (row.kind !== 'deal') {
    if (row.kind === 'owed_after') return 'Owed afterwards';
    return row.amount.sign() > 0 ? 'Kept too much before' : 'Owed before';
  }
  const { dealId, dealName, ruleName } = row.line;
  const what = [dealName ?? dealId, ruleName].filter((name) => name !== null && name !== undefined);
  return what.length === 0 ? 'Adjustment' : what.join(', ');
}

/** Why a row is in its line; null where the line says so. */
export function rowNote(row: PayslipRow): string | null {
  if (row.kind === 'draw') {
    const { formula, sourcePeriod } = row.draw;
    return sourcePeriod === undefined ? formula : `${sourcePeriod}: ${formula}`;
  }
  if (row.kind !== 'deal') return null;
  const { kind, late, sourcePeriod } = row.line;
  const refunds = row.refundIds.length === 0 ? [] : [`refund ${row.refundIds.join(' and ')}`];
  const correction = kind === 'correction' ? [`correction of ${sourcePeriod ?? ''}`] : [];
  const isLate = late === true ? ['late: of an earlier period'] : [];
  const notes = [...correction, ...isLate, ...refunds].join(', ');
  return notes === '' ? null : notes;
}

/** How far a statement is paid, with the day. */
export function statusText({ status, paidOn }: Pick<PayHeadline, 'status' | 'paidOn'>): string {
  const texts = {
    payable: 'not approved',
    approved: 'approved, not paid yet',
    in_batch: 'in a payout batch, not paid yet',
    partly_paid: `paid in part, last on ${paidOn ?? ''}`,
    paid: `paid on ${paidOn ?? ''}`,
  } as const;
  return texts[status];
}
