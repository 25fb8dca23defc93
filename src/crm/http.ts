import { setTimeout as sleep } from 'node:timers/promises';
import { type z } from 'zod';
import { type CrmAccess, CrmFailure, type CrmFailureKind, type CrmProvider } from './port.js';

/** One request to a CRM. */
export interface CrmRequest<T> {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly url: string;
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent as a form. */
  readonly form?: Readonly<Record<string, string>>;
  /** Added to the usual headers. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Supplies the token; absent for requests that fetch a token. */
  readonly access?: CrmAccess;
  /** Schema of the body of a 2xx response; an empty body is undefined. */
  readonly schema: z.ZodType<T>;
  /** Must not run twice: retried only if the CRM said that it did nothing (429). */
  readonly isUnrepeatable?: boolean;
  /** Classifies an error response to this request, before the rules of the CRM. */
  classifyError?(refusal: CrmErrorResponse): ErrorClassification | null;
}

export interface CrmResponse<T> {
  readonly body: T;
  readonly headers: Headers;
  /** The CRM's clock at the time of the response, or ours if the response has no date. */
  readonly serverTime: Date;
}

/** A response other than 2xx. */
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
  /** Message for people, in our words. */
  readonly message?: string;
}

/** What distinguishes one CRM from the others. */
export interface CrmRules {
  readonly provider: CrmProvider;
  /** Additional statuses that are worth a retry. */
  readonly passing?: readonly number[];
  /** Null: the status decides. */
  classifyError?(refusal: CrmErrorResponse): ErrorClassification | null;
}

/** Clock, delay and randomness, injected so that tests need not wait. */
export interface CrmTiming {
  now(): number;
  sleep(ms: number): Promise<unknown>;
  /** At least 0 and below 1. */
  random(): number;
  readonly timeoutMs: number;
}

export const realTiming: CrmTiming = { now: Date.now, sleep, random: Math.random, timeoutMs: 30_000 };

const mostRetries = 5;
/** A worker spends at most this long on one request. The job retries what takes longer. */
const maxTotalMs = 60_000;
const backoffBaseMs = 500;
const backoffCapMs = 30_000;
const mostBytes = 10 * 1024 * 1024;
const passingStatuses: readonly number[] = [408, 429, 500, 502, 503, 504];

interface HttpReply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
  readonly serverTime: Date;
}

/** No usable response, and whether a retry may help. */
interface TransportError {
  readonly status: null;
  readonly kind: 'unavailable' | 'refused';
  readonly message: string;
}

/** HTTP client for CRMs: retries rate limits and short outages, protects tokens, validates every response. */
export class CrmHttp {
  constructor(
    private readonly rules: CrmRules,
    private readonly timing: CrmTiming = realTiming,
  ) {}

  async request<T>(question: CrmRequest<T>): Promise<CrmResponse<T>> {
    const answer = await this.getOrNull(question);
    if (answer === null) throw this.failure(question, 'refused', 'not found in the CRM (404)');
    return answer;
  }

  /** Null if the CRM does not have the resource. */
  async getOrNull<T>(question: CrmRequest<T>): Promise<CrmResponse<T> | null> {
    const reply = await this.settle(question);
    if (reply === null) return null;
    const parsed = question.schema.safeParse(reply.body);
    if (parsed.success) return { body: parsed.data, headers: reply.headers, serverTime: reply.serverTime };
    const where = parsed.error.issues[0]?.path.join('.').slice(0, 100) || 'its body';
    throw this.failure(question, 'refused', `the response has an unexpected shape at ${where}`);
  }

  private async settle(question: CrmRequest<unknown>): Promise<HttpReply | null> {
    const { access } = question;
    const patientUntil = this.timing.now() + maxTotalMs;
    let credentials = await access?.credentials();
    let isRenewed = false;
    for (let attempt = 1; ; attempt++) {
      const reply = await this.attempt(question, credentials?.accessToken);
      if (reply.status !== null && isSuccess(reply.status)) return reply;

      const verdict = this.verdictOn(question, reply, attempt);
      if (verdict.kind === 'absent') return null;
      if (verdict.kind === 'unauthorized' && access !== undefined && credentials !== undefined && !isRenewed) {
        credentials = await access.renewed(credentials);
        isRenewed = true;
        continue;
      }
      if (verdict.kind === 'unauthorized' && credentials !== undefined) await access?.rejected(credentials);
      const askedDelayMs = this.requestedDelayMs(reply) ?? verdict.retryAfterMs ?? null;
      const delayMs = askedDelayMs ?? this.backoffMs(attempt);
      const isPatient = attempt <= mostRetries && this.timing.now() + delayMs <= patientUntil;
      if (!isPatient || !mayAskAgain(question, verdict.kind, reply.status))
        throw this.failure(question, verdict.kind, verdict.message ?? `answered ${reply.status}`, askedDelayMs);
      await this.timing.sleep(delayMs);
    }
  }

  private async attempt(question: CrmRequest<unknown>, token: string | undefined): Promise<HttpReply | TransportError> {
    // fetch rejects other characters with an error that prints the header.
    if (token !== undefined && !/^[\x21-\x7e]+$/.test(token))
      throw this.failure(question, 'unauthorized', 'the token contains invalid characters');
    try {
      const response = await fetch(question.url, {
        method: question.method,
        headers: headersFor(question, token),
        redirect: 'manual',
        signal: AbortSignal.timeout(this.timing.timeoutMs),
        body: bodyOf(question),
      });
      return await this.read(response);
    } catch (error) {
      if (error instanceof TooLarge) return transportError('refused', 'the response is larger than 10 MB');
      return transportError('unavailable', isTimeout(error) ? 'no response in time' : `no connection${codeOf(error)}`);
    }
  }

  private async read(response: Response): Promise<HttpReply | TransportError> {
    const { status, headers } = response;
    if (status >= 300 && status < 400) {
      await response.body?.cancel();
      return transportError('refused', 'the CRM responded with a redirect, which is not followed');
    }
    const text = await limitedText(response);
    const body = parsedJson(text);
    if (isSuccess(status) && text !== '' && body === undefined)
      return transportError('unavailable', 'the response is not JSON');
    const answeredAt = Date.parse(headers.get('date') ?? '');
    return { status, headers, body, serverTime: new Date(Number.isNaN(answeredAt) ? this.timing.now() : answeredAt) };
  }

  private verdictOn(
    question: CrmRequest<unknown>,
    reply: HttpReply | TransportError,
    attempt: number,
  ): ErrorClassification {
    if (reply.status === null) return { kind: reply.kind, message: reply.message };
    const refusal = { ...reply, attempt };
    return (
      question.classifyError?.(refusal) ?? this.rules.classifyError?.(refusal) ?? { kind: this.kindOf(reply.status) }
    );
  }

  private kindOf(status: number): ErrorClassification['kind'] {
    if (status === 401) return 'unauthorized';
    if (status === 404) return 'absent';
    if (status === 429) return 'rate_limited';
    return passingStatuses.includes(status) || this.rules.passing?.includes(status) ? 'unavailable' : 'refused';
  }

  /** A Retry-After date is compared with the clock that wrote it, so clock differences do not matter. */
  private requestedDelayMs(reply: HttpReply | TransportError): number | null {
    return reply.status === null ? null : retryAfterMs(reply.headers.get('retry-after'), reply.serverTime.getTime());
  }

  private backoffMs(attempt: number): number {
    return this.timing.random() * Math.min(backoffCapMs, backoffBaseMs * 2 ** (attempt - 1));
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

function mayAskAgain(
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

function bodyOf({ json, form }: CrmRequest<unknown>): string | URLSearchParams | null {
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
    if (size > mostBytes) throw new TooLarge();
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
function codeOf(error: unknown): string {
  const cause: unknown = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return typeof code === 'string' && /^[A-Z_]+$/.test(code) ? ` (${code})` : '';
}
