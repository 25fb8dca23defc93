import { createHmac } from 'node:crypto';
import { Agent, request } from 'node:http';
import { parentPort, Worker, workerData } from 'node:worker_threads';

/** Requests of one kind, sent over so many connections that are kept open, each its next when it has its answer. */
export interface Load {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent as it is, with `#` replaced by the number of the request, so that no two are the same. */
  readonly path: string;
  readonly body: string | null;
  /** Signs every body as a CRM does: HMAC-SHA-256 under the secret, in this header. */
  readonly signed?: { readonly header: string; readonly secret: string };
  readonly connections: number;
  readonly seconds: number;
}

interface LoadResult {
  readonly perSecond: number;
  readonly failed: number;
}

/** Loads from a thread of its own, so that asking and answering do not share an event loop. */
function load(asked: Load): Promise<LoadResult> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: asked });
    worker.once('message', resolve);
    worker.once('error', reject);
  });
}

async function send(asked: Load, agent: Agent, number: number): Promise<boolean> {
  const body = asked.body?.replaceAll('#', String(number)) ?? null;
  const headers =
    body === null
      ? asked.headers
      : { ...asked.headers, ...signature(asked, body), 'Content-Length': Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const sent = request(
      `${asked.url}${asked.path.replaceAll('#', String(number))}`,
      { method: asked.method, agent, headers },
      (response) => {
        response.resume();
        response.once('end', () => resolve((response.statusCode ?? 500) < 300));
      },
    );
    sent.once('error', reject);
    sent.end(body ?? undefined);
  });
}

/** Requests a second, all of them answered well. */
export async function answered(asked: Load): Promise<number> {
  const { perSecond, failed } = await load(asked);
  if (failed > 0) throw new Error(`${failed} of the requests to ${asked.path} failed`);
  return perSecond;
}

function signature({ signed }: Load, body: string): Record<string, string> {
  if (signed === undefined) return {};
  return { [signed.header]: createHmac('sha256', signed.secret).update(body).digest('hex') };
}

async function run(asked: Load): Promise<LoadResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: asked.connections });
  const start = performance.now();
  const end = start + asked.seconds * 1000;
  let sent = 0;
  let failed = 0;
  const connection = async () => {
    while (performance.now() < end) {
      sent += 1;
      if (!(await send(asked, agent, sent))) failed += 1;
    }
  };
  await Promise.all(Array.from({ length: asked.connections }, connection));
  const perSecond = sent / ((performance.now() - start) / 1000);
  agent.destroy();
  return { perSecond, failed };
}

if (parentPort !== null) parentPort.postMessage(await run(workerData as Load));
