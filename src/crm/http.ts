import { setTimeout as sleep } from 'node:timers/promises';
import { type z } from 'zod';
import { type CrmAccess, CrmFailure, type CrmFailureKind, type CrmProvider } from './port.js';

/** One thing that is asked of a CRM. */
export interface CrmQuestion<T> {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly url: string;
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent as a form. */
  readonly form?: Readonly<Record<string, string>>;
  /** Sent beside the usual ones. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Whose token goes along; none for the questions that fetch a token. */
  readonly access?: CrmAccess;
  /** What the body of a 2xx answer must look like; an empty body is undefined. */
  readonly schema: z.ZodType<T>;
  /** Must not be done twice: asked again only where the CRM said that it did nothing (429). */
  readonly isUnrepeatable?: boolean;
  /** What a refusal of this question means, asked before the rules of the CRM. */
  judge?(refusal: CrmRefusal): CrmVerdict | null;
}

export interface CrmAnswer<T> {
  readonly body: T;
  readonly headers: Headers;
  /** The CRM's clock when it answered; ours where it does not say. */
  readonly serverTime: Date;
}

/** What a CRM answered, when that was not 2xx. */
export interface CrmRefusal {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed JSON; undefined when there is none. */
  readonly body: unknown;
  /** How often the question has been asked, this time included. */
  readonly attempt: number;
}

/** What a refusal means. Wins over what its status alone means; a Retry-After of the CRM wins over `retryAfterMs`. */
export interface CrmVerdict {
  /** `absent`: the CRM does not have it. */
  readonly kind: CrmFailureKind | 'absent';
  readonly retryAfterMs?: number;
  /** What to tell people, in our words. */
  readonly message?: string;
}

/** How one kind of CRM differs from the others. */
export interface CrmRules {
  readonly provider: CrmProvider;
  /** Statuses that pass by themselves, besides those that pass at every CRM. */
  readonly passing?: readonly number[];
  /** Null leaves the meaning to the status. */
  judge?(refusal: CrmRefusal): CrmVerdict | null;
}

/** Time and chance, so that tests wait for nothing. */
export interface CrmTiming {
  now(): number;
  sleep(ms: number): Promise<unknown>;
  /** At least 0 and below 1. */
  random(): number;
  readonly timeoutMs: number;
}

export const realTiming: CrmTiming = { now: Date.now, sleep, random: Math.random, timeoutMs: 30_000 };

const mostRetries = 5;
/** A worker spends no longer than this on one question; what takes longer is for the job to ask again. */
const patienceMs = 60_000;
const backoffBaseMs = 500;
const backoffCapMs = 30_000;
const mostBytes = 10 * 1024 * 1024;
const passingStatuses: readonly number[] = [408, 429, 500, 502, 503, 504];

interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
  readonly serverTime: Date;
}

/** No reply, or none that can be used, and whether asking again may help. */
interface Trouble {
  readonly status: null;
  readonly kind: 'unavailable' | 'refused';
  readonly message: string;
}

/** Asks CRMs over HTTP: patient with rate limits and short outages, careful with tokens, trusting no answer. */
export class CrmHttp {
  constructor(
    private readonly rules: CrmRules,
    private readonly timing: CrmTiming = realTiming,
  ) {}

  async ask<T>(question: CrmQuestion<T>): Promise<CrmAnswer<T>> {
    const answer = await this.find(question);
    if (answer === null) throw this.failure(question, 'refused', 'the CRM does not know it (404)');
    return answer;
  }

  /** Null where the CRM does not have what is asked for. */
  async find<T>(question: CrmQuestion<T>): Promise<CrmAnswer<T> | null> {
    const reply = await this.settle(question);
    if (reply === null) return null;
    const parsed = question.schema.safeParse(reply.body);
    if (parsed.success) return { body: parsed.data, headers: reply.headers, serverTime: reply.serverTime };
    const where = parsed.error.issues[0]?.path.join('.').slice(0, 100) || 'its body';
    throw this.failure(question, 'refused', `the answer has an unknown shape at ${where}`);
  }

  private async settle(question: CrmQuestion<unknown>): Promise<Reply | null> {
    const { access } = question;
    const patientUntil = this.timing.now() + patienceMs;
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
      const askedDelayMs = this.askedDelayMs(reply) ?? verdict.retryAfterMs ?? null;
      const delayMs = askedDelayMs ?? this.backoffMs(attempt);
      const isPatient = attempt <= mostRetries && this.timing.now() + delayMs <= patientUntil;
      if (!isPatient || !mayAskAgain(question, verdict.kind, reply.status))
        throw this.failure(question, verdict.kind, verdict.message ?? `answered ${reply.status}`, askedDelayMs);
      await this.timing.sleep(delayMs);
    }
  }

  private async attempt(question: CrmQuestion<unknown>, token: string | undefined): Promise<Reply | Trouble> {
    // Headers with other characters are refused by fetch in an error that prints them.
    if (token !== undefined && !/^[\x21-\x7e]+$/.test(token))
      throw this.failure(question, 'unauthorized', 'the token holds characters that no token has');
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
      if (error instanceof TooLarge) return trouble('refused', 'the answer is larger than 10 MB');
      return trouble('unavailable', isTimeout(error) ? 'no answer in time' : `no connection${codeOf(error)}`);
    }
  }

  private async read(response: Response): Promise<Reply | Trouble> {
    const { status, headers } = response;
    if (status >= 300 && status < 400) {
      await response.body?.cancel();
      return trouble('refused', 'the CRM redirects, which is not followed');
    }
    const text = await limitedText(response);
    const body = parsedJson(text);
    if (isSuccess(status) && text !== '' && body === undefined) return trouble('unavailable', 'the answer is not JSON');
    const answeredAt = Date.parse(headers.get('date') ?? '');
    return { status, headers, body, serverTime: new Date(Number.isNaN(answeredAt) ? this.timing.now() : answeredAt) };
  }

  private verdictOn(question: CrmQuestion<unknown>, reply: Reply | Trouble, attempt: number): CrmVerdict {
    if (reply.status === null) return { kind: reply.kind, message: reply.message };
    const refusal = { ...reply, attempt };
    return question.judge?.(refusal) ?? this.rules.judge?.(refusal) ?? { kind: this.kindOf(reply.status) };
  }

  private kindOf(status: number): CrmVerdict['kind'] {
    if (status === 401) return 'unauthorized';
    if (status === 404) return 'absent';
    if (status === 429) return 'rate_limited';
    return passingStatuses.includes(status) || this.rules.passing?.includes(status) ? 'unavailable' : 'refused';
  }

  /** A date is measured by the clock that wrote it, so that no difference between the clocks shows. */
  private askedDelayMs(reply: Reply | Trouble): number | null {
    return reply.status === null ? null : retryAfterMs(reply.headers.get('retry-after'), reply.serverTime.getTime());
  }

  private backoffMs(attempt: number): number {
    return this.timing.random() * Math.min(backoffCapMs, backoffBaseMs * 2 ** (attempt - 1));
  }

  private failure(
    { method, url }: CrmQuestion<unknown>,
    kind: CrmFailureKind,
    message: string,
    retryAfterMs: number | null = null,
  ): CrmFailure {
    return new CrmFailure(kind, `${this.rules.provider} ${method} ${new URL(url).pathname}: ${message}`, retryAfterMs);
  }
}

/** A Retry-After in seconds or as a date; null when there is none that can be read. */
export function retryAfterMs(header: string | null, nowMs: number): number | null {
  const text = header?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const instant = Date.parse(text);
  return Number.isNaN(instant) ? null : Math.max(0, instant - nowMs);
}

function mayAskAgain({ isUnrepeatable }: CrmQuestion<unknown>, kind: CrmVerdict['kind'], status: number | null) {
  if (isUnrepeatable) return status === 429;
  return kind === 'rate_limited' || kind === 'unavailable';
}

function headersFor({ json, headers }: CrmQuestion<unknown>, token: string | undefined): Record<string, string> {
  return {
    ...headers,
    Accept: 'application/json',
    ...(json === undefined ? {} : { 'Content-Type': 'application/json' }),
    ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
  };
}

function bodyOf({ json, form }: CrmQuestion<unknown>): string | URLSearchParams | null {
  if (form !== undefined) return new URLSearchParams(form);
  return json === undefined ? null : JSON.stringify(json);
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

function trouble(kind: Trouble['kind'], message: string): Trouble {
  return { status: null, kind, message };
}

class TooLarge extends Error {}

/** Counts what arrives after unpacking: neither a missing length nor a compressed bomb fills the memory. */
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

/** The code of a failed connection; the rest of such an error is written for others than our users. */
function codeOf(error: unknown): string {
  const cause: unknown = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return typeof code === 'string' && /^[A-Z_]+$/.test(code) ? ` (${code})` : '';
}
