import { AsyncLocalStorage } from 'node:async_hooks';
import { type Log } from '../log.js';
import { metrics } from '../metrics.js';

/** The request for which code runs. */
interface RequestContext {
  readonly requestId: string;
  /** Sends the error unless the response has begun. */
  fail(error: unknown): void;
}

const requests = new AsyncLocalStorage<RequestContext>();

/** Runs the work, and all that it starts, for the request. */
export function runForRequest(request: RequestContext, work: () => void): void {
  requests.run(request, work);
}

/**
 * A rejected promise that no code handles is an error in one request or job. Node.js would end the process, and with
 * it all other requests. It is logged and counted, and its request is answered with the error.
 */
export function reportUnhandledRejections(log: Log): void {
  process.on('unhandledRejection', (error) => {
    const request = requests.getStore();
    metrics.unhandledRejections.inc();
    log.error({ err: error, requestId: request?.requestId }, 'no code handled a rejected promise');
    request?.fail(error);
  });
}
