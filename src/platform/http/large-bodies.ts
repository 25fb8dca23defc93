import { Failure } from '../../kernel/failure.js';

/** Bodies of fewer characters do not wait: reading and checking one takes a few milliseconds at most. */
const minLargeLength = 64 * 1024;
const maxWaiting = 16;
/** A workspace's large bodies occupy the event loop for one part of this many: too little to change the p95 of others. */
const pauseRatio = 20;
/** What follows the checks costs time too, which grows with the length. */
const msPerMebibyte = 2000;
const maxPauseMs = 3000;

/** The right to read and check one body. */
export interface BodyTurn {
  /** Runs a part of the work, whose duration decides how long the workspace's next large body waits. */
  spend<T>(work: () => T): T;
  /** Runs the last part of the work. */
  readonly spendLast: <T>(work: () => T) => T;
  /** Gives the turn to the next body after the pause. Further calls have no effect. */
  end(): void;
}

/** Bodies that do not wait have this turn. */
export const noTurn: BodyTurn = {
  spend: (work) => work(),
  spendLast: (work) => work(),
  end: () => undefined,
};

/**
 * Large bodies of a workspace are read and checked one after the other with pauses, because the process does nothing
 * else meanwhile. Other workspaces do not wait for them.
 */
export class LargeBodies {
  /** The waiting bodies of each workspace that has the turn or a pause. */
  private readonly lines = new Map<string, (() => void)[]>();

  /** Waits for the turn of a body that has been received. The turn must be ended. */
  async turn(workspaceId: string, length: number): Promise<BodyTurn> {
    if (length < minLargeLength) return noTurn;
    const waiting = this.lines.get(workspaceId);
    if (waiting === undefined) this.lines.set(workspaceId, []);
    else if (waiting.length < maxWaiting) await new Promise<void>((go) => waiting.push(go));
    else
      throw new Failure('rate_limited', `More than ${maxWaiting} large requests of the workspace are waiting.`, {
        retryAfter: Math.ceil(maxPauseMs / 1000),
      });
    return new LargeBodyTurn((spentMs) => {
      const pauseMs = Math.max(spentMs * pauseRatio, (length / mebibyte) * msPerMebibyte);
      setTimeout(() => this.next(workspaceId), Math.min(pauseMs, maxPauseMs)).unref();
    });
  }

  private next(workspaceId: string): void {
    const go = this.lines.get(workspaceId)?.shift();
    if (go === undefined) this.lines.delete(workspaceId);
    else go();
  }
}

const mebibyte = 1024 * 1024;

class LargeBodyTurn implements BodyTurn {
  private spentMs = 0;
  private hasEnded = false;

  constructor(private readonly onEnd: (spentMs: number) => void) {}

  readonly spendLast = <T>(work: () => T): T => {
    try {
      return this.spend(work);
    } finally {
      this.end();
    }
  };

  spend<T>(work: () => T): T {
    const startedAt = performance.now();
    try {
      return work();
    } finally {
      this.spentMs += performance.now() - startedAt;
    }
  }

  end(): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.onEnd(this.spentMs);
  }
}
