import { type Day } from '../kernel/day.js';
import { Decimal, minimum, sum } from '../kernel/decimal.js';
import { type Movement, noOrigin } from './movement.js';

interface DatedAmount {
  readonly day: Day;
  readonly amount: Decimal;
}

/** What was granted, recovered and forgiven of a draw that is paid back. */
export interface DrawFacts {
  readonly drawId: string;
  readonly currency: string;
  /** What batches have paid of it, on the days of the payments. */
  readonly granted: readonly DatedAmount[];
  /** What approved statements kept for it, on the last days of their periods. */
  readonly recovered: readonly DatedAmount[];
  readonly forgiven: readonly DatedAmount[];
  /** The day from which nothing is owed of it; null for none. */
  readonly forgiveOn: Day | null;
}

/** Nothing is recovered or forgiven before it was paid: what statements kept earlier counts on the day of the payment. */
export function listDrawMovements(facts: DrawFacts): Movement[] {
  const { drawId, currency, granted, recovered, forgiven, forgiveOn } = facts;
  const days = [...granted, ...recovered, ...forgiven].map(({ day }) => day);
  const all = [...new Set(forgiveOn === null ? days : [...days, forgiveOn])].sort();
  let kept = Decimal.zero;
  let lost = Decimal.zero;
  return all.flatMap((day): Movement[] => {
    const paid = until(granted, day);
    const keptNow = minimum(until(recovered, day), paid);
    const open = paid.minus(keptNow);
    const isForgiven = forgiveOn !== null && forgiveOn <= day;
    const lostNow = isForgiven ? open : minimum(until(forgiven, day), open);
    const [recovery, loss] = [keptNow.minus(kept), lostNow.minus(lost)];
    [kept, lost] = [keptNow, lostNow];
    const shared = { day, currency, origin: { ...noOrigin, drawId } };
    return [
      {
        ...shared,
        kind: 'draw_recovery' as const,
        source: `recovery|${drawId}`,
        amount: recovery.negated(),
        draws: recovery.negated(),
        asset: Decimal.zero,
      },
      {
        ...shared,
        kind: 'draw_forgiven' as const,
        source: `forgiven|${drawId}`,
        amount: Decimal.zero,
        draws: loss.negated(),
        asset: Decimal.zero,
      },
    ].filter(({ draws }) => !draws.isZero());
  });
}

function until(amounts: readonly DatedAmount[], day: Day): Decimal {
  return sum(amounts.filter((each) => each.day <= day).map(({ amount }) => amount));
}
