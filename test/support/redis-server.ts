import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:net';

export interface RedisServer {
  readonly url: string;
  readonly port: number;
  stop(): Promise<void>;
}

/**
 * A Redis of one's own; null where none is installed, which CI does not let pass. It keeps nothing, unless a folder is
 * given for its append-only file: then it is as one for production.
 */
export async function startRedis(given?: number, folder?: string): Promise<RedisServer | null> {
  const port = given ?? (await freePort());
  const place = ['--bind', '127.0.0.1', '--port', String(port), '--save', '', '--dir', folder ?? '/tmp'];
  const keeping = folder === undefined ? ['--appendonly', 'no'] : ['--appendonly', 'yes', '--appendfsync', 'everysec'];
  const process = spawn('redis-server', [...place, ...keeping], { stdio: ['ignore', 'pipe', 'ignore'] });
  if (!(await isReady(process))) return missing();
  return {
    port,
    url: `redis://127.0.0.1:${port}`,
    stop: () =>
      new Promise((resolve) => {
        process.once('exit', () => resolve());
        process.kill('SIGKILL');
      }),
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
