import { type Dispute } from '../../api/queries.js';
import { type Discrepancy } from '../../api/team-queries.js';
import { absolute, signOf } from '../../shared/format/exact.js';
import { formatMoney } from '../../shared/format/numbers.js';

export const disputeTypes = [
  ['wrong_amount', 'The amount is wrong'],
  ['wrong_credit', 'The credit is wrong'],
  ['wrong_plan', 'The plan or its version is wrong'],
  ['missing_deal', 'A deal is missing'],
  ['other', 'Something else'],
] as const;

export type DisputeType = (typeof disputeTypes)[number][0];

export function typeWords(type: string): string {
  return disputeTypes.find(([value]) => value === type)?.[1] ?? type;
}

export function disputeTitle({ dealName, dealId, type }: Pick<Dispute, 'dealName' | 'dealId' | 'type'>): string {
  const deal = dealName ?? dealId;
  return deal === null ? typeWords(type) : `${deal}: ${typeWords(type).toLowerCase()}`;
}

export const statusWords: Readonly<Record<Dispute['status'], string>> = {
  open: 'Open',
  in_review: 'In review',
  accepted: 'Accepted',
  rejected: 'Rejected',
  withdrawn: 'Withdrawn',
};

/** Where the question about an amount, or about a period, is kept until it is sent. */
export function disputeKey(period: string, eventId: string | null): string {
  return `question ${eventId ?? period}`;
}

/** What paying the difference does: Pay $280.00, or Deduct $280.00. */
export function payLabel({ delta, currency }: Pick<Discrepancy, 'delta' | 'currency'>): string {
  return `${signOf(delta) < 0 ? 'Deduct' : 'Pay'} ${formatMoney(absolute(delta), currency)}`;
}
