const halfLifeMs = 10_000;

/**
 * The recent load of each tenant in this process; a request counts half after ten seconds. Processes need not agree:
 * each of them sees which of two tenants requests more.
 */
export class DecayingLoad {
  private readonly loads = new Map<string, { units: number; at: number }>();

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Adds a request and returns the tenant's load. */
  add(tenant: string, units: number): number {
    const now = this.now();
    const before = this.loads.get(tenant);
    const load = units + (before === undefined ? 0 : before.units * 0.5 ** ((now - before.at) / halfLifeMs));
    this.loads.delete(tenant);
    this.loads.set(tenant, { units: load, at: now });
    this.deleteIdle(now);
    return load;
  }

  /** Deletes tenants without load; the start of the map holds those idle for longest. */
  private deleteIdle(now: number): void {
    for (const [tenant, { at }] of this.loads) {
      if (now - at < 20 * halfLifeMs) return;
      this.loads.delete(tenant);
    }
  }
}
