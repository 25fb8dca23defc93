import { once } from 'node:events';
import { Agent, request as send } from 'node:http';
import { parentPort, Worker, workerData } from 'node:worker_threads';
import { maxWaitSeconds } from './measure.js';

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  /** How the table calls it; by default its method and path. */
  readonly name?: string;
}

export interface Measurement {
  readonly request: Request;
  readonly ms: number;
  readonly bytes: number;
  /** The longest wait for /livez meanwhile, also while its job runs. */
  readonly livezMs: number;
  /** From the request to the end of its job; null if it started none. */
  readonly jobMs: number | null;
}

interface Client {
  readonly url: string;
  readonly apiKey: string;
}

/** Sends requests from a worker thread, so that client and service do not share an event loop. */
export class RequestMeter {
  private readonly worker: Worker;

  constructor(url: string, apiKey: string) {
    this.worker = new Worker(new URL(import.meta.url), { workerData: { url, apiKey } satisfies Client });
  }

  /** The longest wait for /livez while nothing else is requested. */
  async idle(pauseMs: number): Promise<number> {
    return (await this.ask<{ livezMs: number }>({ pauseMs })).livezMs;
  }

  async measure(request: Request): Promise<Measurement> {
    const measured = await this.ask<Omit<Measurement, 'request'> & { readonly failure?: string }>({ request });
    if (measured.failure !== undefined) throw new Error(`${request.method} ${request.path}: ${measured.failure}`);
    if (process.env['BENCH_VERBOSE']) {
      const { ms, bytes, livezMs, jobMs } = measured;
      const figures = [ms, bytes, livezMs, jobMs ?? 0].map((figure) => Math.round(figure)).join(' ');
      process.stderr.write(`${request.method} ${request.path}: ${figures}\n`);
    }
    return { request, ...measured };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.worker.terminate();
  }

  private async ask<Answer>(task: Task): Promise<Answer> {
    const answer = once(this.worker, 'message');
    this.worker.postMessage(task);
    return (await answer)[0] as Answer;
  }
}

interface Task {
  readonly request?: Request;
  readonly pauseMs?: number;
}

interface Answer {
  readonly status: number;
  readonly bytes: number;
  /** Only that of a job or of an error is kept. */
  readonly text: string;
}

const agent = new Agent({ keepAlive: true });
const keptBytes = 10_000;

function exchange({ url, apiKey }: Client, { method, path, body }: Request): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' };
    const sent = send(`${url}${path}`, { method, agent, headers }, (response) => {
      let bytes = 0;
      let text = '';
      response.on('data', (part: Buffer) => {
        bytes += part.length;
        if (bytes < keptBytes) text += part.toString();
      });
      response.once('end', () => resolve({ status: response.statusCode ?? 500, bytes, text }));
    });
    sent.setTimeout(maxWaitSeconds * 1000, () => sent.destroy(new Error('no response in time')));
    sent.once('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** Requests /livez every 5 ms. The returned function ends this and returns the longest wait. */
function watchLivez(client: Client): () => Promise<number> {
  let longest = 0;
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      const start = performance.now();
      await exchange(client, { method: 'GET', path: '/livez' });
      longest = Math.max(longest, performance.now() - start);
      await pause(5);
    }
  })();
  return async () => {
    isOver = true;
    await watching;
    return longest;
  };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

async function measureRequest(client: Client, request: Request): Promise<object> {
  const stop = watchLivez(client);
  const start = performance.now();
  try {
    const answer = await exchange(client, request);
    const ms = performance.now() - start;
    if (answer.status >= 300) throw new Error(`status ${answer.status}: ${answer.text.slice(0, 300)}`);
    const jobMs = answer.status === 202 ? await endOfJob(client, request, answer, start) : null;
    return { ms, bytes: answer.bytes, livezMs: await stop(), jobMs };
  } catch (error) {
    await stop();
    return { failure: String(error) };
  }
}

interface JobAnswer {
  readonly jobId: string;
  readonly kind: string;
  readonly status: string;
  readonly job?: JobAnswer;
}

const jobPaths: Readonly<Record<string, string>> = {
  generation: '/v1/statements/generate/jobs/',
};
const exportJobPath = '/v1/statements/export/jobs/';

/** A list of exceptions is there when its request no longer responds with a job. */
async function endOfJob(client: Client, request: Request, { text }: Answer, start: number): Promise<number> {
  const answer = JSON.parse(text) as JobAnswer;
  const { jobId, kind } = answer.job ?? answer;
  const polled =
    kind === 'exceptions' ? request : { method: 'GET', path: `${jobPaths[kind] ?? exportJobPath}${jobId}` };
  for (;;) {
    const progress = await exchange(client, polled);
    const { status } = kind === 'exceptions' ? exceptionStatus(progress) : (JSON.parse(progress.text) as JobAnswer);
    if (status === 'failed') throw new Error(`the job ${kind} failed`);
    if (status !== 'running') return performance.now() - start;
    await pause(200);
  }
}

function exceptionStatus({ status, text }: Answer): { readonly status: string } {
  if (status === 200) return { status: 'completed' };
  return (JSON.parse(text) as { readonly job: JobAnswer }).job;
}

parentPort?.on('message', async ({ request, pauseMs = 0 }: Task) => {
  const client = workerData as Client;
  if (request !== undefined) return parentPort?.postMessage(await measureRequest(client, request));
  const stop = watchLivez(client);
  await pause(pauseMs);
  parentPort?.postMessage({ livezMs: await stop() });
});
