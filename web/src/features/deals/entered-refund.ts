import { type Refund, type SentRefund, type SentWaiver } from '../../api/refund-queries.js';
import { isDay } from '../../shared/format/dates.js';
import { readNumber, writeNumber } from '../../shared/format/entered-numbers.js';

/** A refund as a form has it, with texts. */
export interface EnteredRefund {
  readonly refundId: string;
  readonly day: string;
  /** Empty while it has to be chosen. */
  readonly cause: Refund['cause'] | '';
  /** Empty for all that is left of the deal. */
  readonly amount: string;
  readonly reason: string;
}

export const causeWords = {
  cancellation: 'the customer cancelled',
  refund: 'money was returned',
  non_payment: 'it was never paid',
} as const satisfies Readonly<Record<Refund['cause'], string>>;

/** The refund in a form; a new one gets an id that no other refund of the deal has. */
export function toEnteredRefund(refund: Refund | null, others: readonly Refund[], today: string): EnteredRefund {
  if (refund === null) return { refundId: freeId(others), day: today, cause: '', amount: '', reason: '' };
  const { refundId, day, cause, amount, reason } = refund;
  return { refundId, day, cause, amount: writeNumber(amount ?? undefined), reason };
}

function freeId(others: readonly Refund[]): string {
  const used = new Set(others.map(({ refundId }) => refundId));
  let number = others.length + 1;
  while (used.has(`R-${number}`)) number += 1;
  return `R-${number}`;
}

/** The refund as it is sent; null while it is incomplete. */
export function readRefund({ refundId, day, cause, amount, reason }: EnteredRefund): SentRefund | null {
  const isWhole = amount.trim() === '';
  const read = readNumber(amount);
  const id = refundId.trim();
  if (cause === '' || id === '' || id.includes(':') || !isDay(day) || (!isWhole && (read === null || read <= 0)))
    return null;
  return { day, cause, amount: isWhole ? null : read, reason: reason.trim() };
}

/** A waiver as a form has it, with texts. */
export interface EnteredWaiver {
  /** Empty for everyone. */
  readonly repId: string;
  readonly percent: string;
  readonly reason: string;
}

/** The waiver as it is sent; null while it is incomplete. */
export function readWaiver({ repId, percent, reason }: EnteredWaiver): SentWaiver | null {
  const isEnded = percent.trim() === '';
  const read = isEnded ? 0 : readNumber(percent);
  if (read === null || read < 0 || read > 100 || reason.trim() === '') return null;
  return { repId: repId === '' ? null : repId, percent: isEnded ? null : read, reason: reason.trim() };
}
