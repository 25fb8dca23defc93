import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const root = fileURLToPath(new URL('../../..', import.meta.url));

describe('npm start', () => {
  let dataDir: string;
  let npm: ChildProcess | null = null;

  before(async () => {
    dataDir = await mkdtemp(path.join(tmpdir(), 'npm-start-'));
  });
  afterEach(() => {
    if (npm?.pid !== undefined && npm.exitCode === null) process.kill(-npm.pid, 'SIGKILL');
  });
  after(() => rm(dataDir, { recursive: true, force: true }));

  /** Without the build step, since the tests are compiled already. */
  async function start(): Promise<ChildProcess> {
    const child = spawn('npm', ['start', '--ignore-scripts', '--', '--no-demo'], {
      cwd: root,
      env: { PATH: process.env['PATH'], HOME: process.env['HOME'], DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'error' },
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    npm = child;
    for await (const line of createInterface({ input: child.stdout }))
      if (line.includes('is ready')) {
        child.stdout.resume();
        return child;
      }
    throw new Error('the service ended before it was ready');
  }

  const isAlive = (pid: number) => {
    try {
      process.kill(pid, 0);
      return true;
    } catch {
      return false;
    }
  };

  const signals: Readonly<Record<string, (pid: number) => void>> = {
    'SIGTERM to npm alone': (pid) => process.kill(pid, 'SIGTERM'),
    'SIGTERM to the process group': (pid) => process.kill(-pid, 'SIGTERM'),
    'SIGINT to the process group, as by Ctrl-C': (pid) => process.kill(-pid, 'SIGINT'),
  };
  for (const [name, send] of Object.entries(signals)) {
    it(`${name} stops the service and shuts PostgreSQL down`, async () => {
      const child = await start();
      const pidFile = path.join(dataDir, 'postgres', 'postmaster.pid');
      const postmaster = Number((await readFile(pidFile, 'utf8')).split('\n')[0]);
      send(child.pid as number);
      await once(child, 'exit');
      for (let tries = 0; isAlive(postmaster) && tries < 200; tries += 1) await sleep(50);
      expect(isAlive(postmaster)).to.equal(false);
      expect(existsSync(pidFile)).to.equal(false);
    });
  }
});
