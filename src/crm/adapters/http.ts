import { setTimeout as sleep } from 'node:timers/promises';
import { type z } from 'zod';
import { timeLimit } from '../../kernel/time-limit.js';
import { createCounter } from '../../platform/metrics.js';
import { type CrmAccess, CrmFailure, type CrmFailureKind, type CrmProvider } from './port.js';

export interface CrmRequest<T> {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly url: string;
  readonly json?: unknown;
  readonly form?: Readonly<Record<string, string>>;
  /** These headers are added to the usual ones. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Supplies the token; absent for requests that fetch a token. */
  readonly access?: CrmAccess;
  /** Schema of the body of a 2xx response; an empty body is undefined. */
  readonly schema: z.ZodType<T>;
  /** The scope or the permission without which the CRM denies the request, for the error message. */
  readonly needs?: string;
  /** Must not run twice: retried only if the CRM said that it did nothing (429). */
  readonly isUnrepeatable?: boolean;
  /** Classifies an error response to this request, before the rules of the CRM. */
  classifyError?(response: CrmErrorResponse): ErrorClassification | null;
}

export interface CrmResponse<T> {
  readonly body: T;
  readonly headers: Headers;
  /** The CRM's clock at the time of the response, or ours if the response has no date. */
  readonly serverTime: Date;
}

/** The status is not 2xx. */
export interface CrmErrorResponse {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed JSON; undefined when there is none. */
  readonly body: unknown;
  /** Number of attempts, including this one. */
  readonly attempt: number;
}

/**
 * Meaning of an error response. It takes precedence over the status. A Retry-After header takes precedence over
 * `retryAfterMs`.
 */
export interface ErrorClassification {
  /** `absent`: the CRM does not have it. */
  readonly kind: CrmFailureKind | 'absent';
  readonly retryAfterMs?: number;
  /** People read this message, so it contains no text of the CRM. */
  readonly message?: string;
}

type RequestError = Omit<ErrorClassification, 'kind'> & { readonly kind: CrmFailureKind };

/** What distinguishes one CRM from the others. */
export interface CrmRules {
  readonly provider: CrmProvider;
  /** Statuses that may pass, besides those of every CRM: a retry may help. */
  readonly temporary?: readonly number[];
  /** Null lets the status decide. */
  classifyError?(response: CrmErrorResponse): ErrorClassification | null;
}

/** Clock, delay and randomness, injected so that tests need not wait. */
export interface CrmTiming {
  now(): number;
  sleep(ms: number): Promise<unknown>;
  /** Returns a number of at least 0 and below 1. */
  random(): number;
  readonly timeoutMs: number;
  /** The longest wait before the first retry; it doubles with every attempt. */
  readonly retryMs: number;
}

export const realTiming: CrmTiming = {
  now: Date.now,
  sleep,
  random: Math.random,
  timeoutMs: timeLimit(30_000),
  retryMs: 500,
};

const maxRetries = 5;
/** A worker spends at most this long on one request. The job retries what takes longer. */
const maxTotalMs = 60_000;
const backoffCapMs = 30_000;
const maxBytes = 10 * 1024 * 1024;
const temporaryStatuses: readonly number[] = [408, 429, 500, 502, 503, 504];

interface HttpReply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
  readonly serverTime: Date;
}

/** No usable response, and whether a retry may help. */
interface TransportError {
  readonly status: null;
  readonly kind: 'unavailable' | 'rejected' | 'oversized';
  readonly message: string;
}

const requests = createCounter('crm_requests_total', 'Requests to CRMs, each attempt', ['crm', 'outcome']);

/** HTTP client for CRMs: retries rate limits and short outages, protects tokens, validates every response. */
export class CrmHttp {
  constructor(
    private readonly rules: CrmRules,
    private readonly timing: CrmTiming = realTiming,
  ) {}

  async request<T>(request: CrmRequest<T>): Promise<CrmResponse<T>> {
    const response = await this.getOrNull(request);
    if (response === null) throw this.failure(request, 'rejected', 'not found in the CRM (404)');
    return response;
  }

  /** Null if the CRM does not have the resource. */
  async getOrNull<T>(request: CrmRequest<T>): Promise<CrmResponse<T> | null> {
    const reply = await this.send(request);
    if (reply === null) return null;
    const parsed = request.schema.safeParse(reply.body);
    if (parsed.success) return { body: parsed.data, headers: reply.headers, serverTime: reply.serverTime };
    const where = parsed.error.issues[0]?.path.join('.').slice(0, 100) || 'its body';
    throw this.failure(request, 'rejected', `the response has an unexpected shape at ${where}`);
  }

  /** Sends the request, with retries; null if the CRM does not have the resource. */
  private async send(request: CrmRequest<unknown>): Promise<HttpReply | null> {
    const { access } = request;
    const deadline = this.timing.now() + maxTotalMs;
    let credentials = await access?.credentials();
    let isRenewed = false;
    for (let attempt = 1; ; attempt++) {
      const reply = await this.attempt(request, credentials?.accessToken);
      if (reply.status !== null && isSuccess(reply.status)) {
        this.count('succeeded');
        return reply;
      }
      const error = this.classify(request, reply, attempt);
      this.count(error.kind);
      if (error.kind === 'absent') return null;
      if (error.kind === 'unauthorized' && access !== undefined && credentials !== undefined) {
        if (!isRenewed) {
          credentials = await access.renewed(credentials);
          isRenewed = true;
          continue;
        }
        await access.rejected(credentials);
      }
      await this.waitForRetry(request, reply, { ...error, kind: error.kind }, attempt, deadline);
    }
  }

  private count(outcome: ErrorClassification['kind'] | 'succeeded'): void {
    requests.inc({ crm: this.rules.provider, outcome });
  }

  /** Waits until the next attempt; throws the error if there is none. */
  private async waitForRetry(
    request: CrmRequest<unknown>,
    reply: HttpReply | TransportError,
    { kind, message, retryAfterMs }: RequestError,
    attempt: number,
    deadline: number,
  ): Promise<void> {
    const requestedMs = this.requestedDelayMs(reply) ?? retryAfterMs ?? null;
    const delayMs = requestedMs ?? this.backoffMs(attempt);
    const isInTime = attempt <= maxRetries && this.timing.now() + delayMs <= deadline;
    if (!isInTime || !isRetryable(request, kind, reply.status))
      throw this.failure(request, kind, message ?? `status ${reply.status}`, requestedMs);
    await this.timing.sleep(delayMs);
  }

  private async attempt(request: CrmRequest<unknown>, token: string | undefined): Promise<HttpReply | TransportError> {
    // fetch rejects other characters with an error that prints the header.
    if (token !== undefined && !/^[\x21-\x7e]+$/.test(token))
      throw this.failure(request, 'unauthorized', 'the token contains invalid characters');
    try {
      const response = await fetch(request.url, {
        method: request.method,
        headers: headersFor(request, token),
        redirect: 'manual',
        signal: AbortSignal.timeout(this.timing.timeoutMs),
        body: encodeBody(request),
      });
      return await this.read(response);
    } catch (error) {
      if (error instanceof TooLarge) return transportError('oversized', 'the response is larger than 10 MB');
      return transportError(
        'unavailable',
        isTimeout(error) ? 'no response in time' : `no connection${formatErrorCode(error)}`,
      );
    }
  }

  private async read(response: Response): Promise<HttpReply | TransportError> {
    const { status, headers } = response;
    if (status >= 300 && status < 400) {
      await response.body?.cancel();
      return transportError('rejected', 'the CRM responded with a redirect, which is not followed');
    }
    const text = await limitedText(response);
    const body = parsedJson(text);
    if (isSuccess(status) && text !== '' && body === undefined)
      return transportError('unavailable', 'the response is not JSON');
    const respondedAt = Date.parse(headers.get('date') ?? '');
    return { status, headers, body, serverTime: new Date(Number.isNaN(respondedAt) ? this.timing.now() : respondedAt) };
  }

  private classify(
    request: CrmRequest<unknown>,
    reply: HttpReply | TransportError,
    attempt: number,
  ): ErrorClassification {
    if (reply.status === null) return { kind: reply.kind, message: reply.message };
    const rejection = { ...reply, attempt };
    return (
      request.classifyError?.(rejection) ??
      this.rules.classifyError?.(rejection) ??
      denied(request, reply.status) ?? { kind: this.classifyStatus(reply.status) }
    );
  }

  private classifyStatus(status: number): ErrorClassification['kind'] {
    if (status === 401) return 'unauthorized';
    if (status === 404) return 'absent';
    if (status === 429) return 'rate_limited';
    return temporaryStatuses.includes(status) || this.rules.temporary?.includes(status) ? 'unavailable' : 'rejected';
  }

  /** A Retry-After date is compared with the clock that wrote it, so clock differences do not matter. */
  private requestedDelayMs(reply: HttpReply | TransportError): number | null {
    return reply.status === null ? null : retryAfterMs(reply.headers.get('retry-after'), reply.serverTime.getTime());
  }

  private backoffMs(attempt: number): number {
    return this.timing.random() * Math.min(backoffCapMs, this.timing.retryMs * 2 ** (attempt - 1));
  }

  private failure(
    { method, url }: CrmRequest<unknown>,
    kind: CrmFailureKind,
    message: string,
    retryAfterMs: number | null = null,
  ): CrmFailure {
    return new CrmFailure(kind, `${this.rules.provider} ${method} ${new URL(url).pathname}: ${message}`, retryAfterMs);
  }
}

/** Parses a Retry-After header in seconds or as a date; null if there is none or it is unreadable. */
export function retryAfterMs(header: string | null, nowMs: number): number | null {
  const text = header?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const instant = Date.parse(text);
  return Number.isNaN(instant) ? null : Math.max(0, instant - nowMs);
}

function denied({ needs }: CrmRequest<unknown>, status: number): ErrorClassification | null {
  if (status === 410) return { kind: 'misconfigured', message: 'the CRM has retired this version of its API (410)' };
  if (status !== 403 || needs === undefined) return null;
  return { kind: 'rejected', message: `the CRM denied access: grant ${needs} and connect again` };
}

function isRetryable(
  { isUnrepeatable }: CrmRequest<unknown>,
  kind: ErrorClassification['kind'],
  status: number | null,
) {
  if (isUnrepeatable) return status === 429;
  return kind === 'rate_limited' || kind === 'unavailable';
}

function headersFor({ json, headers }: CrmRequest<unknown>, token: string | undefined): Record<string, string> {
  return {
    ...headers,
    Accept: 'application/json',
    ...(json === undefined ? {} : { 'Content-Type': 'application/json' }),
    ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
  };
}

function encodeBody({ json, form }: CrmRequest<unknown>): string | URLSearchParams | null {
  if (form !== undefined) return new URLSearchParams(form);
  return json === undefined ? null : JSON.stringify(json);
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

function transportError(kind: TransportError['kind'], message: string): TransportError {
  return { status: null, kind, message };
}

class TooLarge extends Error {}

/** Counts the bytes after decompression, so neither a missing length nor a compression bomb fills the memory. */
async function limitedText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > maxBytes) throw new TooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === 'TimeoutError';
}

/** The code of a connection error. The rest of the error's text is not meant for users. */
function formatErrorCode(error: unknown): string {
  const cause: unknown = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return typeof code === 'string' && /^[A-Z_]+$/.test(code) ? ` (${code})` : '';
}
