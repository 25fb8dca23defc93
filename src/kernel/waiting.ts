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
  }).then(onTimeout);
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/** Computations that have yielded, in their order. */
const yielded: (() => void)[] = [];

function resumeNext(): void {
  yielded.shift()?.();
  if (yielded.length > 0) setImmediate(resumeNext);
}

/**
 * Lets the process serve other requests during a long computation. Of several computations that yield, one runs between
 * two turns of the event loop, so that requests wait for one slice and not for as many as there are computations.
 */
export function yieldToOthers(): Promise<void> {
  return new Promise((resolve) => {
    yielded.push(resolve);
    if (yielded.length === 1) setImmediate(resumeNext);
  });
}

/** How long a computation may occupy the event loop without letting other work run. */
const sliceMs = 10;

/** The time since other work could last run. Computations that run one after another share it. */
export class EventLoopSlice {
  private startedAt = performance.now();

  get isOver(): boolean {
    return performance.now() - this.startedAt >= sliceMs;
  }

  /** Lets requests and other computations run if the slice is over. */
  async pause(): Promise<void> {
    if (!this.isOver) return;
    await yieldToOthers();
    this.startedAt = performance.now();
  }
}

/** Maps a long list without blocking the process. */
export async function mapInSlices<T, U>(
  items: readonly T[],
  map: (item: T, index: number) => U,
  slice = new EventLoopSlice(),
): Promise<U[]> {
  const mapped: U[] = [];
  for (const item of items) {
    if (slice.isOver) await slice.pause();
    mapped.push(map(item, mapped.length));
  }
  return mapped;
}

/** Filters a long list without blocking the process. */
export async function filterInSlices<T>(items: readonly T[], passes: (item: T) => boolean): Promise<T[]> {
  const passing = await mapInSlices(items, passes);
  return items.filter((_, index) => passing[index]);
}

type Step = () => unknown;
type Results<Steps extends readonly Step[]> = { -readonly [Index in keyof Steps]: Awaited<ReturnType<Steps[Index]>> };

/**
 * Starts the steps in their order, without waiting in between, and returns their results. A step that throws rejects
 * like a step that fails later. In `Promise.all([f(), g()])`, an error thrown by `g` leaves the rejection of `f`
 * unhandled, which lint therefore rejects.
 */
export async function inParallel<const Steps extends readonly Step[]>(...steps: Steps): Promise<Results<Steps>> {
  return (await mapInParallel(steps, (step) => step())) as Results<Steps>;
}

/** Maps the items with all calls at the same time. */
export function mapInParallel<T, U>(items: Iterable<T>, map: (item: T) => U): Promise<Awaited<U>[]> {
  const started = Array.from(items, async (item) => map(item));
  return Promise.all(started);
}

/** Maps the items with at most so many calls at a time. */
export async function mapConcurrently<T, U>(
  items: readonly T[],
  concurrency: number,
  map: (item: T) => Promise<U>,
): Promise<U[]> {
  const mapped: U[] = new Array(items.length);
  const entries = items.entries();
  const work = async () => {
    for (const [index, item] of entries) mapped[index] = await map(item);
  };
  const workers = Array.from({ length: concurrency }, work);
  await Promise.all(workers);
  return mapped;
}
