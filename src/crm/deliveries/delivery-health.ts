import { sql } from 'kysely';
import { type UnitOfWork } from '../../platform/database/unit-of-work.js';
import { type Log } from '../../platform/log.js';
import { type CrmProvider } from '../adapters/port.js';

interface Counts {
  readonly source: CrmProvider;
  readonly route: string;
  verified: number;
  rejected: number;
}

const flushEveryMs = 1000;
const maxRoutes = 10_000;

/**
 * When the deliveries of each connection arrived, and how many had no valid signature. A process stores what it counted
 * once per second, so a storm of deliveries writes one row per second.
 */
export class DeliveryHealth {
  private counts = new Map<string, Counts>();
  private timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly log: Log,
  ) {}

  /** Counts a delivery for each route. Unknown routes have no effect: a rejected delivery may name any. */
  note(source: CrmProvider, routes: readonly string[], outcome: 'verified' | 'rejected'): void {
    for (const route of new Set(routes)) {
      const key = `${source} ${route}`;
      const counts = this.counts.get(key) ?? { source, route, verified: 0, rejected: 0 };
      if (!this.counts.has(key) && this.counts.size >= maxRoutes) return;
      counts[outcome] += 1;
      this.counts.set(key, counts);
    }
    if (this.counts.size > 0) this.timer ??= setTimeout(() => void this.flush(), flushEveryMs);
  }

  /** Stores the counts. A failure is logged and loses them. */
  async flush(): Promise<void> {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    const pending = [...this.counts.values()];
    this.counts = new Map();
    if (pending.length === 0) return;
    try {
      await this.unitOfWork.withoutWorkspace((tx) =>
        sql`
          select note_deliveries(${pending.map((count) => count.source)}::text[], ${pending.map((count) => count.route)}::text[],
            ${pending.map((count) => count.verified)}::integer[], ${pending.map((count) => count.rejected)}::integer[])`.execute(
          tx.db,
        ),
      );
    } catch (error) {
      this.log.warn({ err: error, routes: pending.length }, 'storing the health of webhooks failed');
    }
  }
}
