import { LRUCache } from 'lru-cache';
import { Failure } from '../../kernel/failure.js';

interface Bucket {
  tokens: number;
  at: number;
}

const burstSeconds = 4;
const maxAccounts = 10_000;

/**
 * Limits the deliveries of one account per second, with bursts of four times as many, in this process. Senders retry
 * rejected deliveries.
 */
export class WebhookLimits {
  private readonly buckets = new LRUCache<string, Bucket>({ max: maxAccounts });

  constructor(
    private readonly perSecond: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Rejects a delivery if none of its accounts has capacity left. */
  admit(source: string, routes: readonly string[]): void {
    const accepted = routes.map((route) => this.take(`${source} ${route}`));
    if (accepted.length === 0 || accepted.includes(true)) return;
    throw new Failure(
      'rate_limited',
      `More than ${this.perSecond} deliveries per second. Send this delivery again later.`,
      {
        retryAfter: 1,
      },
    );
  }

  private take(key: string): boolean {
    const now = this.now();
    const capacity = this.perSecond * burstSeconds;
    const bucket = this.buckets.get(key) ?? { tokens: capacity, at: now };
    bucket.tokens = Math.min(capacity, bucket.tokens + ((now - bucket.at) / 1000) * this.perSecond);
    bucket.at = now;
    this.buckets.set(key, bucket);
    if (bucket.tokens < 1) return false;
    bucket.tokens -= 1;
    return true;
  }
}
