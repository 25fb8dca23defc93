import { type Line } from '../../api/queries.js';
import { formatRate } from '../../shared/format/numbers.js';
import { formatPeriod } from '../../shared/format/periods.js';

/** More rates than these are not listed. */
const maxRates = 3;

/** The rate of a line in words: 8 %, 8 % + 12 %, the tier where it is that of a fixed amount or the last of several rates, or fixed. */
export function rateWords(line: Line): string {
  const { rate, tierName, base, kind } = line;
  if (line.refundId !== undefined) return 'clawback';
  if (kind !== 'commission_earned') return kind === 'true_up' ? 'correction' : kind;
  if (rate !== null) return formatRate(rate);
  if (tierName === null && line.amount === 0) return 'no tier';
  if (line.rates !== undefined && line.rates.length <= maxRates)
    return line.rates.map((each) => formatRate(each)).join(' + ');
  if (base === null || tierName === null) return 'fixed';
  return line.amount === 0 || describeBase(line) === null ? tierName : `several rates, ${tierName}`;
}

/** Names of lines that no rule paid. */
export const kindWords = {
  commission_earned: 'Commission',
  true_up: 'Correction',
  adjustment: 'Adjustment',
  clawback: 'Clawback',
} as const;

/** What the rate multiplied; absent where a fixed amount was paid, in full or by the share of a deal. */
export function describeBase({ rate, base }: Line): number | null {
  return rate === null && base !== null && base > 0 && base <= 1 ? null : base;
}

/** The deal of the line. A true-up names the deal that it corrects, or how many. */
export function lineTitle(line: Line): string {
  const { dealName, dealId, ruleName, kind } = line;
  if (kind === 'true_up') return correctionTitle(line.lines ?? [], line.sourcePeriod ?? line.period);
  const title = dealName ?? dealId ?? ruleName ?? kindWords[kind];
  return line.refundId === undefined ? title : `${title}, refund ${line.refundId}`;
}

/** What a true-up corrects. */
export function correctionTitle(
  lines: readonly { readonly dealId: string | null; readonly dealName: string | null; readonly ruleName: string }[],
  period: string,
): string {
  const subjects = new Set(lines.map(({ dealId, dealName, ruleName }) => dealName ?? dealId ?? ruleName));
  const [first] = subjects;
  if (first === undefined) return `Correction of ${formatPeriod(period)}`;
  const others = subjects.size === 1 ? '' : ` and ${subjects.size - 1} more`;
  return `${first}${others}, correction of ${formatPeriod(period)}`;
}

/** The rule of the line, or where an amount without a rule comes from. */
export function ruleWords({ ruleName, kind, sourcePeriod }: Line): string {
  if (ruleName !== null) return ruleName;
  if (kind !== 'true_up') return 'Entered by hand';
  return sourcePeriod === undefined ? 'Correction' : 'Correction of an earlier period';
}

/** Latest first; of one deal the largest amount first, whether it is paid or deducted. */
export function orderedLines(lines: readonly Line[]): readonly Line[] {
  return [...lines].sort((a, b) => {
    if (a.earnedOn !== b.earnedOn) return a.earnedOn < b.earnedOn ? 1 : -1;
    if (a.dealId !== b.dealId) return (a.dealId ?? '') < (b.dealId ?? '') ? -1 : 1;
    return Math.abs(b.amount) - Math.abs(a.amount);
  });
}
