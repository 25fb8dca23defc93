import { setTimeout as sleep } from 'node:timers/promises';

interface Polling {
  readonly maxWaitMs: number;
  /** The pause after the first read. Each following pause is half as long again, up to `maxPauseMs`. */
  readonly pauseMs: number;
  readonly maxPauseMs?: number;
  /** Aborting it ends the wait at once. */
  readonly signal?: AbortSignal;
}

/** Reads until the value is final or the time is up, and returns the last value. Reads at least once. */
export async function pollUntil<T>(
  read: () => Promise<T>,
  isFinal: (value: T) => boolean,
  { maxWaitMs, pauseMs, maxPauseMs = pauseMs, signal }: Polling,
): Promise<T> {
  const deadline = performance.now() + maxWaitMs;
  for (let pause = pauseMs; ; pause = Math.min(pause * 1.5, maxPauseMs)) {
    const value = await read();
    if (isFinal(value) || signal?.aborted === true || performance.now() >= deadline) return value;
    await sleep(pause, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
  }
}

/** Returns the result of the work, or that of `onTimeout` if the work takes longer. The work itself is not stopped. */
export async function withTimeout<T>(ms: number, work: Promise<T>, onTimeout: () => T): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  try {
    return await Promise.race([work, timeout.then(onTimeout)]);
  } finally {
    clearTimeout(timer);
  }
}

/** Lets the process serve other requests during a long computation. */
export function yieldToOthers(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
