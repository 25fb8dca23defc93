import { spawn } from 'node:child_process';
import { type FileHandle, open, readFile, rename, stat } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findProgram } from './binaries.js';
import { type Cluster } from './data-folder.js';
import { externalHint } from './errors.js';
import { type Postmaster, readClaim, removeForeignClaim, runningServer } from './postmaster.js';
import { giveDataTo, giveToOwnerOf } from './privileges.js';
import { isAlive } from './processes.js';
import { cannotRun, lastErrorLine, spawnOptions } from './programs.js';
import { serverSettings } from './settings.js';

interface Launched {
  /** Undefined on Windows, where pg_ctl starts the server and exits. */
  readonly pid: number | undefined;
  failure(): Error | undefined;
}

const logRotationBytes = 10_000_000;

/** Undefined means: try again, because another process started the server or took the port first. */
export async function launch(cluster: Cluster, deadline: number): Promise<Postmaster | undefined> {
  await giveDataTo(cluster.runAs, cluster.dataDir);
  // Processes that used a server that was killed have its port in their addresses.
  const last = await readClaim(cluster);
  await removeForeignClaim(cluster);
  const port = cluster.port ?? (await freePort(last?.port));
  const log = await openLog(cluster);
  const logStart = (await log.stat()).size;
  const launched = await spawnServer(cluster, port, log.fd).finally(() => log.close());
  while (Date.now() <= deadline) {
    const postmaster = await readClaim(cluster);
    if (postmaster?.ready && isOurs(postmaster, launched)) return postmaster;
    const failure = launched.failure();
    if (failure !== undefined) return explainFailure(cluster, port, logStart, failure);
    await sleep(5);
  }
  if (launched.pid !== undefined) process.kill(launched.pid, 'SIGQUIT');
  return undefined;
}

function isOurs(postmaster: Postmaster, launched: Launched): boolean {
  return launched.pid === undefined ? isAlive(postmaster.pid) : postmaster.pid === launched.pid;
}

/** The wanted port if it is free, otherwise any other. */
async function freePort(wanted = 0): Promise<number> {
  const server = createServer();
  try {
    await listening(server, wanted).catch(() => listening(server, 0));
    return (server.address() as AddressInfo).port;
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
}

function listening(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
}

export function logFile(cluster: Cluster): string {
  return path.join(cluster.folder, 'postgres.log');
}

async function openLog(cluster: Cluster): Promise<FileHandle> {
  const file = logFile(cluster);
  const size = (await stat(file).catch(() => undefined))?.size ?? 0;
  if (size > logRotationBytes) await rename(file, `${file}.old`).catch(() => undefined);
  const log = await open(file, 'a', 0o600);
  await giveToOwnerOf(cluster.folder, file);
  return log;
}

async function spawnServer(cluster: Cluster, port: number, log: number): Promise<Launched> {
  const windows = process.platform === 'win32';
  const program = await findProgram(cluster, windows ? 'pg_ctl' : 'postgres');
  const settings = Object.entries(serverSettings(cluster, port)).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const location = ['-D', cluster.dataDir];
  // PostgreSQL rejects Windows administrators; pg_ctl drops their privileges before it starts the server.
  const args = windows
    ? ['start', ...location, '-W', '-l', logFile(cluster), '-o', settings.join(' ')]
    : [...location, ...settings];
  const output = windows ? 'ignore' : log;
  // A separate process group, so that Ctrl-C reaches the service and not the server.
  const options = { ...spawnOptions(cluster, program), detached: true };
  const child = spawn(program, args, { ...options, stdio: ['ignore', output, output] });
  let failure: Error | undefined;
  child.on('error', (error) => {
    failure = cannotRun(program, error);
  });
  child.on('exit', (code, signal) => {
    if (!windows || code !== 0) failure ??= new Error(`it ended with ${signal ?? `code ${code}`}`);
  });
  child.unref();
  return { pid: windows ? undefined : child.pid, failure: () => failure };
}

async function explainFailure(cluster: Cluster, port: number, logStart: number, cause: Error): Promise<undefined> {
  if ((await runningServer(cluster)) !== undefined) return;
  const file = logFile(cluster);
  const said = (await readFile(file).catch(() => Buffer.alloc(0))).subarray(logStart).toString('utf8');
  if (/lock file .* already exists|pre-existing shared memory block/.test(said)) return;
  if (/Address already in use|could not bind/.test(said)) {
    if (cluster.port === undefined) return;
    throw new Error(`Port ${port} on 127.0.0.1 is taken; stop what uses it or choose another port, ${externalHint}.`);
  }
  throw new Error(
    `PostgreSQL did not start: ${said === '' ? cause.message : lastErrorLine(said)}; ` +
      `look at ${file}, put right what it says and start again, ${externalHint}.`,
    { cause },
  );
}
