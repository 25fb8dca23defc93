interface Line {
  running: number;
  activeAt: number;
  readonly waiting: (() => void)[];
  /**
   * Set while work waits: a share also grows when another tenant becomes inactive, an event that completes no work
   * of this tenant.
   */
  timer: NodeJS.Timeout | null;
}

/** A tenant counts as active for this long after its last request, because the next one usually follows. */
const staysActiveMs = 1000;

/**
 * Divides the permitted concurrency among the active tenants: a single tenant has all of it, two have half each, and
 * every tenant has at least one. Further work of a tenant waits in first-in, first-out order. Without the limiter,
 * the tenant with the most requests would occupy every connection and the processor.
 */
export class TenantLimiter {
  private readonly lines = new Map<string, Line>();

  constructor(
    private readonly concurrency: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  async run<T>(tenant: string, work: () => Promise<T>): Promise<T> {
    const line = this.getLine(tenant);
    if (line.running < this.share()) line.running += 1;
    else await this.slot(line);
    try {
      return await work();
    } finally {
      line.running -= 1;
      this.next(line);
    }
  }

  /** Whether another tenant is active. */
  hasOthers(tenant: string): boolean {
    this.removeInactive();
    return this.lines.size > (this.lines.has(tenant) ? 1 : 0);
  }

  private async slot(line: Line): Promise<void> {
    line.timer ??= setInterval(() => this.next(line), staysActiveMs).unref();
    await new Promise<void>((go) => line.waiting.push(go));
    if (line.waiting.length > 0 || line.timer === null) return;
    clearInterval(line.timer);
    line.timer = null;
  }

  /** Moves the tenant to the end of the map, so that the map is ordered by last activity. */
  private getLine(tenant: string): Line {
    const line = this.lines.get(tenant) ?? { running: 0, activeAt: 0, waiting: [], timer: null };
    line.activeAt = this.now();
    this.lines.delete(tenant);
    this.lines.set(tenant, line);
    return line;
  }

  /** Starts the work that has waited longest, or several if the share has grown. */
  private next(line: Line): void {
    const share = this.share();
    while (line.running < share) {
      const go = line.waiting.shift();
      if (go === undefined) return;
      line.running += 1;
      go();
    }
  }

  private removeInactive(): void {
    const now = this.now();
    for (const [tenant, { running, activeAt }] of this.lines) {
      if (now - activeAt < staysActiveMs) break;
      if (running === 0) this.lines.delete(tenant);
    }
  }

  private share(): number {
    this.removeInactive();
    return Math.max(1, Math.floor(this.concurrency / Math.max(1, this.lines.size)));
  }
}
