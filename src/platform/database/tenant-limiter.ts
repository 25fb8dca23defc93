interface Line {
  running: number;
  activeAt: number;
  readonly waiting: (() => void)[];
  /** Set while work waits: the share also grows when other tenants become inactive, which ends no work of this one. */
  timer: NodeJS.Timeout | null;
}

/** A tenant that was here so lately still counts: it is about to come again. */
const staysActiveMs = 1000;

/**
 * Divides what can go on at once among the tenants that are active: one alone has all of it, of two each has half,
 * and nobody less than one. The rest of a tenant's work waits in its own line, first come, first served. Without it
 * whoever sends most holds every connection and the processor, and everyone else waits behind them.
 */
export class TenantLimiter {
  private readonly lines = new Map<string, Line>();

  constructor(
    private readonly atOnce: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  async run<T>(tenant: string, work: () => Promise<T>): Promise<T> {
    const line = this.lineOf(tenant);
    if (line.running < this.share()) line.running += 1;
    else await this.slot(line);
    try {
      return await work();
    } finally {
      line.running -= 1;
      this.next(line);
    }
  }

  private async slot(line: Line): Promise<void> {
    line.timer ??= setInterval(() => this.next(line), staysActiveMs).unref();
    await new Promise<void>((go) => line.waiting.push(go));
    if (line.waiting.length > 0 || line.timer === null) return;
    clearInterval(line.timer);
    line.timer = null;
  }

  /** To the back of the map, so that those at its front have been silent longest. */
  private lineOf(tenant: string): Line {
    const line = this.lines.get(tenant) ?? { running: 0, activeAt: 0, waiting: [], timer: null };
    line.activeAt = this.now();
    this.lines.delete(tenant);
    this.lines.set(tenant, line);
    return line;
  }

  /** The one who waits longest goes on; several, when others have left and the share has grown. */
  private next(line: Line): void {
    const share = this.share();
    while (line.running < share) {
      const go = line.waiting.shift();
      if (go === undefined) return;
      line.running += 1;
      go();
    }
  }

  private share(): number {
    const now = this.now();
    for (const [tenant, { running, activeAt }] of this.lines) {
      if (now - activeAt < staysActiveMs) break;
      if (running === 0) this.lines.delete(tenant);
    }
    return Math.max(1, Math.floor(this.atOnce / Math.max(1, this.lines.size)));
  }
}
