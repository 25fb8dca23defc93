interface Sample {
  readonly atMs: number;
  /** The end of the primary's log at that time, in bytes. */
  readonly written: bigint;
}

const maxSamples = 10_000;

/**
 * How far a replica is behind, by positions in the log of the primary: the age of the newest position that the replica
 * has reached. Unlike the age of the last transaction, it is 0 while nothing is written, and needs no equal clocks.
 */
export class ReplicaLag {
  /** Positions that the replica had not reached when it was last measured, oldest first. */
  private ahead: Sample[] = [];
  private reachedAtMs: number | null = null;
  private lagSeconds = 0;

  constructor(private readonly maxSeconds: number) {}

  get isWithinBound(): boolean {
    return this.lagSeconds <= this.maxSeconds;
  }

  /**
   * Returns the lag in seconds. `written` is null while the primary is unavailable, and the lag then stays; `replayed` is
   * null for a server that is no streaming replica, whose lag is unknown and counts as 0.
   */
  measure(atMs: number, written: bigint | null, replayed: bigint | null): number {
    if (replayed === null) this.lagSeconds = 0;
    else if (written !== null) {
      if (this.ahead.length < maxSamples) this.ahead.push({ atMs, written });
      const isReached = (sample: Sample) => sample.written <= replayed;
      this.reachedAtMs = this.ahead.findLast(isReached)?.atMs ?? this.reachedAtMs ?? atMs;
      this.ahead = this.ahead.filter((sample) => !isReached(sample));
      this.lagSeconds = this.ahead.length === 0 ? 0 : (atMs - this.reachedAtMs) / 1000;
    }
    return this.lagSeconds;
  }
}
