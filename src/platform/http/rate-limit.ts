import { type Response } from 'express';
import { type Caller } from '../../kernel/caller.js';
import { Failure } from '../../kernel/failure.js';
import { type Log, throttledWarning } from '../log.js';
import { metrics } from '../metrics.js';

/** The result of counting one request. Seconds are those of the clock that all API processes share. */
export interface Counted {
  readonly accepted: boolean;
  readonly remaining: number;
  /** When the oldest second counted leaves the window. */
  readonly resetSecond: number;
  readonly nowSecond: number;
}

/**
 * Counts the requests of a token, or of a connected agent, by the second, in a store that all API processes share. The window is the current
 * second and the sixty before it: never more than the limit within any minute, at the price of waiting up to a
 * second longer. Rejected requests do not count.
 */
export interface RateCounter {
  /** `at` replaces the shared clock in tests. */
  count(workspaceId: string, tokenId: string, limit: number, at?: Date): Promise<Counted>;
  close(): Promise<void>;
}

/** The database's result for a token that was counted for several requests at once. */
export interface CountRow {
  /** How many of the requests are within the limit. */
  readonly admitted: number;
  readonly remaining: number;
  readonly reset_second: string;
  readonly now_second: number;
}

/** Converts the result for the request at the position among those that were counted at once. */
export function toCounted(position: number, { admitted, remaining, reset_second, now_second }: CountRow): Counted {
  return {
    accepted: position < admitted,
    remaining: remaining + Math.max(0, admitted - 1 - position),
    resetSecond: Number(reset_second),
    nowSecond: now_second,
  };
}

/**
 * Limits the requests a minute of each token. When the counter is not reachable, requests are admitted and a warning
 * is logged.
 */
export class RateLimit {
  private readonly warn: (error: Error) => void;

  constructor(
    private readonly counter: RateCounter,
    private readonly perMinute: number,
    log: Log,
  ) {
    this.warn = throttledWarning(log, 'counting requests failed; requests are not limited');
  }

  /**
   * Sets the rate limit headers on every response, and rejects requests beyond the limit. The request may have been
   * counted already, when its token was looked up.
   */
  async admit(caller: Caller, response: Response, known: Counted | null): Promise<void> {
    const { workspaceId, tokenId } = caller;
    if (tokenId === undefined) return;
    // All tokens of an agent are counted together: it gets a new one whenever it refreshes.
    const counted = known ?? (await this.count(workspaceId, caller.agent?.connectionId ?? tokenId));
    response.setHeader('X-RateLimit-Limit', this.perMinute);
    response.setHeader('X-RateLimit-Remaining', counted.remaining);
    response.setHeader('X-RateLimit-Reset', counted.resetSecond);
    if (counted.accepted) return;
    metrics.rateLimited.inc();
    const seconds = Math.max(1, Math.ceil(counted.resetSecond - counted.nowSecond));
    response.setHeader('Retry-After', seconds);
    throw new Failure(
      'rate_limited',
      `The token has exceeded ${this.perMinute} requests a minute. Try again in ${seconds} s.`,
    );
  }

  close(): Promise<void> {
    return this.counter.close();
  }

  private async count(workspaceId: string, tokenId: string): Promise<Counted> {
    try {
      return await this.counter.count(workspaceId, tokenId, this.perMinute);
    } catch (error) {
      metrics.rateLimitUnenforced.inc();
      this.warn(error as Error);
      const nowSecond = Math.floor(Date.now() / 1000);
      return { accepted: true, remaining: this.perMinute, resetSecond: nowSecond + 60, nowSecond };
    }
  }
}
