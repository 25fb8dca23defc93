/** Deals that a fake computes when they are read, so that a large number of them takes little memory. */
interface GeneratedDeals<Deal> {
  readonly count: number;
  /** The deal at the position, equal at each call. Its id depends on the position alone. */
  at(position: number): Deal;
  /** The position of the deal with the id; null for the id of another deal. */
  positionOf(id: string): number | null;
}

/** The deals of a fake in the order of their creation: the generated ones, then those that were added one by one. */
export class DealStore<Deal> {
  private generated: GeneratedDeals<Deal> = { count: 0, at: () => never(), positionOf: () => null };
  private readonly added = new Map<string, Deal>();
  /** Generated deals that were changed, and null for those that were removed. */
  private readonly changed = new Map<string, Deal | null>();

  constructor(private readonly idOf: (deal: Deal) => string) {}

  generate(deals: GeneratedDeals<Deal>): void {
    this.generated = deals;
  }

  /** Callers must not change the deal. */
  get(id: string): Deal | undefined {
    const position = this.positionOf(id);
    if (position === null) return this.added.get(id);
    const changed = this.changed.get(id);
    return changed === undefined ? this.generated.at(position) : (changed ?? undefined);
  }

  /** The deal, stored so that a change of it lasts. */
  forChange(id: string): Deal {
    const deal = this.get(id);
    if (deal === undefined) throw new Error(`the fake CRM has no deal ${id}`);
    this.set(id, deal);
    return deal;
  }

  set(id: string, deal: Deal): void {
    if (this.positionOf(id) === null) this.added.set(id, deal);
    else this.changed.set(id, deal);
  }

  delete(id: string): void {
    if (this.positionOf(id) === null) this.added.delete(id);
    else this.changed.set(id, null);
  }

  /** The deals from a position of the generated ones on. */
  *values(from = 0): Generator<Deal> {
    for (let position = from; position < this.generated.count; position += 1) {
      const deal = this.generated.at(position);
      const changed = this.changed.get(this.idOf(deal));
      if (changed !== null) yield changed ?? deal;
    }
    yield* this.added.values();
  }

  *ids(): Generator<string> {
    for (const deal of this.values()) yield this.idOf(deal);
  }

  private positionOf(id: string): number | null {
    const position = this.generated.positionOf(id);
    return position === null || position < 0 || position >= this.generated.count ? null : position;
  }
}

function never(): never {
  throw new Error('there are no generated deals');
}
