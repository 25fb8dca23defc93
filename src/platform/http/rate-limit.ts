import { type Response } from 'express';
import { type Caller } from '../../kernel/caller.js';
import { Failure } from '../../kernel/failure.js';
import { type Log } from '../log.js';
import { metrics } from '../metrics.js';

/** What counting one request came to. Seconds are those of the clock that all API processes share. */
export interface Counted {
  readonly accepted: boolean;
  readonly remaining: number;
  /** When the oldest second counted leaves the window. */
  readonly resetSecond: number;
  readonly nowSecond: number;
}

/**
 * Counts the requests of a token where all API processes see it, by the second. The window is the second under way
 * and the sixty before it: never more than the limit within any minute, at the price of waiting up to a second
 * longer. Refused requests do not count.
 */
export interface RateCounter {
  /** `at` stands in for the shared clock, in tests. */
  count(workspaceId: string, tokenId: string, most: number, at?: Date): Promise<Counted>;
  close(): Promise<void>;
}

/** What the database tells of a token that was counted for several requests at once. */
export interface CountRow {
  /** How many of them are within the limit. */
  readonly admitted: number;
  readonly remaining: number;
  readonly reset_second: string;
  readonly now_second: number;
}

/** What it comes to for the request in that place among those that were counted at once. */
export function countedAt(place: number, { admitted, remaining, reset_second, now_second }: CountRow): Counted {
  return {
    accepted: place < admitted,
    remaining: remaining + Math.max(0, admitted - 1 - place),
    resetSecond: Number(reset_second),
    nowSecond: now_second,
  };
}

const warnEveryMs = 10_000;

/** So many requests a minute for each token. A counter that is away stops nobody: a warning tells of it. */
export class RateLimit {
  private warnedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly counter: RateCounter,
    private readonly perMinute: number,
    private readonly log: Log,
  ) {}

  /**
   * Puts the limit's headers on the answer, whatever becomes of it, and refuses what is beyond the limit. A request may
   * have been counted already, when its token was looked up.
   */
  async admit(caller: Caller, response: Response, known: Counted | null): Promise<void> {
    if (caller.tokenId === undefined) return;
    const counted = known ?? (await this.count(caller.workspaceId, caller.tokenId));
    response.setHeader('X-RateLimit-Limit', this.perMinute);
    response.setHeader('X-RateLimit-Remaining', counted.remaining);
    response.setHeader('X-RateLimit-Reset', counted.resetSecond);
    if (counted.accepted) return;
    metrics.rateLimited.inc();
    const seconds = Math.max(1, Math.ceil(counted.resetSecond - counted.nowSecond));
    response.setHeader('Retry-After', seconds);
    throw new Failure('rate_limited', `More than ${this.perMinute} requests in a minute. Try again in ${seconds} s.`);
  }

  close(): Promise<void> {
    return this.counter.close();
  }

  private async count(workspaceId: string, tokenId: string): Promise<Counted> {
    try {
      return await this.counter.count(workspaceId, tokenId, this.perMinute);
    } catch (error) {
      this.warn(error);
      const nowSecond = Math.floor(Date.now() / 1000);
      return { accepted: true, remaining: this.perMinute, resetSecond: nowSecond + 60, nowSecond };
    }
  }

  private warn(error: unknown): void {
    const now = performance.now();
    if (now - this.warnedAt < warnEveryMs) return;
    this.warnedAt = now;
    this.log.warn({ err: error }, 'requests cannot be counted; nobody is limited until they can');
  }
}
