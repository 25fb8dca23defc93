import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import express from 'express';
import pg from 'pg';
import { startEmbeddedPostgres } from '#embedded-postgres/embedded-postgres.js';
import { type RunningProcess, start } from '#src/app/main.js';
import { readConfig } from '#src/platform/config.js';
import { ownerSessionOptions } from '#src/platform/database/pool.js';
import { listen } from '#src/platform/http/listen.js';
import { createLog } from '#src/platform/log.js';
import { createWorkspace } from '#src/workspaces/create-workspace.js';

/** The service as it is installed, on a durable database, with direct connections for the floors. */
export interface BenchService {
  readonly url: string;
  readonly running: RunningProcess;
  readonly ownerUrl: string;
  /** For COPY from a file. On another server this is the owner, who must then be a superuser. */
  readonly superuserUrl: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Connections of the tables' owner that access all workspaces: for floors and for inserting deals. */
  readonly owner: pg.Pool;
  newWorkspace(): Promise<BenchWorkspace>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface BenchWorkspace {
  readonly workspaceId: string;
  readonly apiKey: string;
  /** Sends a text as CSV, and other bodies as JSON. */
  call<Answer>(method: string, path: string, body?: unknown): Promise<Answer>;
}

interface BenchOptions {
  readonly worker?: boolean;
  readonly environment?: Readonly<Record<string, string>>;
}

/** Starts the service. BENCH_DATABASE_URL names an empty database on another server and its owner, BENCH_APP_DATABASE_URL the service's role. */
export async function startBenchService({ worker = true, environment: more = {} }: BenchOptions = {}) {
  const folder = await mkdtemp(path.join(tmpdir(), 'commissions-bench-'));
  const external = process.env['BENCH_DATABASE_URL'];
  const server =
    external === undefined
      ? await startEmbeddedPostgres({ dataDir: folder, durable: true })
      : {
          ownerUrl: external,
          appUrl: process.env['BENCH_APP_DATABASE_URL'] ?? external,
          superuserUrl: external,
          stop: async () => {},
        };
  const environment = {
    DATABASE_URL: server.appUrl,
    DATABASE_OWNER_URL: server.ownerUrl,
    DATA_DIR: folder,
    PORT: '0',
    LOG_LEVEL: 'silent',
    RATE_LIMIT_PER_MINUTE: '1000000',
    MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
    ...more,
  };
  const running = await start(readConfig(environment), { api: true, worker }, createLog('silent'));
  const owner = new pg.Pool({ connectionString: server.ownerUrl, max: 4, options: ownerSessionOptions });
  const { url } = running;
  if (url === null) throw new Error('the API did not start');
  const service: BenchService = {
    url,
    running,
    ownerUrl: server.ownerUrl,
    superuserUrl: new URL(new URL(server.ownerUrl).pathname, server.superuserUrl).href,
    environment,
    owner,
    newWorkspace: async () => {
      const { workspaceId, apiKey } = await createWorkspace(running.service.unitOfWork, {
        name: 'Bench',
        tier: 'enterprise',
        currency: 'USD',
        timezone: 'UTC',
      });
      return { workspaceId, apiKey, call: (method, at, body) => call(`${url}${at}`, apiKey, method, body) };
    },
    [Symbol.asyncDispose]: async () => {
      await running.stop();
      await owner.end();
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
  return service;
}

/** An Express handler that returns an empty response: the cost of HTTP alone. */
export async function listenEmpty() {
  const empty = express();
  empty.use((_, response) => {
    response.json({ ok: true });
  });
  const { url, close } = await listen(empty, { host: '127.0.0.1', port: 0, setting: 'PORT' });
  return { url, [Symbol.asyncDispose]: close };
}

/** Resolves when the query returns a row whose `done` is true. */
export async function untilDone(
  database: pg.Pool | pg.Client,
  query: string,
  values: readonly unknown[],
  pauseMs = 4,
): Promise<void> {
  for (;;) {
    const { rows } = await database.query<{ done: boolean }>(query, [...values]);
    if (rows[0]?.done === true) return;
    await sleep(pauseMs);
  }
}

async function call<Answer>(address: string, apiKey: string, method: string, body: unknown): Promise<Answer> {
  const isFile = typeof body === 'string';
  const response = await fetch(address, {
    method,
    headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': isFile ? 'text/csv' : 'application/json' },
    ...(body === undefined ? {} : { body: isFile ? body : JSON.stringify(body) }),
  });
  if (!response.ok)
    throw new Error(`${method} ${address} returned status ${response.status}: ${await response.text()}`);
  return (await response.json()) as Answer;
}
