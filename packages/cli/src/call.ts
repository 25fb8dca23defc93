import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { UsageError } from '../../../src/app/commands/usage-error.js';
import { ApiError, type Client } from '../../../src/client.js';
import { routes } from '../../../src/client-routes.js';
import { createClient } from '../../client/src/index.js';
import { readResult, waitForJobs } from './jobs-of-calls.js';

interface CallOptions {
  readonly url: string;
  readonly key?: string;
  readonly param?: readonly string[];
  readonly query?: readonly string[];
  readonly body?: string;
  readonly file?: string;
  readonly out?: string;
  readonly wait?: boolean;
  readonly idempotencyKey?: string;
}

type LooseCall = (input: object, options?: object) => Promise<unknown>;

/**
 * Calls the operation and prints what it returns. With `wait`, the jobs of the response have ended, and it is printed with
 * what they report, such as people who failed.
 */
export async function callOperation(operation: string, options: CallOptions): Promise<void> {
  if (!Object.hasOwn(routes, operation))
    throw new UsageError(`there is no operation ${operation}; ${nearest(operation)}`);
  const token = options.key ?? process.env['COMMISSIONS_KEY'];
  const client = createClient({ baseUrl: options.url, ...(token === undefined ? {} : { token }) });
  const call = client[operation as keyof Client] as LooseCall;
  const input = await readInput(options);
  const answer = await call(
    input,
    options.idempotencyKey === undefined ? {} : { idempotencyKey: options.idempotencyKey },
  ).catch(explain);
  if (answer instanceof Blob) return writeFileOrOutput(answer, options.out);
  if (options.wait === true) await waitAndPrint(client, { operation, input }, answer);
  else print(answer);
  if (options.out !== undefined) throw new Error(`the response is no file, so ${options.out} was not written`);
}

async function waitAndPrint(client: Client, made: Parameters<typeof readResult>[1], answer: unknown): Promise<void> {
  const calls = client as unknown as Readonly<Record<string, LooseCall>>;
  const result = await readResult(calls, made, answer).catch(explain);
  const endedJobs = await waitForJobs(calls, made, result).catch((error: unknown) => {
    print(result);
    return explain(error);
  });
  print(endedJobs.length === 0 ? result : { ...(result as object), endedJobs });
}

function print(answer: unknown): void {
  process.stdout.write(`${JSON.stringify(answer, null, 2)}\n`);
}

async function readInput({ param = [], query = [], body, file }: CallOptions): Promise<object> {
  if (body !== undefined && file !== undefined) throw new UsageError('give --body or --file, and not both');
  return {
    params: Object.fromEntries(param.map(readPair)),
    query: Object.fromEntries(query.map(readPair)),
    ...(body === undefined ? {} : { body: await readBody(body) }),
    ...(file === undefined ? {} : { upload: await readUpload(file) }),
  };
}

function readPair(pair: string): [string, string] {
  const at = pair.indexOf('=');
  if (at < 1) throw new UsageError(`${pair}: must be name=value`);
  return [pair.slice(0, at), pair.slice(at + 1)];
}

async function readBody(body: string): Promise<unknown> {
  const text = body.startsWith('@') ? await readFile(body.slice(1), 'utf8') : body;
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`--body is not JSON: ${(error as Error).message}`);
  }
}

async function readUpload(file: string): Promise<object> {
  const contentType = path.extname(file).toLowerCase() === '.json' ? 'application/json' : 'text/csv';
  return { contentType, data: await readFile(file) };
}

async function writeFileOrOutput(file: Blob, out: string | undefined): Promise<void> {
  const bytes = Buffer.from(await file.arrayBuffer());
  if (out === undefined) process.stdout.write(bytes);
  else await writeFile(out, bytes);
}

function nearest(operation: string): string {
  const words = operation.toLowerCase();
  const alike = Object.keys(routes).filter((id) => id.toLowerCase().includes(words.slice(0, 6)));
  return alike.length === 0
    ? 'the ids are in /v1/openapi.json'
    : `operations with a similar name: ${alike.slice(0, 8).join(', ')}`;
}

function explain(error: unknown): never {
  if (!(error instanceof ApiError)) throw error;
  const issues = error.details === undefined ? '' : ` ${JSON.stringify(error.details)}`;
  throw new Error(`${error.statusCode} ${error.code}: ${error.message}${issues} (request ${error.requestId})`);
}
