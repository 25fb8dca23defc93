// `import type` is removed by the compiler; `import { type … }` would still load the whole service.
import type { z } from 'zod';
import { routes } from './client-routes.js';
import { withoutEndSlashes } from './kernel/end-slashes.js';
import type { operations } from './operations.js';
import type { WebhookEvent } from './outgoing/events/event-data.js';
import type { Operation } from './platform/operations/operation.js';

export { fileColumns } from './api/file-columns.js';
export { causeTexts } from './commissions/cause-texts.js';
export { reasonTexts } from './commissions/reason-texts.js';
export { productNames } from './crm/connections/product-names.js';
export { countsMoney } from './engine/counts-money.js';
export { formulaWords } from './engine/formula-words.js';
export { standardNamedBy, usualSlugs } from './engine/standard-slugs.js';
export { addDays, addMonths, countDays, intersection, isWithin, mondayOf, overlap } from './kernel/day.js';
export { detectNumberFormat, type NumberFormat, readWrittenNumber } from './kernel/number-text.js';
export { fiscalPatterns, PeriodCalendar } from './kernel/period-calendar.js';
export { disarmCells } from './kernel/spreadsheet-formulas.js';
export type { WebhookEvent };

type Declared = (typeof operations)[number];

type Content = NonNullable<RequestInit['body']>;

/** The body of an upload, as `fetch` accepts it, and its media type. */
export interface Upload {
  readonly contentType: string;
  readonly data: Content;
}

interface CallOptions {
  /** Any text: requests with the same key are executed once, and repeated requests get the first response. */
  readonly idempotencyKey?: string;
  /** Names the request in logs. Calls with the same one are one action in the audit log. */
  readonly requestId?: string;
  readonly signal?: AbortSignal;
}

type Given<Name extends string, Schema> = Schema extends z.ZodType
  ? Record<string, never> extends z.input<Schema>
    ? { readonly [Key in Name]?: z.input<Schema> }
    : { readonly [Key in Name]: z.input<Schema> }
  : unknown;
type GivenFile<Terms> = Terms extends { readonly types: readonly string[] } ? { readonly upload: Upload } : unknown;

/** The input of a call; empty for operations without input. */
type CallInput<O> =
  O extends Operation<
    infer Params,
    infer Query,
    infer Body,
    infer _A,
    infer _Id,
    infer Terms,
    infer _F,
    infer _Uses,
    infer _Raw
  >
    ? Given<'params', Params> & Given<'query', Query> & Given<'body', Body> & GivenFile<Terms>
    : never;
/** A file that the service returned. */
export interface ServiceFile extends File {
  /** SHA-256 of the content as the service states it, in lower-case hexadecimal; null if it states none. */
  readonly sha256: string | null;
}

export type CallAnswer<O> =
  O extends Operation<
    infer _P,
    infer _Q,
    infer _B,
    infer Answer,
    infer _Id,
    infer _U,
    infer Files,
    infer _Uses,
    infer _Raw
  >
    ? z.output<Answer> | (Files extends readonly string[] ? ServiceFile : never)
    : never;

type Call<O> =
  Record<string, never> extends CallInput<O>
    ? (input?: CallInput<O>, options?: CallOptions) => Promise<CallAnswer<O>>
    : (input: CallInput<O>, options?: CallOptions) => Promise<CallAnswer<O>>;

/** One method for every operation, by its id. */
export type Client = { readonly [O in Declared as O['id']]: Call<O> };

export interface ClientOptions {
  readonly baseUrl: string;
  /** Not needed for public operations. */
  readonly token?: string;
  readonly fetch?: typeof fetch;
}

/** An error response of the service. Match on `code`. */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    readonly statusCode: number,
    readonly code: string,
    message: string,
    readonly details: Readonly<Record<string, unknown>> | undefined,
    readonly requestId: string | null,
    /** Seconds after which the service takes the call; null if it names none. */
    readonly retryAfter: number | null = null,
    /** The address that explains the code; null if a proxy responded. */
    readonly docs: string | null = null,
  ) {
    super(message);
  }
}

interface LooseInput {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly upload?: Upload;
}

/**
 * A client of the API for every runtime with `fetch`. Its types are derived from the operations, and a method has the
 * name of its operation.
 */
export function createClient(options: ClientOptions): Client {
  const calls = Object.entries(routes).map(([id, route]) => {
    const method = (input: LooseInput = {}, call: CallOptions = {}) => send(options, route, input, call);
    return [id, Object.defineProperty(method, 'name', { value: id })];
  });
  return Object.fromEntries(calls) as Client;
}

async function send(options: ClientOptions, route: string, input: LooseInput, call: CallOptions): Promise<unknown> {
  const [method, path] = route.split(' ') as [string, string];
  const response = await (options.fetch ?? fetch)(buildUrl(options.baseUrl, path, input), {
    method,
    headers: buildHeaders(options, input, call),
    ...buildBody(input),
    ...(call.signal === undefined ? {} : { signal: call.signal }),
  });
  if (!response.ok) throw toApiError(response, await response.text());
  return /[/+]json\b/.test(response.headers.get('content-type') ?? '') ? response.json() : readFile(response);
}

/** The file of a response, with the name and the hash that the service gives it. */
async function readFile(response: Response): Promise<ServiceFile> {
  const name = /filename="([^"]*)"/.exec(response.headers.get('content-disposition') ?? '')?.[1] ?? '';
  const blob = await response.blob();
  const file = new File([blob], name, { type: blob.type });
  return Object.assign(file, { sha256: response.headers.get('x-content-sha256') });
}

function buildUrl(baseUrl: string, path: string, { params = {}, query = {} }: LooseInput): string {
  const filled = path.replace(/:([A-Za-z]+)/g, (_whole, name: string) => encodeURIComponent(params[name] ?? ''));
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, String(value));
  const search = parameters.size === 0 ? '' : `?${parameters}`;
  return `${withoutEndSlashes(baseUrl)}${filled}${search}`;
}

function buildHeaders(
  { token }: ClientOptions,
  { body, upload }: LooseInput,
  { idempotencyKey, requestId }: CallOptions,
) {
  const contentType = upload?.contentType ?? (body === undefined ? undefined : 'application/json');
  return {
    ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
    ...(contentType === undefined ? {} : { 'Content-Type': contentType }),
    ...(idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }),
    ...(requestId === undefined ? {} : { 'X-Request-Id': requestId }),
  };
}

function buildBody({ body, upload }: LooseInput): { body?: Content } {
  if (upload !== undefined) return { body: upload.data };
  return body === undefined ? {} : { body: JSON.stringify(body) };
}

/** A proxy may have responded instead of the service. */
function toApiError(response: Response, text: string): ApiError {
  const requestId = response.headers.get('x-request-id');
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  const pause = Number.isNaN(retryAfter) ? null : retryAfter;
  try {
    const { statusCode, code, message, details, docs = null } = JSON.parse(text);
    if (typeof code === 'string') return new ApiError(statusCode, code, message, details, requestId, pause, docs);
  } catch {}
  return new ApiError(response.status, 'unexpected_answer', `HTTP ${response.status}`, undefined, requestId, pause);
}
