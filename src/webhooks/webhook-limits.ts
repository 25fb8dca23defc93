import { Failure } from '../kernel/failure.js';

interface Bucket {
  tokens: number;
  at: number;
}

const burstSeconds = 4;
const mostRemembered = 10_000;

/**
 * So many deliveries a second from one account, four times as many at once, in this process. It keeps one account from
 * drowning the others; senders try again what is refused.
 */
export class WebhookLimits {
  private readonly buckets = new Map<string, Bucket>();

  constructor(
    private readonly perSecond: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Refuses a delivery when none of its accounts has anything left: what comes for several waits for no single one. */
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
