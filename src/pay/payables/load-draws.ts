import { type Day } from '../../kernel/day.js';
import { Decimal, maximum, sum } from '../../kernel/decimal.js';
import { groupBy } from '../../kernel/group-by.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { listDraws } from '../draws/draw-views.js';
import { type DrawLine, type DrawTerms } from './compute-draws.js';
import { type PayHistory } from './load-pay-history.js';
import { type NamedPeriod } from './pay-periods.js';
import { type StoredDrawLine } from './stored-payable.js';

/** A draw with what was forgiven of it by hand. */
export interface RepDraw {
  readonly terms: DrawTerms;
  readonly forgiven: readonly { readonly amount: Decimal; readonly day: Day }[];
}

/** The draws of the reps, in the order in which they are granted and recovered. */
export async function loadRepDraws(
  tx: Transaction,
  repIds: readonly string[],
): Promise<ReadonlyMap<string, readonly RepDraw[]>> {
  const draws = await listDraws(tx, { repIds });
  const byRep = groupBy(draws, ({ repId }) => repId);
  return new Map(
    [...byRep].map(([repId, ofRep]) => [
      repId,
      ofRep.map(({ forgiven, ...draw }): RepDraw => {
        const maxPercent = Decimal.of(draw.recovery.maxPercent);
        const terms = { ...draw, amount: Decimal.of(draw.amount), recovery: { ...draw.recovery, maxPercent } };
        return { terms, forgiven: forgiven.map(({ amount, day }) => ({ amount: Decimal.of(amount), day })) };
      }),
    ]),
  );
}

/** What the person owes of the draw before the statement of the period. */
export function owedOf(draw: RepDraw, history: PayHistory, { period, range }: NamedPeriod): Decimal {
  return owedOn(draw, history.drawOpening(draw.terms.drawId, period, range), range.to);
}

/** What is left of the changes of what the person owes of the draw, once what was forgiven until the day is written off. */
export function owedOn({ terms, forgiven }: RepDraw, changes: Decimal, day: Day): Decimal {
  const { forgiveOn } = terms.recovery;
  if (!terms.recoverable || (forgiveOn !== null && forgiveOn <= day)) return Decimal.zero;
  const writtenOff = sum(forgiven.filter((part) => part.day <= day).map(({ amount }) => amount));
  return maximum(changes.minus(writtenOff), Decimal.zero);
}

/** What the person owes of the draw after all approved statements, seen from a day. */
export function openBalance({ terms, forgiven }: RepDraw, history: PayHistory, day: Day): Decimal {
  const { forgiveOn } = terms.recovery;
  if (!terms.recoverable || (forgiveOn !== null && forgiveOn <= day)) return Decimal.zero;
  const writtenOff = sum(forgiven.map(({ amount }) => amount));
  return maximum(history.drawChanges(terms.drawId).minus(writtenOff), Decimal.zero);
}

export function toStoredDrawLine({ terms, kind, amount, change, formula }: DrawLine): StoredDrawLine {
  return {
    drawId: terms.drawId,
    kind,
    drawKind: terms.kind,
    currency: terms.currency,
    amount: amount.toString(),
    change: change.toString(),
    formula,
  };
}
