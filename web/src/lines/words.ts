import { type Line } from '../api/queries.js';
import { formatRate } from '../format/numbers.js';

/** The rate of a line in words: 8 %, the tier if several rates applied, or fixed. */
export function rateWords(line: Line): string {
  const { rate, tierName, base, kind } = line;
  if (kind !== 'commission_earned') return kind === 'true_up' ? 'true-up' : kind;
  if (rate !== null) return formatRate(rate);
  if (tierName === null && line.amount === 0) return 'no tier';
  return base === null || tierName === null ? 'fixed' : tierName;
}

/** Names of lines that no rule paid. */
export const kindWords = {
  commission_earned: 'Commission',
  true_up: 'True-up',
  adjustment: 'Adjustment',
  clawback: 'Clawback',
} as const;

/** What the rate multiplied; absent where a fixed amount was paid. */
export function baseOf({ rate, base }: Line): number | null {
  return rate === null && base === 1 ? null : base;
}

export function lineTitle({ dealName, dealId, ruleName, kind }: Line): string {
  return dealName ?? dealId ?? ruleName ?? kindWords[kind];
}

/** Latest first; of one deal the largest amount first. */
export function orderedLines(lines: readonly Line[]): readonly Line[] {
  return [...lines].sort((a, b) => {
    if (a.earnedOn !== b.earnedOn) return a.earnedOn < b.earnedOn ? 1 : -1;
    if (a.dealId !== b.dealId) return (a.dealId ?? '') < (b.dealId ?? '') ? -1 : 1;
    return b.amount - a.amount;
  });
}
