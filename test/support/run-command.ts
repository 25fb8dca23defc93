import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { root } from './command.js';
import { bundledCommand } from './service-bundle.js';

interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `commissions` from the bundle with these arguments, with none of the settings of the tests. */
export async function runCommand(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  cwd = root,
): Promise<CommandResult> {
  const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], ...environment };
  const parts = [await bundledCommand(), ...args];
  const run = promisify(execFile)(process.execPath, parts, { cwd, env, maxBuffer: 16 * 1024 * 1024 });
  return run.then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: CommandResult) => error,
  );
}
