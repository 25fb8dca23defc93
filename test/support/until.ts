import { setTimeout as sleep } from 'node:timers/promises';

type NotYet = false | null | undefined;

interface Terms {
  /** What is awaited, for the message of the failure; by default the source of `look`. */
  readonly what?: string;
  readonly withinMs?: number;
  readonly pauseMs?: number;
}

/** Looks again until there is a value, and returns it. Fails before the time-out of the test, so that the message says what was awaited. */
export async function until<T>(
  look: () => T | Promise<T>,
  { what = String(look), withinMs = 200_000, pauseMs = 20 }: Terms = {},
): Promise<Exclude<T, NotYet>> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const found = await look();
    if (found !== false && found !== null && found !== undefined) return found as Exclude<T, NotYet>;
    if (performance.now() > deadline) throw new Error(`did not happen within ${withinMs} ms: ${what}`);
    await sleep(pauseMs);
  }
}
