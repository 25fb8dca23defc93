import { execFile } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** The folder of the repository. */
export const root = fileURLToPath(new URL('../../..', import.meta.url));
export const command = path.join(root, 'bin', 'commissions.js');

interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `commissions` with these arguments, with none of the settings of the tests. */
export function runCommand(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  cwd = root,
): Promise<CommandResult> {
  const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], ...environment };
  const run = promisify(execFile)(process.execPath, [command, ...args], { cwd, env, maxBuffer: 16 * 1024 * 1024 });
  return run.then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: CommandResult) => error,
  );
}
