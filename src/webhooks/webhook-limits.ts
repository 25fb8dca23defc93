import { Failure } from '../kernel/failure.js';

interface Bucket {
  tokens: number;
  at: number;
}

const burstSeconds = 4;
const mostRemembered = 10_000;

/**
 * Limits the deliveries of one account per second, with bursts of four times as many, in this process. Senders retry
 * rejected deliveries.
 */
export class WebhookLimits {
  private readonly buckets = new Map<string, Bucket>();

  constructor(
    private readonly perSecond: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Rejects a delivery if none of its accounts has capacity left. */
  admit(source: string, routes: readonly string[]): void {
    const accepted = routes.map((route) => this.take(`${source} ${route}`));
    if (accepted.length === 0 || accepted.includes(true)) return;
    throw new Failure('rate_limited', `More than ${this.perSecond} deliveries a second. Send this one again.`, {
      retryAfter: 1,
    });
  }

  private take(key: string): boolean {
    const now = this.now();
    const most = this.perSecond * burstSeconds;
    if (this.buckets.size >= mostRemembered) this.buckets.clear();
    const bucket = this.buckets.get(key) ?? { tokens: most, at: now };
    bucket.tokens = Math.min(most, bucket.tokens + ((now - bucket.at) / 1000) * this.perSecond);
    bucket.at = now;
    this.buckets.set(key, bucket);
    if (bucket.tokens < 1) return false;
    bucket.tokens -= 1;
    return true;
  }
}
