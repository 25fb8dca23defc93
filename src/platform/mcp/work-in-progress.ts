import { type AnyOperation } from '../operation.js';
import { type ResourceParts } from './guidance.js';
import { type Follow } from './tool.js';

export type Progress = (done: number, total: number) => Promise<void>;

/** Within the minute that clients wait for an answer by default. */
const longestFollowMs = 25_000;
const pollAfterSeconds = 2;
const [shortestPauseMs, longestPauseMs] = [50, 1000];

interface Waiting {
  readonly progress?: Progress;
  readonly signal: AbortSignal;
}

/**
 * The answer with how the work goes on. Who wants to hear of progress waits for the end, or for as long as is decent;
 * everybody else is told when to ask again.
 */
export async function followUp(
  follow: Follow,
  answer: unknown,
  { progress, signal }: Waiting,
  ask: (operation: AnyOperation, parts: ResourceParts) => Promise<unknown>,
): Promise<unknown> {
  const pending = { ...(answer as object), pollAfterSeconds };
  if (progress === undefined) return pending;
  const deadline = performance.now() + longestFollowMs;
  let reported = -1;
  for (let pauseMs = shortestPauseMs; ; pauseMs = Math.min(pauseMs * 1.5, longestPauseMs)) {
    const job = await ask(follow.operation, { params: follow.params(answer) });
    const { done, total, isOver } = follow.progress(job);
    if (done > reported) await progress(done, total);
    reported = Math.max(reported, done);
    if (isOver) return { ...(answer as object), ...(job as object) };
    if (signal.aborted || performance.now() > deadline) return { ...pending, ...(job as object) };
    await pause(pauseMs, signal);
  }
}

/** Ends early when nobody waits any more. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
  });
}
