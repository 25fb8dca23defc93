import { type MessagePort, parentPort } from 'node:worker_threads';
import { Failure } from '../../kernel/failure.js';
import { type ThreadMessage, type ThreadResponse } from './thread-messages.js';

/** Sends a request to the process that runs the task, and returns its reply. */
export type RequestOfThread = (request: unknown) => Promise<unknown>;

/** A text, or bytes that the thread gives away. */
type Result = string | Uint8Array;

/** Handles the tasks of the pool in a worker thread. */
export function serveThread(
  handle: (parts: readonly unknown[], request: RequestOfThread) => Result | Promise<Result>,
): void {
  const port = parentPort as MessagePort;
  const requests = new Requests(port);
  let parts: unknown[] = [];
  port.on('message', async (message: ThreadMessage) => {
    if ('part' in message) {
      parts.push(message.part);
      return;
    }
    if ('reply' in message) {
      requests.complete(message.id, message.reply);
      return;
    }
    const taskParts = parts;
    parts = [];
    const response = await toResponse(() => handle(taskParts, requests.send));
    port.postMessage(response, 'result' in response ? [response.result.buffer as ArrayBuffer] : []);
  });
}

/** The requests that wait for a reply. A request that fails ends the thread, so it needs no reply. */
class Requests {
  private readonly waiting = new Map<number, (reply: unknown) => void>();
  private last = 0;

  constructor(private readonly port: MessagePort) {}

  readonly send: RequestOfThread = (request) =>
    new Promise((resolve) => {
      this.last += 1;
      this.waiting.set(this.last, resolve);
      this.port.postMessage({ request, id: this.last } satisfies ThreadResponse);
    });

  complete(id: number, reply: unknown): void {
    this.waiting.get(id)?.(reply);
    this.waiting.delete(id);
  }
}

async function toResponse(work: () => Result | Promise<Result>): Promise<ThreadResponse> {
  try {
    const result = await work();
    // Small buffers share their memory with others, which a transfer would take from them.
    return { result: typeof result === 'string' ? new TextEncoder().encode(result) : new Uint8Array(result) };
  } catch (error) {
    if (!(error instanceof Failure)) return { error: String((error as Error).stack ?? error) };
    const { code, message, details } = error;
    return { failure: { code, message, ...(details === undefined ? {} : { details }) } };
  }
}
