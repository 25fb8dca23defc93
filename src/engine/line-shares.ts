import { Decimal, minimum } from '../kernel/decimal.js';
import { quotient, type Refund } from './clawback.js';

/** A counted line of an event that refunds take back. */
export interface RefundedLine {
  readonly lineId: string;
  /** Its net amount when the event was calculated. */
  readonly net: Decimal | null;
  readonly credit: Decimal;
}

/** The part of each line that a refund gives back, by the id of the line. */
export type LineShares = ReadonlyMap<string, Decimal>;

/** What a refund gives back of the rest of a deal. */
interface DealPart {
  readonly refund: Refund;
  readonly refunded: Decimal;
  readonly rest: Decimal;
}

/**
 * What each refund takes of each line: of a named one its amount, at most what earlier refunds left of it; a refund that
 * names no line takes of every line what it takes of the rest of the deal.
 */
export function shareLinesTaken(parts: readonly DealPart[], lines: readonly RefundedLine[]): LineShares[] {
  const left = new Map(lines.map(({ lineId }) => [lineId, Decimal.one]));
  return parts.map(({ refund, refunded, rest }) => {
    const shares = new Map<string, Decimal>();
    for (const { lineId, net } of lines) {
      const ofLine = left.get(lineId) as Decimal;
      const named = refund.lines?.find((line) => line.lineId === lineId);
      if (refund.lines !== undefined && named === undefined) continue;
      const share = named === undefined ? partOfRest(ofLine, refunded, rest) : partOfLine(ofLine, named.amount, net);
      shares.set(lineId, share);
      left.set(lineId, ofLine.minus(share));
    }
    return shares;
  });
}

function partOfRest(left: Decimal, refunded: Decimal, rest: Decimal): Decimal {
  return rest.isZero() ? Decimal.zero : quotient(left.times(refunded), rest);
}

function partOfLine(left: Decimal, amount: string | null, net: Decimal | null): Decimal {
  if (amount === null) return left;
  return net === null || net.sign() <= 0 ? Decimal.zero : minimum(quotient(Decimal.of(amount), net), left);
}
