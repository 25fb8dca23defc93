import { Decimal } from '../kernel/decimal.js';
import { quotient } from './clawback.js';
import { type EffectiveTier } from './compiled-plan.js';
import { type FiringLine } from './count-lines.js';
import { asNumber } from './field-value.js';
import { type LineParts } from './line-trace.js';
import { type UnitPay } from './tier-pay.js';

/** How the amount of the event was computed. */
export interface LineTerms {
  readonly raw: Decimal;
  /** The amount after floors and caps, before it is rounded. */
  readonly limited: Decimal;
  /** The percentage of the ramp. */
  readonly ratePercent: Decimal | null;
  /** What the weighted amounts of the lines are divided by; null for 1. */
  readonly of: Decimal | null;
  readonly round: (amount: Decimal) => Decimal;
}

const hundred = Decimal.of(100);

/**
 * The lines with the amounts that people see: they add up to the event, to the cent, in the order of the ids. They are
 * never input of a calculation.
 */
export function toPaidLines(
  lines: readonly FiringLine[],
  paid: ReadonlyMap<FiringLine | null, { readonly tier: EffectiveTier | null; readonly pay: UnitPay }>,
  terms: LineTerms,
): LineParts[] {
  const of = (terms.of ?? Decimal.one).times(hundred);
  // A division takes longer than everything else that is computed of a line.
  const scale = (weighted: Decimal): Decimal =>
    terms.ratePercent === null && terms.of === null
      ? weighted
      : quotient(weighted.times(terms.ratePercent ?? hundred), of);
  const total = [...paid.values()].reduce((sum, { pay }) => sum.plus(pay.weighted), Decimal.zero);
  const isUnlimited = total.isZero() || terms.limited.equals(terms.raw);
  const limit = (part: Decimal) => (isUnlimited ? scale(part) : quotient(part.times(terms.limited), total));
  const parts = new Map<FiringLine, Decimal>();
  let weighted = Decimal.zero;
  let before = Decimal.zero;
  for (const line of lines.toSorted((a, b) => (a.line.lineId < b.line.lineId ? -1 : 1))) {
    weighted = weighted.plus(paid.get(line)?.pay.weighted ?? Decimal.zero);
    const after = terms.round(limit(weighted));
    parts.set(line, after.minus(before));
    before = after;
  }
  const common = paid.get(null);
  return lines.map((line) => {
    const { tier = null, pay } = paid.get(line) ?? { tier: common?.tier ?? null };
    return {
      lineId: line.line.lineId,
      name: line.line.name ?? line.line.productCode ?? null,
      isCounted: line.reason === null,
      reason: line.reason ?? pay?.reason ?? null,
      seen: line.seen,
      tierIndex: line.reason === null ? (tier?.tierIndex ?? null) : null,
      lookups: pay?.lookups ?? [],
      rate: pay?.weightedRate == null ? null : quotient(pay.weightedRate, terms.of ?? Decimal.one),
      base: line.base,
      credit: line.credit,
      raw: scale(pay?.weighted ?? Decimal.zero),
      amount: parts.get(line) ?? Decimal.zero,
      net: asNumber(line.line.amount),
    };
  });
}
