import { type MessagePort, parentPort } from 'node:worker_threads';
import { Failure } from '../../kernel/failure.js';
import { type ThreadAnswer, type ThreadMessage } from './thread-messages.js';

/** Handles the tasks of the pool in a worker thread. */
export function serveThread(handle: (parts: readonly unknown[]) => string): void {
  const port = parentPort as MessagePort;
  let parts: unknown[] = [];
  port.on('message', (message: ThreadMessage) => {
    if ('part' in message) {
      parts.push(message.part);
      return;
    }
    const given = parts;
    parts = [];
    const answer = answerOf(() => handle(given));
    port.postMessage(answer, 'result' in answer ? [answer.result.buffer as ArrayBuffer] : []);
  });
}

function answerOf(work: () => string): ThreadAnswer {
  try {
    return { result: new TextEncoder().encode(work()) };
  } catch (error) {
    if (!(error instanceof Failure)) return { error: String((error as Error).stack ?? error) };
    const { code, message, details } = error;
    return { failure: { code, message, ...(details === undefined ? {} : { details }) } };
  }
}
