import { createHmac } from 'node:crypto';
import { Agent, request } from 'node:http';
import { parentPort, Worker, workerData } from 'node:worker_threads';
import { type Effect } from './effects.js';
import { type Contender } from './measure.js';

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
  /** Counts only responses with a status below 300. */
  readonly responses: number;
  readonly bytes: number;
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

/** Returns the bytes of the body, or null after a status of 300 or more. */
async function send(options: Load, agent: Agent, number: number): Promise<number | null> {
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
        let bytes = 0;
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
        });
        response.once('end', () => resolve((response.statusCode ?? 500) < 300 ? bytes : null));
      },
    );
    sent.once('error', reject);
    sent.end(body ?? undefined);
  });
}

/** A contender of {@link loadContender}: its figure is the requests per second. */
export interface LoadContender extends Contender {
  prepare(): Promise<void>;
  run(): Promise<number>;
}

/** What the clients received in the current run. */
export interface Received {
  /** At least one, so that a run without requests does not have its effects. */
  responses(): number;
  bytes(): number;
}

/** Sends a load. Each run has a number, so that it can send what no run has sent before. */
export function loadContender(
  name: string,
  createLoad: (run: number) => Load,
  toEffects: (received: Received) => readonly Effect[],
): LoadContender {
  let runs = 0;
  let result: LoadResult | null = null;
  return {
    name,
    effects: toEffects({ responses: () => Math.max(1, result?.responses ?? 0), bytes: () => result?.bytes ?? 0 }),
    prepare: async () => {
      result = null;
    },
    run: async () => {
      runs += 1;
      result = await load(createLoad(runs));
      if (result.failed > 0) throw new Error(`${result.failed} requests of "${name}" failed`);
      return result.perSecond;
    },
  };
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
  const received = { responses: 0, bytes: 0, failed: 0 };
  const connection = async () => {
    while (performance.now() < end) {
      sent += 1;
      const bytes = await send(options, agent, sent);
      if (bytes === null) received.failed += 1;
      else {
        received.responses += 1;
        received.bytes += bytes;
      }
    }
  };
  await Promise.all(Array.from({ length: options.connections }, connection));
  const perSecond = sent / ((performance.now() - start) / 1000);
  agent.destroy();
  return { perSecond, ...received };
}

if (parentPort !== null) parentPort.postMessage(await run(workerData as Load));
