import { addTo } from '../kernel/add-to.js';
import { Decimal, minimum, sum } from '../kernel/decimal.js';

/** What statements pay in one currency, divided over the entities whose lines they contain. */
export class EntityBalances {
  /** What lines of statements are worth, less what was paid of them, by entity; negative where the person owes. */
  private readonly open = new Map<string, Decimal>();

  add(entity: string, amount: Decimal): void {
    addTo(this.open, entity, amount);
  }

  /**
   * Each entity pays its own lines. What is kept of them clears first the entities in which the person owes, in the order
   * of their codes, and then lowers what the present entity pays.
   */
  divide(amount: Decimal, present: string): ReadonlyMap<string, Decimal> {
    const shares = new Map([...this.open].filter(([, open]) => open.sign() > 0));
    let kept = sum(shares.values()).minus(amount);
    const debts = [...this.open].filter(([, open]) => open.sign() < 0).sort(([a], [b]) => (a < b ? -1 : 1));
    for (const [entity, open] of debts) {
      if (kept.sign() <= 0) break;
      const cleared = minimum(kept, open.negated());
      shares.set(entity, cleared.negated());
      kept = kept.minus(cleared);
    }
    addTo(shares, present, kept.negated());
    return new Map([...shares].filter(([, share]) => !share.isZero()));
  }

  pay(shares: ReadonlyMap<string, Decimal>): void {
    for (const [entity, share] of shares) addTo(this.open, entity, share.negated());
  }
}
