import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import express, { type RequestHandler, type Response } from 'express';

/** A fault that affects matching requests. */
export interface Fault {
  /** Matched against `METHOD /path`, the same with the decoded query, and with the body as JSON after a space. */
  readonly on: RegExp;
  /** Number of matching requests that pass first; default 0. */
  readonly after?: number;
  /** Number of requests affected; default all, until the fault is ended. */
  readonly times?: number;
  /** Responds instead of the server, or calls `next` afterwards. */
  readonly answer: RequestHandler;
}

interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly body: unknown;
}

export interface FakeServerOptions {
  /** The server's clock, used for rate limits and token lifetimes. */
  readonly now?: () => number;
}

const maxRecordedRequests = 10_000;

/** A real HTTP server on loopback that simulates a vendor, records its requests and injects faults. */
export class FakeServer {
  readonly app = express();
  /** The oldest request is the first. */
  readonly requests: RecordedRequest[] = [];
  /** URL of the server: `http://127.0.0.1:port`. */
  url = '';
  readonly now: () => number;
  private readonly faults = new Set<{ fault: Fault; seen: number }>();
  private readonly server: Server;

  constructor({ now = Date.now }: FakeServerOptions = {}) {
    this.now = now;
    this.server = createServer(this.app);
    this.app.disable('x-powered-by').disable('etag');
    this.app.use(express.json({ limit: '5mb' }), express.urlencoded({ extended: false }));
    this.app.use((request, response, next) => {
      response.setHeader('Date', new Date(this.now()).toUTCString());
      const { method, path, url, body } = request;
      const recorded = { method, path, query: url.slice(path.length + 1), body };
      this.record(recorded);
      const faulty = this.faultyHandler(recorded);
      if (faulty === undefined) next();
      else faulty(request, response, next);
    });
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', reject).listen(0, '127.0.0.1', resolve);
    });
    this.url = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  /** Returns a function that ends the fault early. */
  fault(fault: Fault): () => void {
    const entry = { fault, seen: 0 };
    this.faults.add(entry);
    return () => void this.faults.delete(entry);
  }

  /** Number of requests that match, as those of a fault. */
  countRequests(pattern: RegExp): number {
    return this.requests.filter((request) => matchesRequest(pattern, request)).length;
  }

  private faultyHandler(request: RecordedRequest): RequestHandler | undefined {
    for (const entry of this.faults) {
      const { on, after = 0, times = Number.POSITIVE_INFINITY, answer } = entry.fault;
      if (!matchesRequest(on, request)) continue;
      entry.seen++;
      if (entry.seen >= after + times) this.faults.delete(entry);
      if (entry.seen > after) return answer;
    }
    return undefined;
  }

  private record(request: RecordedRequest): void {
    this.requests.push(request);
    if (this.requests.length > maxRecordedRequests) this.requests.shift();
  }
}

export const hangUp: RequestHandler = (request) => void request.socket.destroy();

export function respondWith(status: number, body: unknown = {}, headers: Record<string, string> = {}): RequestHandler {
  return (_request, response) => void response.status(status).set(headers).json(body);
}

export function respondWithText(status: number, text: string): RequestHandler {
  return (_request, response) => void response.status(status).type('text/html').send(text);
}

export function respondLate(delayMs: number): RequestHandler {
  return async (_request, _response, next) => {
    await sleep(delayMs);
    next();
  };
}

/**
 * Admits a number of requests per window. `sendRejection` responds to the others and receives the start of the next
 * window; `setHeaders` receives the number of requests that remain.
 */
export function rateLimit(
  { now }: Pick<FakeServer, 'now'>,
  limit: { readonly max: () => number; readonly windowMs: number },
  sendRejection: (response: Response, opensAt: Date) => void,
  setHeaders: (response: Response, remaining: number) => void = () => {},
): RequestHandler {
  let window = 0;
  let used = 0;
  return (_request, response, next) => {
    const current = Math.floor(now() / limit.windowMs);
    if (current !== window) used = 0;
    window = current;
    used++;
    setHeaders(response, Math.max(0, limit.max() - used));
    if (used <= limit.max()) next();
    else sendRejection(response, new Date((current + 1) * limit.windowMs));
  };
}

function matchesRequest(pattern: RegExp, { method, path, query, body }: RecordedRequest): boolean {
  const line = `${method} ${path}`;
  if (pattern.test(line) || pattern.test(`${line}?${decodeURIComponent(query.replaceAll('+', ' '))}`)) return true;
  return method !== 'GET' && pattern.test(`${line} ${JSON.stringify(body)}`);
}
