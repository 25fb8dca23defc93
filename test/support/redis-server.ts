import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';

export interface RedisServer {
  readonly url: string;
  readonly port: number;
  stop(): Promise<void>;
}

/** A Redis of one's own that keeps nothing, unless told; null where none is installed, which CI does not let pass. */
export async function startRedis(given?: number, more: readonly string[] = []): Promise<RedisServer | null> {
  const port = given ?? (await freePort());
  const process = spawn(
    'redis-server',
    ['--bind', '127.0.0.1', '--port', String(port), '--save', '', '--appendonly', 'no', '--dir', '/tmp', ...more],
    {
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  );
  if (!(await isReady(process))) return missing();
  return {
    port,
    url: `redis://127.0.0.1:${port}`,
    stop: async () => {
      // Of one that has ended already, by an earlier stop or by itself, there is no exit left to wait for.
      if (process.exitCode !== null || process.signalCode !== null) return;
      const ended = once(process, 'exit');
      process.kill('SIGKILL');
      await ended;
    },
  };
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
      if (/ready to accept connections/i.test(chunk.toString())) resolve(true);
    });
  });
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

/** Settings of a server that keeps what it has acknowledged in the folder, as one for production does. */
export function appendOnlyIn(folder: string): readonly string[] {
  return ['--dir', folder, '--appendonly', 'yes', '--appendfsync', 'everysec'];
}
