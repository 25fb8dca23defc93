import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type RedisServers } from '#src/platform/redis/redis-connection.js';
import { freePort } from './free-port.js';

export interface RedisServer {
  readonly url: string;
  readonly servers: RedisServers;
  readonly port: number;
  stop(): Promise<void>;
}

/** Starts a Redis without persistence by default. Returns null if it is not installed; with CI set that is an error. */
export async function startRedis(
  requestedPort?: number,
  extraArguments: readonly string[] = [],
): Promise<RedisServer | null> {
  const port = requestedPort ?? (await freePort());
  const volatile = ['--save', '', '--appendonly', 'no', '--dir', '/tmp'];
  return runRedis(port, ['--bind', '127.0.0.1', '--port', String(port), ...volatile, ...extraArguments]);
}

/** Runs `redis-server`, which listens on the port. Returns null if it is not installed; with CI set that is an error. */
export async function runRedis(port: number, commandLine: readonly string[]): Promise<RedisServer | null> {
  const process = spawn('redis-server', commandLine, { stdio: ['ignore', 'pipe', 'ignore'] });
  if (!(await isReady(process))) return missing();
  const url = `redis://127.0.0.1:${port}`;
  return {
    port,
    url,
    servers: singleRedis(url),
    stop: async () => {
      // A process that has already ended emits no further exit.
      if (process.exitCode !== null || process.signalCode !== null) return;
      const ended = once(process, 'exit');
      process.kill('SIGKILL');
      await ended;
    },
  };
}

function singleRedis(url: string): RedisServers {
  return { REDIS_URL: url, REDIS_MODE: 'single', REDIS_SENTINEL_NAME: 'mymaster' };
}

function missing(): null {
  if (globalThis.process.env['CI']) throw new Error('redis-server is not installed; .ci/run installs it.');
  return null;
}

function isReady(process: ChildProcess): Promise<boolean> {
  return new Promise((resolve) => {
    process.once('error', () => resolve(false));
    process.once('exit', () => resolve(false));
    process.stdout?.on('data', (chunk: Buffer) => {
      if (/ready to accept connections|\+monitor master/i.test(chunk.toString())) resolve(true);
    });
  });
}

/** Settings of a server that persists acknowledged writes in the folder, as in production. */
export function appendOnlyIn(folder: string): readonly string[] {
  return ['--dir', folder, '--appendonly', 'yes', '--appendfsync', 'everysec'];
}
