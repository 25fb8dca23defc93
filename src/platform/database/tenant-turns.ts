/**
 * So many at once for each tenant; the others of the same tenant wait in line, first come, first served. Without it
 * whoever sends most holds every connection, and everyone else waits behind them.
 */
export class TenantTurns {
  private readonly lines = new Map<string, { running: number; readonly waiting: (() => void)[] }>();

  constructor(private readonly atOnce: number) {}

  async run<T>(tenant: string, work: () => Promise<T>): Promise<T> {
    await this.take(tenant);
    try {
      return await work();
    } finally {
      this.give(tenant);
    }
  }

  private async take(tenant: string): Promise<void> {
    const line = this.lines.get(tenant) ?? { running: 0, waiting: [] };
    this.lines.set(tenant, line);
    if (line.running < this.atOnce) line.running += 1;
    else await new Promise<void>((go) => line.waiting.push(go));
  }

  /** Whoever ends hands the turn to the one who waits longest. */
  private give(tenant: string): void {
    const line = this.lines.get(tenant);
    if (line === undefined) return;
    const next = line.waiting.shift();
    if (next !== undefined) next();
    else if (line.running === 1) this.lines.delete(tenant);
    else line.running -= 1;
  }
}
