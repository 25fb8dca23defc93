import { Decimal, maximum, minimum, sum } from '../kernel/decimal.js';
import { inOrder, quotient, type Refund } from './clawback.js';
import { currencyOfLine } from './convert-line.js';
import { type DealLine } from './deal-line.js';
import { convertAmount, defaultRateTable, type ExchangeRates } from './exchange-rates.js';
import { asNumber } from './field-value.js';
import { type Deal } from './slug.js';

/** Converts an amount on a day; null without a rate. */
export type ConvertRefund = (amount: Decimal, from: string, to: string, day: string) => Decimal | null;

/** Converts at the rate of the day, without a rate of a plan. */
export function refundConverter(rates: ExchangeRates | null): ConvertRefund {
  return (amount, from, to, day) => {
    const rate = rates?.find(defaultRateTable, from, to, { day, isProvisional: false }) ?? null;
    return rate === null ? null : convertAmount(amount, rate);
  };
}

/**
 * The refunds with the amount of those that name lines: the sum of what they give back of them, in the currency of the
 * deal. A line that the deal no longer has, or whose amount is not positive, gives back nothing.
 */
export function withAmountsOfLines(deal: Deal, convert: ConvertRefund): readonly Refund[] {
  const { refunds = [] } = deal;
  if (!refunds.some(({ lines }) => lines !== undefined)) return refunds;
  const total = asNumber(deal.standard.dealAmount);
  let rest = total === null ? Decimal.zero : maximum(total, Decimal.zero);
  const left = new Map((deal.lines ?? []).map((line) => [line.lineId, { line, rest: asNumber(line.amount) }]));
  return inOrder(refunds).map((refund) => {
    const resolved = refund.lines === undefined ? refund : giveBackLines(deal, refund, left, convert);
    const refunded = resolved.amount === null ? rest : minimum(Decimal.of(resolved.amount), rest);
    if (refund.lines === undefined) takeFromEach(left, refunded, rest);
    rest = rest.minus(refunded);
    return resolved;
  });
}

/** What earlier refunds left of each line. */
type LeftOfLines = ReadonlyMap<string, { readonly line: DealLine; rest: Decimal | null }>;

function takeFromEach(left: LeftOfLines, refunded: Decimal, rest: Decimal): void {
  if (rest.isZero()) return;
  for (const entry of left.values())
    entry.rest = entry.rest === null ? null : quotient(entry.rest.times(rest.minus(refunded)), rest);
}

function giveBackLines(deal: Deal, refund: Refund, left: LeftOfLines, convert: ConvertRefund): Refund {
  const named = (refund.lines ?? []).filter(({ lineId }) => isPositive(left.get(lineId)?.line));
  const amounts = named.map(({ lineId, amount }) => {
    const entry = left.get(lineId) as { line: DealLine; rest: Decimal };
    const refunded = amount === null ? entry.rest : minimum(Decimal.of(amount), entry.rest);
    entry.rest = entry.rest.minus(refunded);
    const to = currencyOfLine({ ...entry.line, currency: null }, deal) ?? '';
    const from = currencyOfLine(entry.line, deal) ?? to;
    return from === to ? refunded : (convert(refunded, from, to, refund.day) ?? Decimal.zero);
  });
  return { ...refund, lines: named, amount: sum(amounts).toString() };
}

function isPositive(line: DealLine | undefined): boolean {
  return line !== undefined && (asNumber(line.amount)?.sign() ?? 0) > 0;
}
