const halfLifeMs = 10_000;

/**
 * How much each tenant has asked for of late, as this process has seen it: what was asked ten seconds ago counts half.
 * Processes need not agree; of two tenants each of them sees which one asks for more.
 */
export class DecayingLoad {
  private readonly loads = new Map<string, { units: number; at: number }>();

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Adds what is asked now, and gives the sum. */
  add(tenant: string, units: number): number {
    const now = this.now();
    const before = this.loads.get(tenant);
    const load = units + (before === undefined ? 0 : before.units * 0.5 ** ((now - before.at) / halfLifeMs));
    this.loads.delete(tenant);
    this.loads.set(tenant, { units: load, at: now });
    this.forget(now);
    return load;
  }

  /** Those at the front of the map have been silent longest. */
  private forget(now: number): void {
    for (const [tenant, { at }] of this.loads) {
      if (now - at < 20 * halfLifeMs) return;
      this.loads.delete(tenant);
    }
  }
}
