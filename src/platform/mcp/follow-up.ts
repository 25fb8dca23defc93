import { timeLimit } from '../../kernel/time-limit.js';
import { pollUntil } from '../../kernel/waiting.js';
import { type AnyOperation } from '../operations/operation.js';
import { type ResourceParts } from './guidance.js';
import { type Follow } from './tool.js';

export type Progress = (done: number, total: number) => Promise<void>;

/** Within the minute that clients wait for a response by default. */
const maxFollowMs = timeLimit(25_000);
const pollAfterSeconds = 2;

interface Waiting {
  readonly progress?: Progress;
  readonly signal: AbortSignal;
}

/**
 * The result with the progress of the work. A client that requests progress waits for the end of the work or the
 * time limit; every other client gets the interval in which to poll.
 */
export async function followUp(
  follow: Follow<AnyOperation>,
  response: unknown,
  { progress, signal }: Waiting,
  read: (operation: AnyOperation, parts: ResourceParts) => Promise<unknown>,
): Promise<unknown> {
  const pending = { ...(response as object), pollAfterSeconds };
  if (progress === undefined) return pending;
  let reported = -1;
  const { job, isOver } = await pollUntil(
    async () => {
      const found = await read(follow.operation, { params: follow.params(response) });
      const { done, total, isOver: ended } = follow.progress(found);
      if (done > reported) await progress(done, total);
      reported = Math.max(reported, done);
      return { job: found, isOver: ended };
    },
    (state) => state.isOver,
    { maxWaitMs: maxFollowMs, pauseMs: 50, maxPauseMs: 1000, signal },
  );
  return isOver ? { ...(response as object), ...(job as object) } : { ...pending, ...(job as object) };
}
