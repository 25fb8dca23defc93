import { pollUntil } from '../../kernel/waiting.js';
import { type AnyOperation } from '../operation.js';
import { type ResourceParts } from './guidance.js';
import { type Follow } from './tool.js';

export type Progress = (done: number, total: number) => Promise<void>;

/** Within the minute that clients wait for an answer by default. */
const longestFollowMs = 25_000;
const pollAfterSeconds = 2;

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
  let reported = -1;
  const { job, isOver } = await pollUntil(
    async () => {
      const found = await ask(follow.operation, { params: follow.params(answer) });
      const { done, total, isOver: ended } = follow.progress(found);
      if (done > reported) await progress(done, total);
      reported = Math.max(reported, done);
      return { job: found, isOver: ended };
    },
    (state) => state.isOver,
    { maxWaitMs: longestFollowMs, pauseMs: 50, maxPauseMs: 1000, signal },
  );
  return isOver ? { ...(answer as object), ...(job as object) } : { ...pending, ...(job as object) };
}
