import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import express from 'express';
import type pg from 'pg';
import { startEmbeddedPostgres } from '#embedded-postgres/embedded-postgres.js';
import { createWorkspace } from '#src/access/workspaces/create-workspace.js';
import { readConfig } from '#src/app/config.js';
import { type RunningProcess, start } from '#src/app/main.js';
import { pollUntil } from '#src/kernel/waiting.js';
import { listen } from '#src/platform/http/listen.js';
import { createLog } from '#src/platform/log.js';
import { maxWaitSeconds } from './measure.js';
import { OwnerPool } from './owner-pool.js';

/** The service as it is installed, on a durable database, with direct connections for the floors. */
export interface BenchService {
  readonly url: string;
  readonly running: RunningProcess;
  readonly ownerUrl: string;
  /** For COPY from a file. On another server this is the owner, who must then be a superuser. */
  readonly superuserUrl: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Whether this process calculates, and not only other processes. */
  readonly isWorker: boolean;
  /** For floors, for inserting deals and for counting what a run has written. */
  readonly owner: OwnerPool;
  newWorkspace(): Promise<BenchWorkspace>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface BenchWorkspace {
  readonly workspaceId: string;
  readonly apiKey: string;
  /** Sends a text as CSV, and other bodies as JSON. */
  call<Body>(method: string, path: string, body?: unknown): Promise<Body>;
  download(path: string): Promise<Uint8Array>;
}

interface BenchOptions {
  readonly worker?: boolean;
  readonly environment?: Readonly<Record<string, string>>;
}

const open = new Set<() => Promise<void>>();

/** Closes the services that are still open when a benchmark is interrupted. */
export async function closeServices(): Promise<void> {
  await Promise.allSettled([...open].map((close) => close()));
}

/** Starts the service. BENCH_DATABASE_URL names an empty database on another server and its owner, BENCH_APP_DATABASE_URL the service's role. */
export async function startBenchService(options: BenchOptions = {}): Promise<BenchService> {
  const opened: (() => Promise<void>)[] = [];
  const close = async () => {
    open.delete(close);
    for (const closePart of opened.reverse().splice(0)) await closePart();
  };
  open.add(close);
  try {
    return { ...(await openService(options, opened)), [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openService(
  { worker = true, environment: extraEnvironment = {} }: BenchOptions,
  opened: (() => Promise<void>)[],
): Promise<Omit<BenchService, typeof Symbol.asyncDispose>> {
  const folder = await mkdtemp(path.join(tmpdir(), 'commissions-bench-'));
  opened.push(() => rm(folder, { recursive: true, force: true }));
  const server = await openServer(folder);
  opened.push(() => server.stop());
  const environment = {
    DATABASE_URL: server.appUrl,
    DATABASE_OWNER_URL: server.ownerUrl,
    DATA_DIR: folder,
    PORT: '0',
    LOG_LEVEL: 'silent',
    RATE_LIMIT_PER_MINUTE: '1000000',
    MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
    ...extraEnvironment,
  };
  const owner = new OwnerPool(server.ownerUrl);
  opened.push(() => owner.close());
  const running = await start(readConfig(environment), { api: true, worker }, createLog('silent'));
  opened.push(() => running.stop());
  const { url } = running;
  if (url === null) throw new Error('the API did not start');
  return {
    url,
    running,
    ownerUrl: server.ownerUrl,
    superuserUrl: new URL(new URL(server.ownerUrl).pathname, server.superuserUrl).href,
    environment,
    isWorker: worker,
    owner,
    newWorkspace: () => newWorkspace(running, url),
  };
}

async function openServer(dataDir: string) {
  const external = process.env['BENCH_DATABASE_URL'];
  if (external === undefined) return startEmbeddedPostgres({ dataDir, durable: true });
  const appUrl = process.env['BENCH_APP_DATABASE_URL'] ?? external;
  return { ownerUrl: external, appUrl, superuserUrl: external, stop: async () => {} };
}

async function newWorkspace({ service }: RunningProcess, url: string): Promise<BenchWorkspace> {
  const { workspaceId, apiKey } = await createWorkspace(service.unitOfWork, {
    name: 'Bench',
    tier: 'enterprise',
    currency: 'USD',
    timezone: 'UTC',
  });
  const sendTo = (method: string, at: string, body?: unknown) => send(`${url}${at}`, apiKey, method, body);
  return {
    workspaceId,
    apiKey,
    call: async <Body>(method: string, at: string, body?: unknown) => (await sendTo(method, at, body)).json() as Body,
    download: async (at) => new Uint8Array(await (await sendTo('GET', at)).arrayBuffer()),
  };
}

/** An Express handler that returns an empty response: the cost of HTTP alone. */
export async function listenEmpty() {
  let handled = 0;
  const empty = express();
  empty.use((_, response) => {
    handled += 1;
    response.json({ ok: true });
  });
  const { url, close } = await listen(empty, { host: '127.0.0.1', port: 0, setting: 'PORT' });
  return { url, handled: () => handled, [Symbol.asyncDispose]: close };
}

/** Resolves when the query returns a row whose `done` is true. */
export async function untilDone(
  database: pg.Pool | pg.Client,
  query: string,
  values: readonly unknown[],
  pauseMs = 4,
): Promise<void> {
  const isDone = async () => (await database.query<{ done: boolean }>(query, [...values])).rows[0]?.done === true;
  await until(query, isDone, pauseMs);
}

/** Polls until the work is done. */
export async function until(what: string, isDone: () => Promise<boolean>, pauseMs: number): Promise<void> {
  const done = await pollUntil(isDone, (value) => value, { maxWaitMs: maxWaitSeconds * 1000, pauseMs });
  if (!done) throw new Error(`still not done after ${maxWaitSeconds} s: ${what}`);
}

async function send(url: string, apiKey: string, method: string, body: unknown): Promise<Response> {
  const isFile = typeof body === 'string';
  const response = await fetch(url, {
    method,
    headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': isFile ? 'text/csv' : 'application/json' },
    ...(body === undefined ? {} : { body: isFile ? body : JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${url} returned status ${response.status}: ${await response.text()}`);
  return response;
}
