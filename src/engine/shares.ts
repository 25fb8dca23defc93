import { Decimal, maximum, minimum, sum } from '../kernel/decimal.js';
import { getOrInsert } from '../kernel/get-or-insert.js';
import { type CountedLines, type CreditEffect, type CreditLine, type Share, wholeShare } from './credit-lines.js';
import { type UpstreamEvent } from './model.js';
import { type Deal } from './slug.js';

const onePercent = Decimal.of(0.01);

/** The share of the rep; null without a line that the rule counts. A deal without lines belongs to its owner. */
export function computeShare({ credits }: Deal, repId: string, counted: CountedLines): Share | null {
  if (credits === undefined) return counted.roles === null && counted.kinds.includes('split') ? wholeShare : null;
  const own = credits.filter((line) => line.repId === repId && isCounted(line, counted));
  return own.length === 0 ? null : toShare(addPercents(own, 'payout'), addPercents(own, 'quota'));
}

function isCounted({ kind, role }: CreditLine, { kinds, roles }: CountedLines): boolean {
  return kinds.includes(kind) && (roles === null || (role !== null && roles.includes(role)));
}

function addPercents(lines: readonly CreditLine[], ignored: CreditEffect): Decimal {
  return sum(lines.filter(({ affects }) => affects !== ignored).map(({ percent }) => Decimal.of(percent))).times(
    onePercent,
  );
}

/** The share of a manager: one share for each person who earned the events, the largest one, and at most 1 together. */
export function computeTeamShare(upstream: readonly UpstreamEvent[]): Share {
  if (upstream.some(({ share }) => share === null)) return wholeShare;
  const largest = new Map<string, Share>();
  for (const { repId, share: stored } of upstream) {
    const share = parseShare(stored);
    const known = getOrInsert(largest, repId, () => share);
    largest.set(repId, { credit: maximum(known.credit, share.credit), pay: maximum(known.pay, share.pay) });
  }
  const shares = [...largest.values()];
  return toShare(
    minimum(sum(shares.map(({ credit }) => credit)), Decimal.one),
    minimum(sum(shares.map(({ pay }) => pay)), Decimal.one),
  );
}

/** The share as events store it: both decimals, or null for the whole deal. */
export function formatShare(share: Share): string | null {
  return share === wholeShare ? null : `${share.credit} ${share.pay}`;
}

export function parseShare(stored: string | null): Share {
  const [credit, pay] = (stored ?? '1 1').split(' ') as [string, string];
  return { credit: Decimal.of(credit), pay: Decimal.of(pay) };
}

function toShare(credit: Decimal, pay: Decimal): Share {
  return credit.equals(Decimal.one) && pay.equals(Decimal.one) ? wholeShare : { credit, pay };
}
