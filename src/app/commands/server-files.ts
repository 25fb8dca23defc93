import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ApiError, type Client, createClient } from '../../client.js';
import { currencyDigits } from '../../kernel/currency.js';
import { Failure } from '../../kernel/failure.js';
import { formatFailure, type ServerTestResult } from './plan-client.js';
import { UsageError } from './usage-error.js';
import { type FileChange, FileError, formatFile } from './yaml-file.js';

export interface ServerOptions {
  readonly url: string;
  readonly key?: string;
}

export interface PullOptions {
  readonly out?: string | undefined;
  readonly dir: string;
  readonly format: string;
}

export function createServerClient({ url, key }: ServerOptions): Client {
  const token = key ?? process.env['COMMISSIONS_KEY'];
  if (token === undefined || token === '') throw new UsageError('give --key or set COMMISSIONS_KEY');
  return createClient({ baseUrl: url, token });
}

/** The results of the files, and the problem of each other file with its name. */
export async function forEachFile<T>(
  files: readonly string[],
  work: (file: string) => Promise<T>,
): Promise<{ readonly results: readonly T[]; readonly problems: readonly string[] }> {
  const results: T[] = [];
  const problems: string[] = [];
  for (const file of files) {
    try {
      results.push(await reporting(() => work(file), `${file}: `));
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      problems.push(error.message);
    }
  }
  return { results, problems };
}

/** Prints what a push of each file would change. The exit code is 1 if it would change anything. */
export async function printDiffs<Diff extends { readonly changes: readonly FileChange[] }>(
  files: readonly string[],
  options: ServerOptions & { readonly json?: boolean },
  diff: (client: Client, file: string) => Promise<Diff>,
  format: (diff: Diff) => string,
): Promise<void> {
  await reporting(async () => {
    const client = createServerClient(options);
    const { results, problems } = await forEachFile(files, (file) => diff(client, file));
    process.stdout.write(options.json === true ? `${JSON.stringify(results)}\n` : results.map(format).join(''));
    process.exitCode = results.some(({ changes }) => changes.length > 0) ? 1 : 0;
    if (problems.length > 0) throw new UsageError(problems.join('\n'));
  });
}

/** Errors that a person can act on are printed without a stack trace; exit code 1 means a difference. */
export async function reporting<T>(work: () => Promise<T>, prefix = ''): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const message = error instanceof UsageError ? null : toMessage(error);
    throw message === null ? error : new UsageError(`${prefix}${message}`);
  }
}

function toMessage(error: unknown): string | null {
  if (error instanceof FileError) return error.message;
  if (error instanceof Failure) return `${error.code}: ${error.message}`;
  if (error instanceof ApiError) return [`${error.code}: ${error.message}`, ...detailLines(error.details)].join('\n  ');
  const { code, message, cause } = error as NodeJS.ErrnoException & { cause?: Error };
  if (error instanceof TypeError && cause !== undefined) return `the service cannot be reached: ${cause.message}`;
  return code === 'ENOENT' || code === 'EACCES' || code === 'EISDIR' ? message : null;
}

function detailLines(details: ApiError['details']): string[] {
  const issues = (details?.['issues'] ?? []) as readonly { path: string; message: string }[];
  const failed = (details?.['failed'] ?? []) as ServerTestResult['failed'];
  return [...issues.map((issue) => `${issue.path}: ${issue.message}`), ...failed.map(formatFailure)];
}

/** Writes what a server has to its file, or to the one that is named, and prints the name of the file. */
export function writePulled(name: string, terms: object, { out, dir, format }: PullOptions): void {
  const file = out ?? path.join(dir, `${fileName(name)}.${format === 'json' ? 'json' : 'yaml'}`);
  const existing = existsSync(file) ? readFileSync(file, 'utf8') : null;
  const text = formatFile(terms, file.endsWith('.json'), existing);
  if (text !== existing) writeFileSync(file, text);
  process.stdout.write(`${file}\n`);
}

function fileName(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-+|(?<!-)-+$/g, '');
  return plain === '' ? 'unnamed' : plain.toLowerCase();
}

export function formatChange({ path: at, before, after }: FileChange): string {
  return `${at}: ${toText(before)} → ${toText(after)}`;
}

function toText(value: unknown): string {
  return value === undefined ? 'none' : JSON.stringify(value);
}

export function signed(amount: number, currency: string): string {
  return `${amount > 0 ? '+' : ''}${money(amount, currency)}`;
}

/** Formats the amount with the decimals of the currency. */
export function money(amount: number, currency: string): string {
  return amount.toFixed(currencyDigits(currency));
}
