import { type SpawnOptions, spawn } from 'node:child_process';
import path from 'node:path';
import { findProgram, type ProgramName } from './binaries.js';
import { type Cluster } from './data-folder.js';
import { codeOf, externalHint } from './errors.js';

interface Finished {
  readonly code: number | null;
  readonly output: string;
}

/** Runs one of PostgreSQL's programs and waits for its end. */
export async function runProgram(
  cluster: Cluster,
  name: ProgramName,
  args: readonly string[],
  input = '',
): Promise<Finished> {
  const program = await findProgram(cluster, name);
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, spawnOptions(cluster, program));
    let output = '';
    const collect = (chunk: Buffer): void => {
      output += chunk.toString('utf8');
    };
    child.stdout?.on('data', collect);
    child.stderr?.on('data', collect);
    child.on('error', (error) => reject(cannotRun(program, error)));
    child.on('close', (code) => resolve({ code, output }));
    // A program that exits without reading its input reports the reason in its exit code.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
  });
}

export function spawnOptions(cluster: Cluster, program: string): SpawnOptions {
  const env: NodeJS.ProcessEnv = { LC_ALL: 'C' };
  for (const name of ['PATH', 'LD_LIBRARY_PATH', 'SystemRoot', 'SystemDrive', 'TEMP', 'TMP']) {
    if (process.env[name] !== undefined) env[name] = process.env[name];
  }
  // The server's user may have no access to the current folder.
  const cwd = process.platform === 'win32' ? path.dirname(program) : '/';
  return { cwd, env, windowsHide: true, ...cluster.runAs };
}

export function cannotRun(program: string, cause: Error): Error {
  const because =
    codeOf(cause) === 'ENOENT' && process.platform === 'linux'
      ? 'it needs a Linux with glibc, not musl (Alpine)'
      : `the system says ${codeOf(cause) ?? cause.message}`;
  return new Error(`${program} cannot be run: ${because}; run "npm ci" again, ${externalHint}.`, { cause });
}

export function lastErrorLine(output: string): string {
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  const complaint = lines.findLast((line) => /FATAL|PANIC|error:|ERROR/.test(line)) ?? lines.at(-1);
  return complaint?.trim() ?? 'it said nothing';
}
