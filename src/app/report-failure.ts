import { UsageError } from './commands/usage-error.js';

/** Prints the error of a command, and sets the exit code: 1 failed, 2 wrong usage, 78 invalid configuration. */
export function reportFailure(error: unknown): void {
  const { name, code, exitCode, message, cause } = error as Error & { code?: string; exitCode?: number };
  if (code?.startsWith('commander.')) {
    process.exitCode = exitCode === 0 ? 0 : 2;
    return;
  }
  process.stderr.write(`${error instanceof UsageError ? 'error: ' : ''}${message ?? String(error)}\n`);
  if (error instanceof UsageError) process.exitCode = 2;
  else if (name === 'ConfigError') process.exitCode = 78;
  else {
    if (cause instanceof Error) process.stderr.write(`  because: ${cause.message}\n`);
    process.exitCode = 1;
  }
}
