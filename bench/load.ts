import { createHmac } from 'node:crypto';
import { Agent, request } from 'node:http';
import { parentPort, Worker, workerData } from 'node:worker_threads';

/** Requests of one kind over persistent connections. Each connection sends the next request after a response. */
export interface Load {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The path and the body; `#` is replaced by the number of the request. */
  readonly path: string;
  readonly body: string | null;
  /** Signs every body as a CRM does: the HMAC-SHA-256 under the secret in this header. */
  readonly signed?: { readonly header: string; readonly secret: string };
  readonly connections: number;
  readonly seconds: number;
}

interface LoadResult {
  readonly perSecond: number;
  readonly failed: number;
}

/** Sends from a worker thread, so that client and service do not share an event loop. */
function load(options: Load): Promise<LoadResult> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: options });
    worker.once('message', resolve);
    worker.once('error', reject);
  });
}

async function send(options: Load, agent: Agent, number: number): Promise<boolean> {
  const body = options.body?.replaceAll('#', String(number)) ?? null;
  const headers =
    body === null
      ? options.headers
      : { ...options.headers, ...signature(options, body), 'Content-Length': Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const sent = request(
      `${options.url}${options.path.replaceAll('#', String(number))}`,
      { method: options.method, agent, headers },
      (response) => {
        response.resume();
        response.once('end', () => resolve((response.statusCode ?? 500) < 300));
      },
    );
    sent.once('error', reject);
    sent.end(body ?? undefined);
  });
}

/** Returns the requests per second; throws if one failed. */
export async function requestsPerSecond(options: Load): Promise<number> {
  const { perSecond, failed } = await load(options);
  if (failed > 0) throw new Error(`${failed} of the requests to ${options.path} failed`);
  return perSecond;
}

function signature({ signed }: Load, body: string): Record<string, string> {
  if (signed === undefined) return {};
  return { [signed.header]: createHmac('sha256', signed.secret).update(body).digest('hex') };
}

async function run(options: Load): Promise<LoadResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: options.connections });
  const start = performance.now();
  const end = start + options.seconds * 1000;
  let sent = 0;
  let failed = 0;
  const connection = async () => {
    while (performance.now() < end) {
      sent += 1;
      if (!(await send(options, agent, sent))) failed += 1;
    }
  };
  await Promise.all(Array.from({ length: options.connections }, connection));
  const perSecond = sent / ((performance.now() - start) / 1000);
  agent.destroy();
  return { perSecond, failed };
}

if (parentPort !== null) parentPort.postMessage(await run(workerData as Load));
