import { roundToCurrency } from '../../kernel/currency.js';
import { Decimal, maximum, minimum, sum } from '../../kernel/decimal.js';

/** What a statement pays in one currency, and how it changes the balance that the rep owes. */
export interface PayTotals {
  readonly currency: string;
  /** The sum of the positive lines. */
  readonly released: Decimal;
  /** What corrections of earlier periods pay in this statement; what they take back is in `added`. */
  readonly carriedIn: Decimal;
  readonly opening: Decimal;
  /** What the statement takes back: it is added to the balance first. */
  readonly added: Decimal;
  /** What the statement keeps to reduce the balance. */
  readonly recovered: Decimal;
  readonly closing: Decimal;
  readonly payable: Decimal;
  /** What draws pay in addition, and what is kept of what is released to repay them. */
  readonly drawn: Decimal;
  readonly repaid: Decimal;
}

/** What an approved statement put on the balance and recovered from it. */
export type BalanceChange = Pick<PayTotals, 'added' | 'recovered'>;

interface StatementAmounts {
  readonly currency: string;
  readonly lines: readonly Decimal[];
  /** The results of corrections that were carried into the statement. */
  readonly carried: readonly Decimal[];
  /** The balance before the statement; see {@link computeOpening}. */
  readonly opening: Decimal;
  readonly maxPercent: Decimal;
  /** What guarantees promise: nothing is recovered from it. */
  readonly guaranteed: Decimal;
}

/**
 * What a statement pays: what it releases, less what it recovers. What is taken back waits on the balance until something
 * is released, so that no statement pays less than nothing.
 */
export function computeTotals({
  currency,
  lines,
  carried,
  opening,
  maxPercent,
  guaranteed,
}: StatementAmounts): PayTotals {
  const released = sum(lines.filter((line) => line.sign() > 0));
  const takenBack = sum(lines.filter((line) => line.sign() < 0)).negated();
  const result = sum(carried);
  const carriedIn = maximum(result, Decimal.zero);
  const added = takenBack.plus(carriedIn).minus(result);
  const owed = opening.plus(added);
  const available = released.plus(carriedIn);
  const above = maximum(released.minus(guaranteed), Decimal.zero).plus(carriedIn);
  const recovered = minimum(owed, minimum(limitRecovery(available, maxPercent, currency), above));
  return {
    currency,
    released,
    carriedIn,
    opening,
    added,
    recovered,
    closing: owed.minus(recovered),
    payable: available.minus(recovered),
    drawn: Decimal.zero,
    repaid: Decimal.zero,
  };
}

/** What of the recovery was kept of what is released: what corrections pay is taken first. */
export function recoveredFromReleased({ recovered, carriedIn }: PayTotals): Decimal {
  return maximum(recovered.minus(carriedIn), Decimal.zero);
}

/** The totals with what the statement grants of draws and recovers of them. */
export function addDraws(totals: PayTotals, amounts: readonly Decimal[]): PayTotals {
  const drawn = sum(amounts.filter((amount) => amount.sign() > 0));
  const repaid = sum(amounts.filter((amount) => amount.sign() < 0)).negated();
  return { ...totals, drawn, repaid, payable: totals.payable.plus(drawn).minus(repaid) };
}

/**
 * The totals of an approved statement with a correction. It pays the result less what it recovers of the whole balance of
 * that moment; a negative result becomes balance, since what an approved statement pays is never lowered.
 */
export function computeCorrectedTotals(
  approved: PayTotals,
  {
    result,
    balance,
    maxPercent,
  }: { readonly result: Decimal; readonly balance: Decimal; readonly maxPercent: Decimal },
): PayTotals {
  const paid = maximum(result, Decimal.zero);
  const addedNow = paid.minus(result);
  const recoveredNow = minimum(balance, limitRecovery(paid, maxPercent, approved.currency));
  const added = approved.added.plus(addedNow);
  const recovered = approved.recovered.plus(recoveredNow);
  const closing = balance.plus(addedNow).minus(recoveredNow);
  return {
    ...approved,
    opening: closing.minus(added).plus(recovered),
    added,
    recovered,
    closing,
    payable: approved.payable.plus(paid).minus(recoveredNow),
  };
}

export const noTotals = (currency: string): PayTotals => ({
  currency,
  released: Decimal.zero,
  carriedIn: Decimal.zero,
  opening: Decimal.zero,
  added: Decimal.zero,
  recovered: Decimal.zero,
  closing: Decimal.zero,
  payable: Decimal.zero,
  drawn: Decimal.zero,
  repaid: Decimal.zero,
});

function limitRecovery(amount: Decimal, maxPercent: Decimal, currency: string): Decimal {
  return roundToCurrency(amount.times(maxPercent).dividedBy(Decimal.of(100)), currency);
}

/**
 * The balance before a statement: what approved statements of earlier periods put on it, less what all other approved
 * statements recovered. A later one may have recovered what it put on the balance itself. It is negative if they recovered
 * more than all of them put on it: true-ups recovered what this statement had taken back before it was opened again.
 */
export function computeOpening(earlier: readonly BalanceChange[], later: readonly BalanceChange[]): Decimal {
  const before = sumChanges(earlier);
  const after = sumChanges(later);
  const opening = before.added.minus(before.recovered).minus(after.recovered);
  return maximum(opening, minimum(opening.plus(after.added), Decimal.zero));
}

function sumChanges(changes: readonly BalanceChange[]): BalanceChange {
  return { added: sum(changes.map(({ added }) => added)), recovered: sum(changes.map(({ recovered }) => recovered)) };
}
